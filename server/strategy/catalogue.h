// The catalogue of strategies: the one table of (collective, algorithm) with what each one is, when
// it applies, its schedule in closed form and the enumeration of its messages. Immutable, any
// thread.
//
// A strategy is written "collective/algorithm?knob=value&...": "bcast/chain?segment=8192&fanout=4".
#ifndef COX_STRATEGY_CATALOGUE_H_
#define COX_STRATEGY_CATALOGUE_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/collective.h"
#include "model/schedule.h"
#include "strategy/scenario.h"

namespace cox::strategy {

// The numbers that tune an algorithm. 0 means "not set": the algorithm's own default. Only the
// knobs that an algorithm's row names may be set.
struct Knobs {
  int64_t segment_bytes = 0;   // "segment": pipeline unit; 0: the whole message in one
  int64_t fanout = 0;          // "fanout": chains leaving the root
  int64_t window = 0;          // "window": requests in flight, senders at once; 0: all
  int64_t radix = 0;           // "radix": a k-nomial tree's k
  int64_t gamma_permille = 0;  // "gamma": share of a part that its leader keeps, per mille
  friend bool operator==(const Knobs&, const Knobs&) = default;
};

// One message of an enumeration. phase: index into the schedule; repetition: 0..times-1 within it.
struct Message {
  int64_t phase;
  int64_t repetition;
  int64_t source;
  int64_t destination;
  double bytes;  // parts of a message that is cut are equal: a fraction where it does not come out
                 // even
};
using MessageSink = absl::FunctionRef<void(const Message&)>;

struct Algorithm {
  domain::Collective collective;
  absl::string_view name;         // "binomial"
  absl::string_view description;  // one line
  absl::string_view knobs;        // comma list of the knobs it takes, "" for none
  absl::string_view source;       // where its structure is described

  // FAILED_PRECONDITION saying why this algorithm cannot run this scenario as itself ("needs an
  // even number of ranks, not 7"); OK otherwise. The scenario is valid.
  absl::Status (*applies)(const Scenario& scenario, const Knobs& knobs);

  // Appends the phases to a cleared schedule; callers use Build(). Only for a scenario that
  // applies(). O(phases) time, no allocation. p = 1 gives no traffic.
  void (*build)(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);

  // Calls sink for every message, phase by phase. For tests and small machines: O(messages).
  void (*enumerate)(const Scenario& scenario, const Knobs& knobs, MessageSink sink);
};

// All algorithms, grouped by collective.
absl::Span<const Algorithm> Catalogue();

// Null when the catalogue has no such row.
const Algorithm* FindAlgorithm(domain::Collective collective, absl::string_view name);

// Other names by which papers call what is a row already. ParseStrategy() takes them,
// FormatStrategy() writes the row's own name.
struct Alias {
  domain::Collective collective;
  absl::string_view alias;
  absl::string_view name;  // of the row
};
absl::Span<const Alias> Aliases();

// An algorithm with its knobs set.
struct Strategy {
  const Algorithm* algorithm = nullptr;
  Knobs knobs;
};

// Writes the strategy's schedule for a scenario that it applies to into `schedule`, on the network
// of scenario.shape. O(phases) time, no allocation.
void Build(const Strategy& strategy, const Scenario& scenario, model::Schedule* schedule);

// Reads the written form. NOT_FOUND for an unknown collective or algorithm (the message lists those
// there are), INVALID_ARGUMENT (field "strategy") for a knob that is unknown, malformed or
// negative.
absl::StatusOr<Strategy> ParseStrategy(absl::string_view text);
std::string FormatStrategy(const Strategy& strategy);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_CATALOGUE_H_
