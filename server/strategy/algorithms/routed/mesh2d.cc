#include <vector>

#include "strategy/algorithms/routed/routed_alltoall.h"
#include "strategy/traffic/part.h"
#include "topology/virtual_topology.h"

namespace cox::strategy {
namespace {

double Blocks(int64_t count) { return static_cast<double>(count); }

// A mesh of two rows or more, or of two ranks.
struct Holes {
  explicit Holes(const topology::Mesh2d& mesh) : mesh(mesh), full_rows(mesh.rows - 1) {}

  bool Has(int64_t column) const { return column >= mesh.in_last_row; }
  // Ranks of the last row that send to the rank of this row because their own column's rank is a
  // hole.
  int64_t SendersTo(int64_t row) const {
    return row < mesh.in_last_row ? (mesh.in_last_row - row - 1) / full_rows + 1 : 0;
  }

  // On a full mesh all rows are equal.
  int64_t PeriodOf(int64_t ranks) const {
    return mesh.in_last_row == mesh.columns ? mesh.columns : ranks;
  }

  const topology::Mesh2d& mesh;
  int64_t full_rows;  // all but the last
};

// Every rank sends to the other columns.
class AlongRows final : public Exchange {
 public:
  explicit AlongRows(const topology::Mesh2d& mesh) : mesh_(mesh), holes_(mesh) {}

  void Sends(int64_t rank, Peers* out) const override {
    const int64_t column = mesh_.ColumnOf(rank);
    const int64_t row_begin = rank - column;
    const int64_t full = mesh_.in_last_row;
    const int64_t short_begin = mesh_.RowPeer(rank, mesh_.columns - 1) - (mesh_.columns - 1);
    out->AddExcept(column, {row_begin, 1, full}, Blocks(mesh_.rows));
    out->AddExcept(column - full, {short_begin + full, 1, mesh_.columns - full},
                   Blocks(mesh_.rows - 1));
  }

  void Receives(int64_t rank, Peers* out) const override {
    const int64_t column = mesh_.ColumnOf(rank);
    const int64_t row = mesh_.RowOf(rank);
    const int64_t in_row = row == holes_.full_rows ? mesh_.in_last_row : mesh_.columns;
    const double blocks = Blocks(mesh_.InColumn(column));
    out->AddExcept(column, {rank - column, 1, in_row}, blocks);
    if (!holes_.Has(column)) return;
    const int64_t last_row = holes_.full_rows * mesh_.columns;
    out->Add({last_row + row, holes_.full_rows, holes_.SendersTo(row)}, blocks);
  }

  Totals totals() const override {
    const double ranks = Blocks(mesh_.ranks);
    const double full = Blocks(mesh_.rows);
    const double with_hole = Blocks(mesh_.columns - mesh_.in_last_row);
    const double own = Blocks(mesh_.in_last_row) * full * full +
                       with_hole * (full - 1) * (full - 1);  // stays in its column
    return {ranks * (Blocks(mesh_.columns) - 1), ranks * ranks - own};
  }

  int64_t Period(int64_t ranks) const override { return holes_.PeriodOf(ranks); }

  void Notable(RankList* out) const override {
    out->Add(0);
    out->Add(mesh_.columns - 1);
    out->Add(holes_.full_rows * mesh_.columns);
  }

 private:
  const topology::Mesh2d& mesh_;
  Holes holes_;
};

// Each rank sends the collected blocks to their destinations.
class AlongColumns final : public Exchange {
 public:
  explicit AlongColumns(const topology::Mesh2d& mesh) : mesh_(mesh), holes_(mesh) {}

  void Sends(int64_t rank, Peers* out) const override {
    const int64_t column = mesh_.ColumnOf(rank);
    out->AddExcept(mesh_.RowOf(rank), {column, mesh_.columns, mesh_.InColumn(column)},
                   Blocks(SourcesAt(rank)));
  }

  void Receives(int64_t rank, Peers* out) const override {
    const int64_t column = mesh_.ColumnOf(rank);
    const int64_t row = mesh_.RowOf(rank);
    const int64_t step = mesh_.columns;
    const int64_t last = holes_.full_rows;
    if (!holes_.Has(column)) {
      out->AddExcept(row, {column, step, last}, Blocks(mesh_.columns));
      if (row != last) out->AddOne(last * step + column, Blocks(mesh_.in_last_row));
      return;
    }
    // The last row's ranks are dealt to the rows in turn: the first rows get one more.
    const int64_t more = mesh_.in_last_row % last;
    const int64_t fewer_sources = mesh_.columns + mesh_.in_last_row / last;
    out->AddExcept(row, {column, step, more}, Blocks(fewer_sources + 1));
    out->AddExcept(row - more, {more * step + column, step, last - more}, Blocks(fewer_sources));
  }

  Totals totals() const override {
    const double rows = Blocks(mesh_.rows);
    const double full = Blocks(mesh_.in_last_row);
    const double with_hole = Blocks(mesh_.columns) - full;
    return {full * rows * (rows - 1) + with_hole * (rows - 1) * (rows - 2),
            Blocks(mesh_.ranks) * (full * (rows - 1) + with_hole * (rows - 2))};
  }

  int64_t Period(int64_t ranks) const override { return holes_.PeriodOf(ranks); }

  void Notable(RankList* out) const override {
    const int64_t last_row = holes_.full_rows * mesh_.columns;
    out->Add(0);
    out->Add(mesh_.columns - 1);
    out->Add(last_row - 1);
    out->Add(last_row);
  }

 private:
  // The ranks whose blocks a rank holds after the first phase.
  int64_t SourcesAt(int64_t rank) const {
    const int64_t row = mesh_.RowOf(rank);
    if (row == holes_.full_rows) return mesh_.in_last_row;
    return mesh_.columns + (holes_.Has(mesh_.ColumnOf(rank)) ? holes_.SendersTo(row) : 0);
  }

  const topology::Mesh2d& mesh_;
  Holes holes_;
};

constexpr char kMesh2d = 0;  // its address is its name

void AddPhases(const topology::Mesh2d& mesh, const model::Extent& row, const model::Extent& column,
               const Scenario& scenario, model::Schedule* schedule) {
  AddRoutedPhase(AlongRows(mesh), {&kMesh2d, 0, mesh.columns}, scenario, true, schedule, row);
  AddRoutedPhase(AlongColumns(mesh), {&kMesh2d, 1, mesh.columns}, scenario, false, schedule,
                 column);
}

}  // namespace

void BuildMesh2d(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule) {
  AddPhases(topology::Mesh2d(scenario.ranks, knobs.columns), {}, {}, scenario, schedule);
}

void BuildTwoLevelRows(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const topology::Mesh2d mesh(scenario.ranks);
  AddPhases(mesh, LineOf(scenario, mesh.columns, 1), LineOf(scenario, mesh.rows, mesh.columns),
            scenario, schedule);
}

void EnumerateMesh2d(const Scenario& scenario, const Knobs& knobs, MessageSink sink) {
  const topology::Mesh2d mesh(scenario.ranks, knobs.columns);
  const auto bytes = static_cast<double>(scenario.block_bytes);
  // The ranks whose blocks for its column a rank holds.
  std::vector<int64_t> sources(static_cast<size_t>(mesh.ranks), 1);
  for (int64_t rank = 0; rank < mesh.ranks; ++rank) {
    for (int64_t column = 0; column < mesh.columns; ++column) {
      if (column == mesh.ColumnOf(rank)) continue;
      const int64_t peer = mesh.RowPeer(rank, column);
      sink({0, 0, rank, peer, Blocks(mesh.InColumn(column)) * bytes});
      ++sources[static_cast<size_t>(peer)];
    }
  }
  for (int64_t rank = 0; rank < mesh.ranks; ++rank) {
    for (int64_t peer = mesh.ColumnOf(rank); peer < mesh.ranks; peer += mesh.columns) {
      if (peer != rank)
        sink({1, 0, rank, peer, Blocks(sources[static_cast<size_t>(rank)]) * bytes});
    }
  }
}

}  // namespace cox::strategy
