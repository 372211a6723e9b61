// Decision tables: what a job's library should run at each size. Pure; any thread.
#ifndef COX_ADVISE_TUNING_TUNING_H_
#define COX_ADVISE_TUNING_TUNING_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advise/machine_view.h"
#include "advise/placement/network.h"
#include "advise/recommend.h"
#include "domain/collective.h"
#include "domain/sharing/caller_watch.h"
#include "domain/sharing/in_parts.h"
#include "library/algorithm.h"
#include "library/decision_table.h"
#include "strategy/scenario.h"

namespace cox::advise {

struct TuningQuestion {
  library::TunedJob job;
  std::vector<std::string> collectives;  // empty: all that the library has rows for
  // A second library whose algorithms can replace the job's own; "": none. It takes part in the
  // collectives that it lists and whose size all ranks know.
  std::string second_library{};
  // The rows are applied call by call, by their sizes, and must be right for any program.
  bool by_call = false;
  // The job's nodes, job.nodes of them; their links are priced. Null: not known.
  const NodesInUse* nodes_in_use = nullptr;
};

// The question about one collective: the default, and all of the library's algorithms that are
// right for every call and never replaced by another. The caller sets block_bytes.
Question QuestionFor(const TuningQuestion& question, domain::Collective collective);

// The promise of `cox --assume` that a table still needs before it may hold `row`; "" if it needs
// none. A call by itself may be known to keep it.
absl::string_view MissingPromise(const library::Algorithm& row, const library::Assumptions& assume);

// The row that runs a candidate, without size and times. "default" leaves it to the library.
library::DecisionRow RowFor(const TuningQuestion& question, domain::Collective collective,
                            const Candidate& candidate);

// A table per collective asked about, in that order (the catalogue's order for all). UNIMPLEMENTED
// for a library without rows, INVALID_ARGUMENT with the field for a bad shape or collective,
// CANCELLED. `in_parts` may decide for several collectives at the same time, and then calls
// `is_cancelled` on several threads.
absl::StatusOr<std::vector<library::DecisionTable>> BuildDecisionTables(
    const MachineView& machine, const TuningQuestion& question,
    const domain::IsCancelled& is_cancelled = {}, const domain::InParts& in_parts = {});

}  // namespace cox::advise

#endif  // COX_ADVISE_TUNING_TUNING_H_
