// Infers the parameters of communication blocks from end-to-end measurements. A(n) is the time of a
// whole pattern without bytes, B(n) its time per byte of long messages. From both follow the blocks
// of processor and network, for the machines in the hyperbolic model's paper.
//
// Source: I. Stoica, F. Sultan, D. Keyes, Evaluating the hyperbolic model on a variety of
// architectures, 1996: sections 3.1 to 3.4, Eqs. (3) to (15), Table 1. The paper's limits lack the
// division by the bytes; B(n) here is lim T(x, n) / x. Pure functions, any thread. Times are in
// seconds; any other unit works if all values use it.
#ifndef COX_MODEL_ANALYSIS_BLOCK_INFERENCE_H_
#define COX_MODEL_ANALYSIS_BLOCK_INFERENCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "model/analysis/blocks.h"

namespace cox::model {

// The two blocks of a machine. The paper calls them w or p, and c or l.
struct MachineBlocks {
  Block processor;  // a workstation or node, sending or receiving
  Block network;    // the shared wire, a switch's channel, a mesh's link
};

enum class NetworkKind {
  kSharedMedium,  // Ethernet, FDDI: one wire for all
  kMultistage,    // SP2: a channel for each pair of a frame
  kMeshRow,       // Paragon: pairs on one row, all through the middle
};

// A(n) and B(n) of a pattern, as a block.
//
// Half a round trip of two: 2 a_w + a_c, max(b_w, b_c), Eq. (3).
Block HalfRoundTrip(const MachineBlocks& blocks);
// All-to-all among n >= 2 on a shared medium: 4 (n - 1) a_w + n (n - 1) a_c,
// max(2 (n - 1) b_w, n (n - 1) b_c), Eq. (4).
Block AllToAllBlock(const MachineBlocks& blocks, int64_t n);
// n >= 1 disjoint pairs whose messages share one network block:
//   multistage  2 a_p + n a_c    max(b_p, n b_c)   Eq. (8); the network block is the one that all
//                                                  share: (a_c, b_l / n) inside a frame,
//                                                  (a_c, b_l / 8) over 8 channels
//   mesh row    2 a_p + 2 n a_c  max(b_p, n b_c)   Eq. (12), i to 2 n - i + 1
// (A shared medium has the price of a multistage network: every pair uses the wire once.)
Block PairsBlock(NetworkKind kind, const MachineBlocks& blocks, int64_t n);

// Table 1: n >= 2 planes of a grid, one to a processor, each exchanged with both neighbours; the
// time of the slowest exchange. From n = 4 an inner plane:
//   shared medium  4 a_w + (n - 1) a_c   max(2 b_w, (n - 1) b_c)
//   multistage     4 a_p + a_l           max(2 b_p, b_l)
//   mesh row       4 a_p + 2 a_c         max(2 b_p, 2 b_c)
// For n = 3 one of the two has no other neighbour: 3 a_w for 4 a_w. For n = 2 neither has: 2 a_w,
// b_w for 2 b_w. The network's part stays.
// INVALID_ARGUMENT (field "n") for n < 2.
absl::StatusOr<Block> NeighbourExchange(NetworkKind kind, const MachineBlocks& blocks, int64_t n);

// How a measurement determines a parameter.
enum class Relation {
  kEqual,
  kUpperBound,  // it is at most the value
  kSumOnly,     // only the combination that the name spells out is known
};
absl::string_view RelationName(Relation relation);  // "equal", "upper bound", "sum"

struct InferredParameter {
  std::string name;  // "a_c", "b_w", or a combination: "2 a_p + a_c"
  double value = 0;
  Relation relation = Relation::kEqual;
};

struct Inference {
  std::vector<InferredParameter> parameters;
  // The n at which a larger n changed the estimate by less than kStoppingChange. 0 if the samples
  // end before that; the estimate is then that of the last sample.
  int64_t stopped_at_n = 0;

  const InferredParameter* Find(absl::string_view name) const;  // null when absent
};
inline constexpr double kStoppingChange = 0.05;

// The two limits of a pattern among n ranks, or n pairs; one of them may be missing. On Ethernet,
// where back-off is random, take the mean over the workstations; elsewhere the maximum.
struct LimitSample {
  int64_t n = 0;
  absl::optional<double> a_s;           // A(n)
  absl::optional<double> b_s_per_byte;  // B(n)
};

// An end-to-end time of a pattern among n ranks, or n pairs, with messages of `bytes` each.
struct PatternSeconds {
  int64_t n = 0;
  double bytes = 0;
  double time_s = 0;
};
// Messages of at most this size show A(n), of at least that size B(n).
inline constexpr double kShortBytes = 64;
inline constexpr double kLongBytes = 65536;

// The limits of a pattern's times, by growing n: A(n) is the median time of the shortest messages,
// B(n) that of the longest ones by their bytes; absent without short, or long, messages. O(k log k)
// for k times.
std::vector<LimitSample> LimitsOf(std::vector<PatternSeconds> times);

enum class SharedMediumEstimator {
  kPaper,  // a_c = A(n) / (n (n - 1)), Eq. (5): too large by 4 a_w / n
  kExact,  // a_c = (A(n) - 2 (n - 1) R) / ((n - 1) (n - 2)), from Eqs. (3) and (4); n >= 3
};

// Ethernet, FDDI: infers a_c, a_w, b_c, b_w from half a round trip (a = R, b = max(b_w, b_c)) and
// all-to-all among growing n. b_c = B(n) / (n (n - 1)) at the largest n; an upper bound if the
// workstations' 2 b_w / n agrees with it within kStoppingChange, or exceeds it. b_w is the round
// trip's b if that exceeds b_c; otherwise the wire hides it: an upper bound. The paper's a_c is an
// upper bound if the samples end before it settles; then only "2 a_w + a_c" tells of a_w. An a_c
// below 0 is too small to measure: the result then has only the sum "2 a_w + a_c". INVALID_ARGUMENT
// for samples without a growing n >= 3 of either kind, for values that are negative or not finite,
// and for values that contradict each other (a_w below 0).
absl::StatusOr<Inference> InferSharedMedium(const Block& half_round_trip,
                                            absl::Span<const LimitSample> all_to_all,
                                            SharedMediumEstimator estimator);

// SP2: infers from n disjoint pairs inside a frame (B = max(b_p, b_l)) and across two frames joined
// by `channels` >= 1 channels (B(n) = max(b_p, n b_l / channels) for n >= channels; fewer pairs
// across say nothing). Where B across frames exceeds B inside, "b_l across frames" = channels B(n)
// / n. If the inside B agrees with it
// within kStoppingChange, the inside B is b_l and bounds b_p. If the inside B is larger, it is b_p.
// If the inside B is smaller, or without a larger B across frames, it bounds both. a_c is the slope
// of the inside A(n) over n, if A grows by more than kStoppingChange of its mean. Otherwise only "2
// a_p + a_c" is known, from half_round_trip_s. INVALID_ARGUMENT for no B inside a frame, n or
// channels < 1, and values that are negative or not finite.
absl::StatusOr<Inference> InferMultistage(double half_round_trip_s,
                                          absl::Span<const LimitSample> inside,
                                          absl::Span<const LimitSample> across, int64_t channels);

// Paragon: infers from n pairs on one row, n growing from 1. b_c = B(n) / n, Eq. (14), at the n
// where another pair changes it by less than kStoppingChange and B(n) exceeds B(1) by more than
// that (otherwise an upper bound). b_p = B(1) if that exceeds b_c, otherwise B(1) is its upper
// bound. a_c is half the slope of A(n) over n, if A grows by more than kStoppingChange of its mean.
// Otherwise only "a_p + a_c" = A(1) / 2 is known. INVALID_ARGUMENT for samples whose first is not
// A(1) and B(1), that do not grow, or whose values are negative or not finite.
absl::StatusOr<Inference> InferMeshRow(absl::Span<const LimitSample> pairs);

}  // namespace cox::model

#endif  // COX_MODEL_ANALYSIS_BLOCK_INFERENCE_H_
