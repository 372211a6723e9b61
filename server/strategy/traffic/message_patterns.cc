#include "strategy/traffic/message_patterns.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "domain/errors.h"
#include "strategy/kernels/ranks.h"
#include "topology/powers_of_two.h"
#include "topology/roots.h"

namespace cox::strategy {
namespace {

using Messages = std::vector<model::Transfer>;

void Append(int64_t source, int64_t destination, double bytes, Messages* messages) {
  if (source != destination) messages->push_back({source, destination, bytes});
}

void AppendShift(int64_t ranks, int64_t by, double bytes, Messages* messages) {
  const int64_t distance = (by % ranks + ranks) % ranks;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Append(rank, (rank + distance) % ranks, bytes, messages);
  }
}

void AppendTranspose(int64_t ranks, int64_t /*knob*/, double bytes, Messages* messages) {
  const int64_t side = WholeSquareRoot(ranks);
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Append(rank, rank % side * side + rank / side, bytes, messages);
  }
}

void AppendBitReversal(int64_t ranks, int64_t /*knob*/, double bytes, Messages* messages) {
  const int64_t bits = CeilLog2(ranks);
  for (int64_t rank = 0; rank < ranks; ++rank) {
    int64_t reversed = 0;
    for (int64_t bit = 0; bit < bits; ++bit) reversed = reversed * 2 + (rank >> bit & 1);
    Append(rank, reversed, bytes, messages);
  }
}

// SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators,
// 2014). Unlike the standard library's distributions, it gives the same numbers on every machine.
class Generator {
 public:
  explicit Generator(int64_t seed) : state_(static_cast<uint64_t>(seed)) {}

  // A number below `bound` > 0, uniform to one part in 2^40: bounds are at most 2^24.
  int64_t Below(int64_t bound) {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    mixed ^= mixed >> 31;
    return static_cast<int64_t>(mixed % static_cast<uint64_t>(bound));
  }

 private:
  uint64_t state_;
};

void AppendRandom(int64_t ranks, int64_t seed, double bytes, Messages* messages) {
  std::vector<int64_t> destinations(static_cast<size_t>(ranks));
  std::iota(destinations.begin(), destinations.end(), 0);
  Generator generator(seed);
  for (int64_t left = ranks; left > 1; --left) {
    std::swap(destinations[static_cast<size_t>(left - 1)],
              destinations[static_cast<size_t>(generator.Below(left))]);
  }
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Append(rank, destinations[static_cast<size_t>(rank)], bytes, messages);
  }
}

void AppendOneToAll(int64_t ranks, int64_t root, double bytes, Messages* messages) {
  for (int64_t rank = 0; rank < ranks; ++rank) Append(root, rank, bytes, messages);
}

void AppendAllToOne(int64_t ranks, int64_t root, double bytes, Messages* messages) {
  for (int64_t rank = 0; rank < ranks; ++rank) Append(rank, root, bytes, messages);
}

void AppendAllToAll(int64_t ranks, int64_t /*knob*/, double bytes, Messages* messages) {
  for (int64_t rank = 0; rank < ranks; ++rank) AppendOneToAll(ranks, rank, bytes, messages);
}

void AppendNeighbours(int64_t ranks, int64_t /*knob*/, double bytes, Messages* messages) {
  for (int64_t rank = 0; rank < ranks; ++rank) {
    if (rank > 0) Append(rank, rank - 1, bytes, messages);
    if (rank + 1 < ranks) Append(rank, rank + 1, bytes, messages);
  }
}

void AppendPlanes(int64_t ranks, int64_t /*knob*/, double bytes, Messages* messages) {
  for (int64_t rank = 0; rank + 1 < ranks; ++rank) Append(rank, rank + 1, bytes, messages);
}

bool AnyRanks(int64_t /*ranks*/) { return true; }
int64_t OnePerRank(int64_t ranks) { return ranks; }
int64_t TwoPerRank(int64_t ranks) { return 2 * ranks; }
int64_t AllPairs(int64_t ranks) { return ranks * (ranks - 1); }

constexpr absl::string_view kRoot = "root";

constexpr NamedPattern kPatterns[] = {
    {"shift", "by", 1, "every rank sends to the rank `by` places further, around the end", "",
     AnyRanks, OnePerRank, AppendShift},
    {"transpose", "", 0, "rank (i, j) of a square sends to rank (j, i)", "a square of ranks",
     topology::IsSquare, OnePerRank, AppendTranspose},
    {"bit-reversal", "", 0, "every rank sends to the one whose number reads backwards in binary",
     "a power of two of ranks", topology::IsPowerOfTwo, OnePerRank, AppendBitReversal},
    {"random", "seed", 1, "every rank sends to one other by a random permutation", "", AnyRanks,
     OnePerRank, AppendRandom},
    {"one-to-all", kRoot, 0, "the root sends to all others", "", AnyRanks, OnePerRank,
     AppendOneToAll},
    {"all-to-one", kRoot, 0, "all others send to the root", "", AnyRanks, OnePerRank,
     AppendAllToOne},
    {"all-to-all", "", 0, "every rank sends to every other", "", AnyRanks, AllPairs,
     AppendAllToAll},
    {"neighbours", "", 0, "ranks on a line exchange with the one before and the one after", "",
     AnyRanks, TwoPerRank, AppendNeighbours},
    {"planes", "", 0,
     "ranks on a line send to the next one: the first only sends, the last receives", "", AnyRanks,
     OnePerRank, AppendPlanes},
};

absl::StatusOr<const NamedPattern*> Find(absl::string_view name) {
  std::string known;
  for (const NamedPattern& pattern : kPatterns) {
    if (pattern.name == name) return &pattern;
    absl::StrAppend(&known, known.empty() ? "" : ", ", pattern.name);
  }
  return absl::NotFoundError(
      absl::StrCat("pattern \"", name, "\" is not known; choose from ", known));
}

// The value of a knob "by=3"; its default for "".
absl::StatusOr<int64_t> KnobOf(const NamedPattern& pattern, absl::string_view text, int64_t ranks) {
  int64_t value = pattern.knob_default;
  if (text.empty()) return value;
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  if (pattern.knob.empty() || parts.first != pattern.knob) {
    return domain::InvalidField("pattern",
                                absl::StrCat(pattern.name, " has no knob \"", parts.first, "\"",
                                             pattern.knob.empty() ? "" : ", only ", pattern.knob));
  }
  if (!absl::SimpleAtoi(parts.second, &value)) {
    return domain::InvalidField(
        "pattern", absl::StrCat(pattern.knob, "=", parts.second, " is not a whole number"));
  }
  if (pattern.knob == kRoot && (value < 0 || value >= ranks)) {
    return domain::InvalidField("pattern",
                                absl::StrCat("root ", value, " is not one of ", ranks, " ranks"));
  }
  return value;
}

}  // namespace

absl::Span<const NamedPattern> NamedPatterns() { return kPatterns; }

absl::StatusOr<std::vector<model::Transfer>> MessagesOf(absl::string_view text, int64_t ranks,
                                                        double bytes) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('?', 1));
  const absl::StatusOr<const NamedPattern*> pattern = Find(parts.first);
  if (!pattern.ok()) return pattern.status();
  if (ranks < 1 || ranks > kMaxPatternRanks) {
    return domain::InvalidField("ranks",
                                absl::StrCat(ranks, " is not between 1 and ", kMaxPatternRanks));
  }
  if (!std::isfinite(bytes) || bytes < 0) {
    return domain::InvalidField("block_bytes", absl::StrCat(bytes, " is not a size"));
  }
  const absl::StatusOr<int64_t> knob = KnobOf(**pattern, parts.second, ranks);
  if (!knob.ok()) return knob.status();
  if (!(*pattern)->fits(ranks)) {
    return absl::FailedPreconditionError(
        absl::StrCat((*pattern)->name, " needs ", (*pattern)->needs, ", not ", ranks));
  }
  Messages messages;
  if (ranks == 1) return messages;
  const int64_t count = (*pattern)->count(ranks);
  if (count > kMaxPatternMessages) {
    return domain::InvalidField(
        "pattern", absl::StrCat(count, " messages are more than ", kMaxPatternMessages));
  }
  messages.reserve(static_cast<size_t>(count));
  (*pattern)->append(ranks, *knob, bytes, &messages);
  return messages;
}

}  // namespace cox::strategy
