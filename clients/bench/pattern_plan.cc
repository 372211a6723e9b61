#include "bench/pattern_plan.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace cox::bench {
namespace {

constexpr KindCard kKinds[] = {
    {Kind::kPingPong, "pingpong", "half a round trip, 1..k pairs at once"},
    {Kind::kGap, "gap", "half of a train of messages there and back"},
    {Kind::kOverheadSend, "overhead_send", "the call that hands a message to MPI"},
    {Kind::kOverheadReceive, "overhead_recv",
     "time that an arriving message takes from the receiver's computation"},
    {Kind::kNotice, "notice", "receiving a message that has arrived"},
    {Kind::kConverge, "converge", "several ranks send to one; until it has all messages"},
    {Kind::kFlood, "flood", "the same; until MPI has all messages of the senders"},
    {Kind::kHRelation, "h_relation", "each sender sends to several ranks; then a barrier"},
    {Kind::kScatter, "scatter", "one rank sends to all others; then a barrier"},
    {Kind::kPermutation, "permutation", "several ranks send one word each, to different ranks"},
    {Kind::kBlockPermutation, "block_permutation", "every rank sends and receives one block"},
    {Kind::kBarrier, "barrier", "a barrier alone"},
    {Kind::kCopy, "copy", "bytes from memory to memory"},
    {Kind::kReduce, "reduce", "bytes combined by a reduction operation"},
};
constexpr KindCard kBlockKinds[] = {
    {Kind::kPingPong, "pingpong", "half a round trip of two ranks"},
    {Kind::kAllToAll, "alltoall", "n ranks send to all others, until they have all messages"},
    {Kind::kPairs, "pairs", "half a round trip of n pairs at once"},
    {Kind::kPairsAcross, "pairs_across", "the same, across two frames"},
};

constexpr int64_t kWordBytes = 4;
// Messages of a train, and of one sender of a flood, which also has a limit in bytes.
constexpr int64_t kTrains[] = {2, 8, 32};
constexpr int64_t kOverheadTrain = 16;
constexpr int64_t kConvergeEach = 8;
constexpr int64_t kFloods[] = {4, 16, 64, 256, 1024};
constexpr int64_t kFloodBytes = int64_t{8} << 20;
constexpr int64_t kLocalSizes[] = {1 << 10, 1 << 13, 1 << 16, 1 << 18, 1 << 20, 1 << 22};

// 1, 2, 4, ... below `most`, and `most`.
std::vector<int64_t> Doubling(int64_t first, int64_t most) {
  std::vector<int64_t> counts;
  for (int64_t count = first; count < most; count *= 2) counts.push_back(count);
  if (most >= first) counts.push_back(most);
  return counts;
}

class Plan {
 public:
  Plan(const PatternShape& shape, absl::Span<const int64_t> sizes) : shape_(shape), sizes_(sizes) {}

  void Add(Kind kind) {
    if (kind == Kind::kPingPong) return;
    if (kind == Kind::kCopy || kind == Kind::kReduce) {
      for (const int64_t bytes : kLocalSizes) Keep({kind, "self", 1, 1, 1, bytes});
      return;
    }
    AddAt(kind, "node", shape_.node_ranks);
    AddAt(kind, "network", shape_.network_ranks);
  }

  std::vector<PatternCell> Cells() && {
    std::stable_sort(cells_.begin(), cells_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.level, a.ranks) < std::tie(b.level, b.ranks);
    });
    return std::move(cells_);
  }

 private:
  void Keep(PatternCell cell) {
    if (PatternBytes(cell) <= shape_.rank_bytes) cells_.push_back(std::move(cell));
  }

  void AddAt(Kind kind, const std::string& level, int64_t ranks) {
    if (ranks < 2) return;
    const int64_t even = ranks - ranks % 2;
    if (kind == Kind::kBarrier) {
      for (const int64_t count : Doubling(2, ranks)) Keep({kind, level, count, 0, 0, 0});
      return;
    }
    if (kind == Kind::kPermutation) {
      for (const int64_t count : Doubling(1, even / 2)) {
        Keep({kind, level, even, 1, count, kWordBytes});
      }
      if (even > 2) Keep({kind, level, even, 1, even, kWordBytes});
      return;
    }
    for (const int64_t bytes : sizes_) AddSize(kind, level, ranks, bytes);
  }

  void AddSize(Kind kind, const std::string& level, int64_t ranks, int64_t bytes) {
    switch (kind) {
      case Kind::kGap:
        for (const int64_t train : kTrains) Keep({kind, level, 2, train, 1, bytes});
        break;
      case Kind::kOverheadSend:
      case Kind::kOverheadReceive:
      case Kind::kNotice:
        Keep({kind, level, 2, kOverheadTrain, 1, bytes});
        break;
      case Kind::kConverge:
        for (const int64_t count : Doubling(3, ranks)) {
          Keep({kind, level, count, (count - 1) * kConvergeEach, count - 1, bytes});
        }
        break;
      case Kind::kFlood:
        // One size shows the limit: an ordinary packet's payload.
        if (ranks < 3 || bytes != FloodSize()) break;
        for (const int64_t each : kFloods) {
          if (each * bytes * (ranks - 1) > kFloodBytes) break;
          Keep({kind, level, ranks, each * (ranks - 1), ranks - 1, bytes});
        }
        break;
      case Kind::kHRelation:
        for (const int64_t h : Doubling(1, ranks - 1)) Keep({kind, level, ranks, h, ranks, bytes});
        if (ranks < 4) break;
        for (const int64_t h : Doubling(1, ranks - 1)) {
          Keep({kind, level, ranks, h, ranks / 2, bytes});
        }
        break;
      case Kind::kScatter:
        if (ranks > 2) Keep({kind, level, ranks, ranks - 1, 1, bytes});
        break;
      case Kind::kBlockPermutation: {
        const int64_t even = ranks - ranks % 2;
        Keep({kind, level, even, 1, even, bytes});
        break;
      }
      default:
        break;
    }
  }

  // The largest size up to 1 KiB, or the smallest of all.
  int64_t FloodSize() const {
    int64_t best = sizes_.front();
    for (const int64_t bytes : sizes_) {
      if (bytes <= 1024) best = bytes;
    }
    return best;
  }

  const PatternShape& shape_;
  absl::Span<const int64_t> sizes_;
  std::vector<PatternCell> cells_;
};

}  // namespace

absl::Span<const KindCard> Kinds() { return kKinds; }

absl::Span<const KindCard> BlockKinds() { return kBlockKinds; }

const KindCard* FindKind(absl::string_view name) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const KindCard& card) { return card.name == name; });
  return found == std::end(kKinds) ? nullptr : found;
}

absl::string_view KindName(Kind kind) {
  for (const absl::Span<const KindCard> cards : {Kinds(), BlockKinds()}) {
    for (const KindCard& card : cards) {
      if (card.kind == kind) return card.name;
    }
  }
  return "";
}

std::vector<PatternCell> PlanPatterns(absl::Span<const Kind> kinds, const PatternShape& shape,
                                      absl::Span<const int64_t> sizes) {
  Plan plan(shape, sizes);
  for (const Kind kind : kinds) plan.Add(kind);
  return std::move(plan).Cells();
}

// Each message has its own place in both buffers.
int64_t PatternBytes(const PatternCell& cell) {
  return 2 * std::max<int64_t>(1, cell.messages) * std::max<int64_t>(1, cell.block_bytes);
}

}  // namespace cox::bench
