// Message patterns as lists: named ones, and any list summed into the traffic of one phase, which
// every model can price. Pure functions, any thread.
//
// Sources of the named patterns: S. E. Hambrusch, A. A. Khokhar, C3: an architecture-independent
// model for coarse-grained parallel machines, section 3 (permutations, one-to-all, all-to-one,
// all-to-all); I. Stoica, F. Sultan, D. Keyes, Evaluating the hyperbolic model on a variety of
// architectures, 1996, Table 1 (planes: the first and the last pass data one way only).
#ifndef COX_STRATEGY_TRAFFIC_MESSAGE_PATTERNS_H_
#define COX_STRATEGY_TRAFFIC_MESSAGE_PATTERNS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/schedule.h"
#include "model/traffic.h"
#include "model/transfer.h"
#include "strategy/scenario.h"

namespace cox::strategy {

inline constexpr int64_t kMaxPatternRanks = int64_t{1} << 24;
inline constexpr int64_t kMaxPatternMessages = 4'000'000;

// A named pattern, written "shift?by=3". A rank sends nothing to itself.
struct NamedPattern {
  absl::string_view name;
  absl::string_view knob;  // the knob that it takes, "" for none
  int64_t knob_default;
  absl::string_view description;  // one line
  absl::string_view needs;        // condition on the number of ranks, "" for none

  // Whether it fits this number of ranks, and below, an upper bound of its number of messages.
  bool (*fits)(int64_t ranks);
  int64_t (*count)(int64_t ranks);
  // Appends its messages of `bytes` each. For a number of ranks >= 2 that it fits.
  void (*append)(int64_t ranks, int64_t knob, double bytes, std::vector<model::Transfer>* messages);
};

// All named patterns.
absl::Span<const NamedPattern> NamedPatterns();

// The messages of the pattern `text`, in order of source, each of `bytes` >= 0; none for one rank.
// The result is the same on every machine, even for "random". NOT_FOUND for an unknown name (the
// message lists the known ones). INVALID_ARGUMENT for a knob that is unknown, malformed or out of
// range (field "pattern"), ranks outside 1 .. kMaxPatternRanks, invalid bytes, or more than
// kMaxPatternMessages. FAILED_PRECONDITION for a number of ranks that it does not fit.
absl::StatusOr<std::vector<model::Transfer>> MessagesOf(absl::string_view text, int64_t ranks,
                                                        double bytes);

// The messages as one phase: all sent at once, on the nodes of scenario.ranks, ppn and placement.
// Several messages of a pair count as several messages of one pair. A rank's message to itself is
// copied, not sent: the phase's local work. O(messages + ranks) time.
//
// INVALID_ARGUMENT with the field for a scenario that Validate() refuses or of more than
// kMaxPatternRanks, more than kMaxPatternMessages, or a message with a rank out of range or bytes
// that are negative or not finite ("messages[i].source").
absl::StatusOr<model::Phase> TrafficOf(absl::Span<const model::Transfer> messages,
                                       const Scenario& scenario);

// The same as a schedule of that one phase, on the network of scenario.shape. Only messages to
// oneself: a phase without traffic.
absl::Status BuildPattern(absl::Span<const model::Transfer> messages, const Scenario& scenario,
                          model::Schedule* schedule);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_TRAFFIC_MESSAGE_PATTERNS_H_
