// L. V. Kale, S. Kumar, K. Varadarajan, A framework for collective personalized communication,
// 2003. Uses the alpha and beta of the paper's example; the paper names no machine for them.
#include <algorithm>
#include <map>
#include <vector>

#include "checks.h"
#include "model/transfer.h"
#include "pricing.h"
#include "strategy/traffic/many_to_many.h"
#include "strategy/traffic/message_patterns.h"
#include "topology/virtual_topology.h"

namespace cox::golden {
namespace {

constexpr double kAlphaS = 5e-6;
constexpr double kBetaSPerByte = 3.33e-9;

Quantity Us(double seconds) { return {seconds * 1e6}; }
Quantity Ms(double seconds) { return {seconds * 1e3}; }

// The general path: the strategy's own messages, priced by Hockney's model.
double General(absl::string_view strategy, int64_t ranks, int64_t block_bytes) {
  return Price("hockney", {{"alpha", kAlphaS}, {"beta", kBetaSPerByte}},
               ScheduleOf(strategy, ranks, block_bytes));
}

// The ranks that a node of the last row sends to for columns 2 and 3 of 14 nodes: holes of its row.
Quantity PeersOf(int64_t node) {
  const topology::Mesh2d mesh(14);
  return {static_cast<double>(mesh.RowPeer(node, 2)), static_cast<double>(mesh.RowPeer(node, 3))};
}

// Messages that each rank receives in the first phase from other rows.
std::map<int64_t, int64_t> ExtraReceives(int64_t ranks) {
  const topology::Mesh2d mesh(ranks);
  std::map<int64_t, int64_t> extra;
  for (int64_t rank = (mesh.rows - 1) * mesh.columns; rank < ranks; ++rank) {
    for (int64_t column = 0; column < mesh.columns; ++column) {
      if (column == mesh.ColumnOf(rank)) continue;
      const int64_t peer = mesh.RowPeer(rank, column);
      if (mesh.RowOf(peer) != mesh.RowOf(rank)) ++extra[peer];
    }
  }
  return extra;
}

Quantity MostExtraReceives() {
  int64_t most = 0;
  for (int64_t ranks = 1; ranks < 2000; ++ranks) {
    for (const auto& [rank, count] : ExtraReceives(ranks)) most = std::max(most, count);
  }
  return {static_cast<double>(most)};
}

// A byte to every rank, combined on the hypercube as any pattern of messages is, over the same as
// an all-to-all.
Quantity ManyToManyOverAllToAll() {
  constexpr int64_t kRanks = 64;
  constexpr int64_t kBytes = 76;
  model::Schedule schedule;
  const std::vector<model::Transfer> messages =
      *strategy::MessagesOf("all-to-all", kRanks, static_cast<double>(kBytes));
  if (!strategy::BuildManyToMany(strategy::Route::kHypercube, messages, {.ranks = kRanks}, {},
                                 &schedule)
           .ok()) {
    return {};
  }
  const NamedValues bytes_only = {{"alpha", 0}, {"beta", kBetaSPerByte}};
  return {Price("hockney", bytes_only, schedule) /
          Price("hockney", bytes_only, ScheduleOf("alltoall/hypercube", kRanks, kBytes))};
}

constexpr Computation kComputations[] = {
    {"K-1", [] { return Ms(General("alltoall/linear", 1000, 100)); }},
    {"K-2", [] { return Us(General("alltoall/mesh2d", 1024, 76)); }},
    {"K-4", [] { return Us(General("alltoall/grid3d", 4096, 76)); }},
    {"K-7", [] { return Us(General("alltoall/hypercube", 1024, 76)); }},
    {"K-9", [] { return Us(General("alltoall/pairwise", 1024, 76)); }},
    {"K-10", [] { return PeersOf(12); }},
    {"K-11", [] { return PeersOf(13); }},
    {"K-12", [] { return Quantity{static_cast<double>(ExtraReceives(11)[3])}; }},
    {"K-13", MostExtraReceives},
    {"K-14", [] { return Quantity{static_cast<double>(topology::Hypercube(9).HostOf(8))}; }},
    {"K-16", ManyToManyOverAllToAll},
};

}  // namespace

absl::Span<const Computation> AlphaBetaComputations() { return kComputations; }

}  // namespace cox::golden
