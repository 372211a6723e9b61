// The catalogue of strategies: the one table of (collective, algorithm). A row says what the
// algorithm is and when it applies, builds its schedule in closed form, and enumerates its
// messages. Immutable, any thread.
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

// The numbers that tune an algorithm. 0 means "not set": the algorithm's default. An algorithm
// takes only the knobs that its row names.
struct Knobs {
  int64_t segment_bytes = 0;   // pipeline unit; 0: the whole message
  int64_t fanout = 0;          // chains that leave the root, or parts with a leader each
  int64_t window = 0;          // requests in flight, or senders at once; 0: default
  int64_t radix = 0;           // k of a k-nomial tree
  int64_t columns = 0;         // of a virtual mesh; 0: as near to a square as can be
  int64_t gamma_permille = 0;  // share that a part's leader keeps, per mille
  int64_t unit_ranks = 0;      // consecutive ranks with a leader; 0: those of a node
  friend bool operator==(const Knobs&, const Knobs&) = default;
};

// One message of an enumeration. phase: index into the schedule; repetition: 0..times-1 within it.
struct Message {
  int64_t phase;
  int64_t repetition;
  int64_t source;
  int64_t destination;
  double bytes;  // a message is cut into equal parts, so a fraction is possible
};
using MessageSink = absl::FunctionRef<void(const Message&)>;

struct Algorithm {
  domain::Collective collective;
  absl::string_view name;         // "binomial"
  absl::string_view description;  // one line
  absl::string_view knobs;        // comma list of the knobs it takes, "" for none
  absl::string_view source;       // where its structure is described

  // FAILED_PRECONDITION saying why this algorithm cannot run this scenario ("needs an even number
  // of ranks, not 7"); OK otherwise. The scenario is valid.
  absl::Status (*applies)(const Scenario& scenario, const Knobs& knobs);

  // Appends the phases to a cleared schedule; callers use Build(). Only for a scenario that
  // applies() accepts. O(phases) time, no allocation. p = 1 gives no traffic.
  void (*build)(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule);

  // Calls the sink for every message, phase by phase. For tests and small machines: O(messages).
  void (*enumerate)(const Scenario& scenario, const Knobs& knobs, MessageSink sink);
};

// All algorithms, grouped by collective.
absl::Span<const Algorithm> Catalogue();

// Null if the catalogue has no such row.
const Algorithm* FindAlgorithm(domain::Collective collective, absl::string_view name);

// A paper's name for an existing row. ParseStrategy() accepts it; FormatStrategy() writes the row's
// own name.
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

// Writes the schedule of a strategy into `schedule`, on the network of scenario.shape. The strategy
// applies to the scenario. O(phases) time, no allocation.
void Build(const Strategy& strategy, const Scenario& scenario, model::Schedule* schedule);

// Reads the written form. NOT_FOUND for an unknown collective or algorithm (the message lists the
// known ones). INVALID_ARGUMENT (field "strategy") for a knob that is unknown, malformed or
// negative.
absl::StatusOr<Strategy> ParseStrategy(absl::string_view text);
std::string FormatStrategy(const Strategy& strategy);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_CATALOGUE_H_
