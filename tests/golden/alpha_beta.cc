// L. V. Kale, S. Kumar, K. Varadarajan, A framework for collective personalized communication,
// 2003. Uses the alpha and beta of the paper's example; the paper names no machine for them.
#include <algorithm>
#include <map>

#include "alpha_beta_forms.h"
#include "checks.h"
#include "pricing.h"
#include "topology/virtual_topology.h"

namespace cox::golden {
namespace {

constexpr AlphaBeta kExample = {5e-6, 3.33e-9};
constexpr Personalized kThousand = {1024, 76};
constexpr Personalized kLemieux = {2048, 476};

Quantity Us(double seconds) { return {seconds * 1e6}; }
Quantity Ms(double seconds) { return {seconds * 1e3}; }

// The general path: the strategy's own messages, priced by Hockney's model.
double General(absl::string_view strategy, int64_t ranks, int64_t block_bytes) {
  return Price("hockney", {{"alpha", kExample.alpha_s}, {"beta", kExample.beta_s_per_byte}},
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

// The cost of a byte by Eq. (9) over its cost by Eq. (5), if every rank sends to every rank.
Quantity HypercubeBytesRatio() {
  const AlphaBeta bytes_only = {0, kExample.beta_s_per_byte};
  return {ManyToManyHypercubeSeconds(bytes_only, kThousand, kThousand.processors) /
          HypercubeSeconds(bytes_only, kThousand, 0)};
}

constexpr Computation kComputations[] = {
    {"K-1", [] { return Ms(General("alltoall/linear", 1000, 100)); }},
    {"K-2", [] { return Us(DimensionsSeconds(kExample, kThousand, 2)); }},
    {"K-3", [] { return Us(LargeDimensionsSeconds(kExample, kThousand, 2)); }},
    {"K-4", [] { return Us(DimensionsSeconds(kExample, kThousand, 3)); }},
    {"K-5", [] { return Us(GridWithHolesSeconds(kExample, kThousand, 0)); }},
    {"K-6", [] { return Us(GridWithHolesSeconds(kExample, kThousand, 1)); }},
    {"K-7", [] { return Us(General("alltoall/hypercube", 1024, 76)); }},
    {"K-8", [] { return Us(HypercubeSeconds(kExample, kThousand, 1)); }},
    {"K-9", [] { return Us(General("alltoall/pairwise", 1024, 76)); }},
    {"K-10", [] { return PeersOf(12); }},
    {"K-11", [] { return PeersOf(13); }},
    {"K-12", [] { return Quantity{static_cast<double>(ExtraReceives(11)[3])}; }},
    {"K-13", MostExtraReceives},
    {"K-14", [] { return Quantity{static_cast<double>(topology::Hypercube(9).HostOf(8))}; }},
    {"K-15", [] { return Us(ManyToManySeconds(kExample, kThousand, 1024, 2)); }},
    {"K-16", HypercubeBytesRatio},
    {"K-17", [] { return Quantity{MeshGridCrossover(kExample, kLemieux)}; }},
    {"K-19",
     [] {
       return Ms(DimensionsSeconds(kExample, {2048, 76}, 2));
     }},
};

}  // namespace

absl::Span<const Computation> AlphaBetaComputations() { return kComputations; }

}  // namespace cox::golden
