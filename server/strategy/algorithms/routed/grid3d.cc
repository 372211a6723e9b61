#include <vector>

#include "strategy/algorithms/routed/routed_alltoall.h"
#include "topology/virtual_topology.h"

namespace cox::strategy {
namespace {

double Blocks(int64_t count) { return static_cast<double>(count); }

// A grid of two planes or more: how many blocks its ranks have collected, and which ranks are
// busiest.
struct Collected {
  explicit Collected(const topology::Grid3d& grid)
      : grid(grid), last(grid.planes - 1), below(grid.planes - 2) {}

  bool IsExtraRow(int64_t x, int64_t y, int64_t z) const {
    return z == below && y == grid.full_rows && grid.rest > 0 && x >= grid.rest;
  }
  // Ranks whose blocks a rank has after phase x.
  int64_t AfterX(int64_t x, int64_t y, int64_t z) const {
    if (z == last) return y < grid.full_rows ? grid.side : grid.rest;
    return grid.side + (IsExtraRow(x, y, z) ? grid.rest : 0);
  }
  // The same for all ranks of the last plane with this x.
  int64_t LastPlane(int64_t x) const {
    return grid.full_rows * grid.side + (x < grid.rest ? grid.rest : 0);
  }
  // Ranks whose blocks a rank has after phase y.
  int64_t AfterY(int64_t x, int64_t y, int64_t z) const {
    if (z == last) return LastPlane(x);
    if (z < below) return grid.plane;
    const bool takes_for_hole = y >= grid.InLastPlane(x);
    return grid.plane + (grid.rest > 0 && x >= grid.rest ? grid.rest : 0) +
           (takes_for_hole ? LastPlane(x) : 0);
  }

  // Ranks between two borders (of holes, of the grid) have equal traffic: one of each is enough.
  void Notable(RankList* out) const {
    const int64_t side = grid.side;
    for (int64_t z : {int64_t{0}, below, last}) {
      for (int64_t y : {int64_t{0}, grid.full_rows, grid.full_rows + 1, side - 1}) {
        for (int64_t x : {int64_t{0}, grid.rest, side - 1}) {
          if (y < side && grid.At(x, y, z) < grid.ranks) out->Add(grid.At(x, y, z));
        }
      }
    }
  }

  // On a full grid all planes are equal.
  int64_t PeriodOf(int64_t ranks) const {
    return ranks == grid.planes * grid.plane ? grid.plane : ranks;
  }

  const topology::Grid3d& grid;
  int64_t last;   // plane
  int64_t below;  // the plane before the last
};

class AlongX final : public Exchange {
 public:
  explicit AlongX(const topology::Grid3d& grid) : grid_(grid), collected_(grid) {}

  void Sends(int64_t rank, Peers* out) const override {
    const int64_t x = grid_.XOf(rank);
    const int64_t side = grid_.side;
    const int64_t rest = grid_.rest;
    const int64_t far = grid_.XPeer(rank, side - 1) - (side - 1);
    out->AddExcept(x, {rank - x, 1, rest}, Blocks(grid_.WithX(0)));
    out->AddExcept(x - rest, {far + rest, 1, side - rest}, Blocks(grid_.WithX(side - 1)));
  }

  void Receives(int64_t rank, Peers* out) const override {
    const int64_t x = grid_.XOf(rank);
    const int64_t y = grid_.YOf(rank);
    const int64_t z = grid_.ZOf(rank);
    const bool in_short_row = z == collected_.last && y == grid_.full_rows;
    const double blocks = Blocks(grid_.WithX(x));
    out->AddExcept(x, {rank - x, 1, in_short_row ? grid_.rest : grid_.side}, blocks);
    if (collected_.IsExtraRow(x, y, z)) {
      out->Add({rank - x + grid_.plane, 1, grid_.rest}, blocks);
    }
  }

  Totals totals() const override {
    const double ranks = Blocks(grid_.ranks);
    const double more = Blocks(grid_.rest);
    const double side = Blocks(grid_.side);
    const double large = Blocks(grid_.WithX(0));
    const double small = Blocks(grid_.WithX(grid_.side - 1));
    return {ranks * (side - 1),
            ranks * ranks - more * large * large - (side - more) * small * small};
  }

  int64_t Period(int64_t ranks) const override { return collected_.PeriodOf(ranks); }
  void Notable(RankList* out) const override { collected_.Notable(out); }

 private:
  const topology::Grid3d& grid_;
  Collected collected_;
};

class AlongY final : public Exchange {
 public:
  explicit AlongY(const topology::Grid3d& grid) : grid_(grid), collected_(grid) {}

  void Sends(int64_t rank, Peers* out) const override {
    const int64_t x = grid_.XOf(rank);
    const int64_t y = grid_.YOf(rank);
    const int64_t z = grid_.ZOf(rank);
    const int64_t full = grid_.InLastPlane(x);
    const int64_t side = grid_.side;
    const int64_t sources = collected_.AfterX(x, y, z);
    out->AddExcept(y, {grid_.At(x, 0, z), side, full}, Blocks(sources * grid_.planes));
    const int64_t plane = z == collected_.last ? collected_.below : z;
    out->AddExcept(z == plane ? y - full : -1, {grid_.At(x, full, plane), side, side - full},
                   Blocks(sources * (grid_.planes - 1)));
  }

  void Receives(int64_t rank, Peers* out) const override {
    const int64_t x = grid_.XOf(rank);
    const int64_t y = grid_.YOf(rank);
    const int64_t z = grid_.ZOf(rank);
    const int64_t height = grid_.Height(x, y);
    if (z == collected_.last) {
      FromLastPlane(x, y, height, out);
      return;
    }
    const int64_t side = grid_.side;
    const double blocks = Blocks(side * height);
    const int64_t row = grid_.full_rows;
    if (!collected_.IsExtraRow(x, row, z)) {
      out->AddExcept(y, {grid_.At(x, 0, z), side, side}, blocks);
    } else {
      out->AddExcept(y, {grid_.At(x, 0, z), side, row}, blocks);
      out->AddExcept(y - row - 1, {grid_.At(x, row + 1, z), side, side - row - 1}, blocks);
      if (y != row) out->AddOne(grid_.At(x, row, z), Blocks((side + grid_.rest) * height));
    }
    if (z == collected_.below && y >= grid_.InLastPlane(x)) FromLastPlane(x, -1, height, out);
  }

  Totals totals() const override {
    const double ranks = Blocks(grid_.ranks);
    const double side = Blocks(grid_.side);
    const double more = Blocks(grid_.rest);
    const double high = Blocks(grid_.planes);
    const double rows = Blocks(grid_.full_rows);
    // Blocks for an x that are at the right y already: a rank's sources times the line's height.
    const double there =
        rows * side * high * high + (side - rows - 1) * side * (high - 1) * (high - 1);
    const double sources = side * (high - 1) + more;  // of the row that is partly in the last plane
    const double large = ranks * Blocks(grid_.WithX(0)) - there - high * sources;
    const double small = ranks * Blocks(grid_.WithX(grid_.side - 1)) - there - (high - 1) * sources;
    return {ranks * (side - 1), more * large + (side - more) * small};
  }

  int64_t Period(int64_t ranks) const override { return collected_.PeriodOf(ranks); }
  void Notable(RankList* out) const override { collected_.Notable(out); }

 private:
  // From the last plane's ranks with this x and other y.
  void FromLastPlane(int64_t x, int64_t y, int64_t height, Peers* out) const {
    const int64_t rows = grid_.full_rows;
    out->AddExcept(y, {grid_.At(x, 0, collected_.last), grid_.side, rows},
                   Blocks(grid_.side * height));
    if (x < grid_.rest && y != rows) {
      out->AddOne(grid_.At(x, rows, collected_.last), Blocks(grid_.rest * height));
    }
  }

  const topology::Grid3d& grid_;
  Collected collected_;
};

class AlongZ final : public Exchange {
 public:
  explicit AlongZ(const topology::Grid3d& grid) : grid_(grid), collected_(grid) {}

  void Sends(int64_t rank, Peers* out) const override {
    const int64_t x = grid_.XOf(rank);
    const int64_t y = grid_.YOf(rank);
    const int64_t z = grid_.ZOf(rank);
    out->AddExcept(z, {grid_.At(x, y, 0), grid_.plane, grid_.Height(x, y)},
                   Blocks(collected_.AfterY(x, y, z)));
  }

  void Receives(int64_t rank, Peers* out) const override {
    const int64_t x = grid_.XOf(rank);
    const int64_t y = grid_.YOf(rank);
    const int64_t z = grid_.ZOf(rank);
    out->AddExcept(z, {grid_.At(x, y, 0), grid_.plane, collected_.below}, Blocks(grid_.plane));
    for (int64_t from = collected_.below; from < grid_.Height(x, y); ++from) {
      if (from != z) out->AddOne(grid_.At(x, y, from), Blocks(collected_.AfterY(x, y, from)));
    }
  }

  Totals totals() const override {
    const double high = Blocks(grid_.planes);
    const double full = Blocks(grid_.full_rows * grid_.side + grid_.rest);
    const double with_hole = Blocks(grid_.plane) - full;
    return {full * high * (high - 1) + with_hole * (high - 1) * (high - 2),
            Blocks(grid_.ranks) * (full * (high - 1) + with_hole * (high - 2))};
  }

  int64_t Period(int64_t ranks) const override { return collected_.PeriodOf(ranks); }
  void Notable(RankList* out) const override { collected_.Notable(out); }

 private:
  const topology::Grid3d& grid_;
  Collected collected_;
};

constexpr char kGrid3d = 0;  // its address is its name

}  // namespace

void BuildGrid3d(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule) {
  const topology::Grid3d grid(scenario.ranks);
  if (grid.planes == 1) {
    BuildMesh2d(scenario, knobs, schedule);
    return;
  }
  AddRoutedPhase(AlongX(grid), {&kGrid3d, 0}, scenario, true, schedule);
  AddRoutedPhase(AlongY(grid), {&kGrid3d, 1}, scenario, false, schedule);
  AddRoutedPhase(AlongZ(grid), {&kGrid3d, 2}, scenario, false, schedule);
}

void EnumerateGrid3d(const Scenario& scenario, const Knobs& knobs, MessageSink sink) {
  const topology::Grid3d grid(scenario.ranks);
  if (grid.planes == 1) {
    EnumerateMesh2d(scenario, knobs, sink);
    return;
  }
  const auto bytes = static_cast<double>(scenario.block_bytes);
  // The ranks whose blocks a rank holds for its line along y and z; then for its line along z.
  std::vector<int64_t> after_x(static_cast<size_t>(grid.ranks), 1);
  for (int64_t rank = 0; rank < grid.ranks; ++rank) {
    for (int64_t x = 0; x < grid.side; ++x) {
      if (x == grid.XOf(rank)) continue;
      const int64_t peer = grid.XPeer(rank, x);
      sink({0, 0, rank, peer, Blocks(grid.WithX(x)) * bytes});
      ++after_x[static_cast<size_t>(peer)];
    }
  }
  std::vector<int64_t> after_y = after_x;
  for (int64_t rank = 0; rank < grid.ranks; ++rank) {
    const int64_t sources = after_x[static_cast<size_t>(rank)];
    for (int64_t y = 0; y < grid.side; ++y) {
      if (y == grid.YOf(rank)) continue;
      const int64_t peer = grid.YPeer(rank, y);
      sink({1, 0, rank, peer, Blocks(sources * grid.Height(grid.XOf(rank), y)) * bytes});
      after_y[static_cast<size_t>(peer)] += sources;
    }
  }
  for (int64_t rank = 0; rank < grid.ranks; ++rank) {
    for (int64_t peer = rank % grid.plane; peer < grid.ranks; peer += grid.plane) {
      if (peer != rank)
        sink({2, 0, rank, peer, Blocks(after_y[static_cast<size_t>(rank)]) * bytes});
    }
  }
}

}  // namespace cox::strategy
