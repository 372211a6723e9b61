// Names the measurements that are worth most: those that improve the decisions most per second.
// Pure; any thread.
//
// A decision loses the time by which its algorithm is slower than the best one. A timing changes
// what is believed of an algorithm at its own place and, less, at places around it (worth.h). The
// worth of a measurement is the expected reduction of the loss, mean over all calls that the
// candidates name. Losses are differences of ln(time); a mean difference x is the share 1 - exp(-x)
// of the time, < 1: of the geometric mean over the calls. The candidates of one call that may be
// the best there are suggested together, and a call that was begun is finished first: only times of
// the same call compare algorithms without a growth law in between. Nothing is measured between the
// suggestions of one answer: after each one, only what is uncertain changes. So neighbours are not
// suggested together.
#ifndef COX_ADVISE_MEASURE_SUGGEST_H_
#define COX_ADVISE_MEASURE_SUGGEST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advise/machine_view.h"
#include "domain/sharing/caller_watch.h"

namespace cox::advise {

inline constexpr size_t kMaxMeasurements = 20'000;  // candidates of one question
inline constexpr size_t kMaxSuggestions = 1'000;

// A timing that could be taken: an algorithm of the library, or "default", in a call.
struct Measurement {
  std::string collective;
  std::string algorithm;
  int64_t nodes = 1;
  int64_t ppn = 1;
  int64_t ranks = 1;
  int64_t block_bytes = 0;
  int64_t type_bytes = 4;
};

struct Suggestion {
  size_t index = 0;             // among the candidates
  double predicted_time_s = 0;  // of one call; 0: not known
  double cost_s = 0;            // of the measurement: a job's part, and some calls
  double gain = 0;              // expected reduction of the loss, a share of the time, < 1
};

struct Suggestions {
  // Call by call: first those of which an algorithm was timed, then by the gain per second of all
  // algorithms that a call has here. A default that only jobs timed is timed again where jobs did
  // not time all algorithms of the call: without a benchmark of it no gain can be shown.
  std::vector<Suggestion> best;
  // The expected loss of the decisions of today against the likeliest better algorithm, a share of
  // the time, mean over the calls, < 1.
  double expected_loss = 0;
};

// What could be measured of a library, where nobody lists it: every algorithm that its table has of
// a collective that cox-bench times, and all that the machine's observations name, on all of the
// machine's nodes, half of them, a quarter and so on, and three quarters of each, with one rank on
// each node and one on each core, from 4 B to 1 MiB. At most kMaxMeasurements; empty where nothing
// is known of the library.
std::vector<Measurement> UsualMeasurements(const MachineView& machine, absl::string_view library);

// At most `count` of the candidates, 1 to kMaxSuggestions; none twice. Each candidate is valid as a
// Question of the library and names an algorithm; there are at most kMaxMeasurements. An algorithm
// without any estimate is believed to be like the others of its collective, and to differ from them
// by a factor of e. O(places) recommendations and O(candidates x places of their collective).
// Fails with CANCELLED only.
absl::StatusOr<Suggestions> SuggestMeasurements(const MachineView& machine,
                                                absl::string_view library,
                                                absl::Span<const Measurement> candidates,
                                                size_t count,
                                                const domain::IsCancelled& is_cancelled = {});

}  // namespace cox::advise

#endif  // COX_ADVISE_MEASURE_SUGGEST_H_
