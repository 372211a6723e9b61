#include "collectives/protocols/broadcast_tree.h"

#include <algorithm>
#include <cmath>

#include "topology/near_tree.h"
#include "topology/postal_tree.h"

namespace cox::collectives {
namespace {

enum Kind : int { kBinomial, kPostal };

constexpr AlgorithmRow kBroadcastRows[] = {{kBinomial, "binomial", "", 0},
                                           {kPostal, "postal", "latency", 1}};

BroadcastPeers NearPeers(int ranks, int root, int rank) {
  const topology::NearTree tree{ranks, root};
  BroadcastPeers peers;
  peers.parent = static_cast<int>(tree.ParentOf(rank));
  for (int64_t distance = 1; distance < ranks; distance *= 2) {
    const int64_t child = tree.ChildAt(rank, distance);
    if (child >= 0) peers.children.push_back(static_cast<int>(child));
  }
  return peers;
}

BroadcastPeers PostalPeers(int ranks, int root, int rank, int64_t latency) {
  // From a latency of `ranks` on, the root sends to every rank: a longer one changes nothing.
  const int64_t most = std::min<int64_t>(ranks, topology::PostalTree::kMaxLatency);
  const topology::PostalTree tree(ranks, root, std::clamp<int64_t>(latency, 1, most));
  const topology::PostalTree::Place place = tree.PlaceOf(rank);
  return {static_cast<int>(place.parent), {place.children.begin(), place.children.end()}};
}

}  // namespace

std::span<const AlgorithmRow> BroadcastRows() { return kBroadcastRows; }

BroadcastPeers PeersOf(const AlgorithmChoice& choice, int ranks, int root, int rank) {
  return choice.id == kBinomial ? NearPeers(ranks, root, rank)
                                : PostalPeers(ranks, root, rank, choice.knob);
}

AlgorithmChoice ChooseBroadcast(double bytes, const domain::CostProfile& costs) {
  const double message_s = costs.alpha_s + bytes * costs.beta_s_per_byte;
  const double processor_s = costs.alpha_cpu_s + bytes * costs.beta_cpu_s_per_byte;
  const double start_s = std::max(processor_s, costs.gap_s);
  if (!(start_s > 0)) return {kBinomial, 0};
  const double sending_s = std::max(start_s, bytes * costs.beta_s_per_byte);
  constexpr double kMost = topology::PostalTree::kMaxLatency;
  const double latency = std::clamp(std::round(message_s / sending_s), 1.0, kMost);
  if (latency == 1) return {kBinomial, 0};
  return {kPostal, static_cast<int64_t>(latency)};
}

}  // namespace cox::collectives
