#include "topology/virtual_topology.h"

#include <algorithm>
#include <bit>

#include "topology/powers_of_two.h"
#include "topology/roots.h"

namespace cox::topology {
namespace {

int64_t CeilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

Mesh2d::Mesh2d(int64_t ranks, int64_t columns)
    : ranks(ranks),
      columns(columns == 0 ? CeilSquareRoot(ranks) : std::min(columns, ranks)),
      rows(CeilDivide(ranks, this->columns)),
      in_last_row(ranks - (rows - 1) * this->columns) {}

int64_t Mesh2d::RowPeer(int64_t rank, int64_t column) const {
  const int64_t peer = RowOf(rank) * columns + column;
  return peer < ranks ? peer : ColumnOf(rank) % (rows - 1) * columns + column;
}

int64_t Mesh2d::NextHop(int64_t at, int64_t destination, int64_t phase) const {
  const int64_t column = ColumnOf(destination);
  if (phase == 1) return destination;
  return column == ColumnOf(at) ? at : RowPeer(at, column);
}

Grid3d::Grid3d(int64_t ranks)
    : ranks(ranks),
      side(CeilCubeRoot(ranks)),
      plane(side * side),
      planes(CeilDivide(ranks, plane)),
      full_rows((ranks - (planes - 1) * plane) / side),
      rest((ranks - (planes - 1) * plane) % side) {}

int64_t Grid3d::XPeer(int64_t rank, int64_t x) const {
  const int64_t peer = rank - XOf(rank) + x;
  return peer < ranks ? peer : peer - plane;
}

int64_t Grid3d::YPeer(int64_t rank, int64_t y) const {
  const int64_t peer = rank + (y - YOf(rank)) * side;
  return peer < ranks ? peer : peer - plane;
}

int64_t Grid3d::NextHop(int64_t at, int64_t destination, int64_t phase) const {
  if (planes == 1) return phase < 2 ? Mesh2d(ranks).NextHop(at, destination, phase) : destination;
  const int64_t x = XOf(destination);
  const int64_t y = YOf(destination);
  if (phase == 0) return x == XOf(at) ? at : XPeer(at, x);
  if (phase == 1) return y == YOf(at) ? at : YPeer(at, y);
  return destination;
}

Hypercube::Hypercube(int64_t ranks)
    : ranks(ranks),
      corners(LargestPowerOfTwo(ranks)),
      dimensions(std::countr_zero(static_cast<uint64_t>(corners))) {}

int64_t Hypercube::NextHop(int64_t at, int64_t destination, int64_t phase) const {
  const int64_t exchange = phase - (guests() > 0 ? 1 : 0);
  if (exchange < 0) return HostOf(at);
  if (exchange == dimensions) return destination;
  const int64_t bit = int64_t{1} << exchange;
  return (at & ~bit) | (HostOf(destination) & bit);
}

Squares::Squares(int64_t ranks) : ranks(ranks), size(CeilSquareRoot(ranks)) {}

int64_t Squares::NextHop(int64_t at, int64_t destination, int64_t phase) const {
  if (phase == 0) return at / size * size + destination / size;
  return phase == 1 ? PartnerOf(at) : destination;
}

}  // namespace cox::topology
