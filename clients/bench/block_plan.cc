#include "bench/block_plan.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "console/units.h"

namespace cox::bench {
namespace {

constexpr NetworkCard kNetworks[] = {
    {Network::kSharedMedium, "shared-medium",
     "one wire for all: ping-pongs, and alltoalls among 2, 3, ... ranks"},
    {Network::kMultistage, "multistage",
     "a channel for each pair: 1, 2, ... pairs inside a frame, and across two frames"},
    {Network::kMeshRow, "mesh-row", "a row of a mesh: 1, 2, ... pairs, all through its middle"},
};

constexpr int64_t kEveryCount = 8;  // up to here n grows one by one

// Ranks, or pairs, that a kind can have on these frames.
struct Reach {
  Kind kind;
  int64_t least;
  int64_t most;
};

std::vector<Reach> ReachOf(Network network, const Frames& frames) {
  const auto first = static_cast<int64_t>(frames.first.size());
  const auto second = static_cast<int64_t>(frames.second.size());
  switch (network) {
    case Network::kSharedMedium:
      return {{Kind::kPingPong, 2, 2}, {Kind::kAllToAll, 2, first}};
    case Network::kMultistage:
      return {{Kind::kPingPong, 2, 2},
              {Kind::kPairs, 1, first / 2},
              {Kind::kPairsAcross, 1, std::min(first, second)}};
    case Network::kMeshRow:
      break;
  }
  return {{Kind::kPairs, 1, first / 2}};
}

std::vector<int64_t> UsualCounts(int64_t most) {
  std::vector<int64_t> counts;
  for (int64_t n = 1; n <= most; n += n < kEveryCount ? 1 : n) counts.push_back(n);
  return counts;
}

// The first `n` of the one, then the first `n` of the other: pair i is rank i and rank n + i.
std::vector<int> Paired(const std::vector<int>& one, const std::vector<int>& other, int64_t n) {
  std::vector<int> ranks(one.begin(), one.begin() + n);
  ranks.insert(ranks.end(), other.begin(), other.begin() + n);
  return ranks;
}

std::vector<int> RanksOf(Kind kind, Network network, const Frames& frames, int64_t n) {
  const std::vector<int>& first = frames.first;
  if (kind == Kind::kAllToAll) return {first.begin(), first.begin() + n};
  if (kind == Kind::kPingPong) return Paired(first, {first[1]}, 1);
  if (kind == Kind::kPairsAcross) return Paired(first, frames.second, n);
  std::vector<int> others(first.begin() + n, first.begin() + 2 * n);
  if (network == Network::kMeshRow) std::reverse(others.begin(), others.end());
  return Paired(first, others, n);
}

PatternCell PatternOf(Kind kind, int64_t n, int64_t block_bytes) {
  if (kind == Kind::kAllToAll) return {kind, "", n, n - 1, n, block_bytes};
  const int64_t pairs = kind == Kind::kPingPong ? 1 : n;
  return {kind, "", 2 * pairs, 1, pairs, block_bytes};
}

absl::Status CheckRanks(Network network, const Frames& frames) {
  const size_t least = network == Network::kSharedMedium ? 3 : 2;
  if (frames.first.size() >= least) return absl::OkStatus();
  const char* where = network == Network::kMultistage
                          ? " ranks in a frame: start more on a node, or give --frame-nodes"
                          : " ranks, each on its own node or all on one node";
  return absl::InvalidArgumentError(
      absl::StrCat("blocks --network ", NetworkName(network), " needs ", least, where));
}

absl::Status CheckCounts(absl::Span<const int64_t> counts, absl::Span<const Reach> reaches) {
  int64_t least = 2;
  int64_t most = 0;
  for (const Reach& reach : reaches) {
    if (reach.kind == Kind::kPingPong) continue;
    least = std::min(least, reach.least);
    most = std::max(most, reach.most);
  }
  for (const int64_t n : counts) {
    if (n >= least && n <= most) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--n: ", n, " is not between ", least, " and ", most,
                     ", the fewest and the most that this job can time at once"));
  }
  return absl::OkStatus();
}

absl::Status CheckBuffers(const PatternCell& cell, int64_t rank_bytes) {
  if (PatternBytes(cell) <= rank_bytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--sizes: ", KindName(cell.kind), " of ", console::FormatBytes(cell.block_bytes), " among ",
      cell.ranks, " ranks needs ", PatternBytes(cell) >> 20, " MiB of each rank, more than the ",
      rank_bytes >> 20, " MiB that it may use; give smaller sizes or --n"));
}

}  // namespace

absl::Span<const NetworkCard> Networks() { return kNetworks; }

const NetworkCard* FindNetwork(absl::string_view name) {
  const auto* found = std::find_if(std::begin(kNetworks), std::end(kNetworks),
                                   [&](const NetworkCard& card) { return card.name == name; });
  return found == std::end(kNetworks) ? nullptr : found;
}

absl::string_view NetworkName(Network network) {
  return std::find_if(std::begin(kNetworks), std::end(kNetworks),
                      [&](const NetworkCard& card) { return card.network == network; })
      ->name;
}

Frames FramesOf(absl::Span<const std::vector<int>> nodes, Network network, int64_t frame_nodes) {
  if (nodes.size() == 1) return {nodes[0], {}};
  if (network == Network::kMultistage && frame_nodes == 0) {
    return {nodes[0],
            *std::max_element(nodes.begin() + 1, nodes.end(),
                              [](const auto& a, const auto& b) { return a.size() < b.size(); })};
  }
  const size_t size =
      network == Network::kMultistage ? static_cast<size_t>(frame_nodes) : nodes.size();
  Frames frames;
  for (const std::vector<int>& node : nodes) {
    if (frames.first.size() < size) {
      frames.first.push_back(node.front());
    } else if (frames.second.size() < size) {
      frames.second.push_back(node.front());
    }
  }
  return frames;
}

absl::StatusOr<std::vector<BlockCell>> PlanBlocks(Network network, const Frames& frames,
                                                  absl::Span<const int64_t> counts,
                                                  absl::Span<const int64_t> sizes,
                                                  int64_t rank_bytes) {
  const std::vector<Reach> reaches = ReachOf(network, frames);
  absl::Status status = CheckRanks(network, frames);
  if (status.ok()) status = CheckCounts(counts, reaches);
  if (!status.ok()) return status;
  std::vector<BlockCell> cells;
  for (const Reach& reach : reaches) {
    std::vector<int64_t> wanted(counts.begin(), counts.end());
    if (wanted.empty()) wanted = UsualCounts(reach.most);
    if (reach.kind == Kind::kPingPong) wanted = {2};
    for (const int64_t n : wanted) {
      if (n < reach.least || n > reach.most) continue;
      for (const int64_t bytes : sizes) {
        BlockCell cell = {PatternOf(reach.kind, n, bytes), n,
                          RanksOf(reach.kind, network, frames, n)};
        status = CheckBuffers(cell.pattern, rank_bytes);
        if (!status.ok()) return status;
        cells.push_back(std::move(cell));
      }
    }
  }
  return cells;
}

}  // namespace cox::bench
