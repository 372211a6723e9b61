// Ranks as points of a mesh, a grid or a hypercube, which may have holes, and the route of a block
// through it. All code takes from here who sends what to whom in alltoall/mesh2d, alltoall/grid3d
// and alltoall/hypercube. A block takes at most one hop per phase. Pure values, any thread, O(1).
//
// Source: L. V. Kale, S. Kumar, K. Varadarajan, A framework for collective personalized
// communication, 2003, sections 2.2 (mesh), 2.3 (grid), 2.4 (hypercube). Where the paper is silent:
// planes of the grid are its slowest dimension; the hypercube's dimensions are taken in ascending
// order.
#ifndef COX_TOPOLOGY_VIRTUAL_TOPOLOGY_H_
#define COX_TOPOLOGY_VIRTUAL_TOPOLOGY_H_

#include <algorithm>
#include <cstdint>

namespace cox::topology {

// A mesh of ceil(sqrt p) columns, or of as many as stated, and as many rows as needed; rank n is at
// row n / columns, column n mod columns. Only the last row may have holes, at its end. ranks >= 1.
//
// With as many columns as ranks per node, a row is a node with its consecutive ranks. With as many
// columns as nodes, a column is a node whose ranks were dealt in turn.
struct Mesh2d {
  static constexpr int64_t kPhases = 2;
  // columns: 0 for ceil(sqrt p); beyond ranks it counts as ranks.
  explicit Mesh2d(int64_t ranks, int64_t columns = 0);

  int64_t RowOf(int64_t rank) const { return rank / columns; }
  int64_t ColumnOf(int64_t rank) const { return rank % columns; }
  // Ranks in a column.
  int64_t InColumn(int64_t column) const { return column < in_last_row ? rows : rows - 1; }

  // The rank to which `rank` sends the blocks for another column: the rank of its row in that
  // column. If that is a hole, the rank of that column in row (own column) mod (rows - 1).
  int64_t RowPeer(int64_t rank, int64_t column) const;
  // The next rank on the route of a block that is at `at`, in phase 0 (along rows) or 1 (along
  // columns). `at` if the block stays.
  int64_t NextHop(int64_t at, int64_t destination, int64_t phase) const;

  int64_t ranks;
  int64_t columns;
  int64_t rows;
  int64_t in_last_row;  // 1 .. columns
};

// Planes of side x side, side = ceil(cbrt p); the last plane may have holes. Rank n is at x = n mod
// side, y = n / side mod side, z = n / side^2. A single plane is routed as a Mesh2d. ranks >= 1.
struct Grid3d {
  static constexpr int64_t kPhases = 3;
  explicit Grid3d(int64_t ranks);

  int64_t XOf(int64_t rank) const { return rank % side; }
  int64_t YOf(int64_t rank) const { return rank / side % side; }
  int64_t ZOf(int64_t rank) const { return rank / plane; }
  int64_t At(int64_t x, int64_t y, int64_t z) const { return x + y * side + z * plane; }
  // Ranks of the last plane in a line along y.
  int64_t InLastPlane(int64_t x) const { return full_rows + (x < rest ? 1 : 0); }
  // Ranks in a line along z.
  int64_t Height(int64_t x, int64_t y) const { return y < InLastPlane(x) ? planes : planes - 1; }
  // Ranks of all planes with this x.
  int64_t WithX(int64_t x) const { return side * (planes - 1) + InLastPlane(x); }

  // The ranks to which `rank` sends the blocks for another x, and for another y: the rank of its
  // plane there. If that is a hole, the rank below the hole. planes >= 2.
  int64_t XPeer(int64_t rank, int64_t x) const;
  int64_t YPeer(int64_t rank, int64_t y) const;
  // As in Mesh2d; phases 0 (x), 1 (y), 2 (z).
  int64_t NextHop(int64_t at, int64_t destination, int64_t phase) const;

  int64_t ranks;
  int64_t side;
  int64_t plane;  // ranks of a full plane
  int64_t planes;
  int64_t full_rows;  // of the last plane
  int64_t rest;       // ranks of its next row
};

// The largest power of two of ranks are corners; rank corners + i is the guest of rank i. With
// guests there are two more phases: guests to hosts before the exchanges, hosts to guests after
// them. ranks >= 1.
struct Hypercube {
  explicit Hypercube(int64_t ranks);

  int64_t guests() const { return ranks - corners; }
  int64_t HostOf(int64_t rank) const { return rank < corners ? rank : rank - corners; }
  int64_t phases() const { return dimensions + (guests() > 0 ? 2 : 0); }
  // As in Mesh2d; phases 0 .. phases() - 1.
  int64_t NextHop(int64_t at, int64_t destination, int64_t phase) const;

  int64_t ranks;
  int64_t corners;
  int64_t dimensions;
};

// Squares of sqrt p consecutive ranks each. There are as many squares as ranks in a square, so rank
// k of a square serves square k: all blocks from its own square to square k pass through it. ranks:
// a square number.
//
// Source: S. E. Hambrusch, A. A. Khokhar, C3: an architecture-independent model for coarse-grained
// parallel machines, section 4.3 (2-lev-sq).
struct Squares {
  static constexpr int64_t kPhases = 3;
  explicit Squares(int64_t ranks);

  int64_t PartnerOf(int64_t rank) const { return rank % size * size + rank / size; }
  // As in Mesh2d; phases 0 (in squares), 1 (between them), 2 (in squares).
  int64_t NextHop(int64_t at, int64_t destination, int64_t phase) const;

  int64_t ranks;
  int64_t size;  // ranks of a square, and number of squares
};

}  // namespace cox::topology

#endif  // COX_TOPOLOGY_VIRTUAL_TOPOLOGY_H_
