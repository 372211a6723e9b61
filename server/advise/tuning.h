// Decision tables: what a job's library is to run, size by size. Pure; any thread.
#ifndef COX_ADVISE_TUNING_H_
#define COX_ADVISE_TUNING_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "advise/machine_view.h"
#include "library/decision_table.h"

namespace cox::advise {

struct TuningQuestion {
  library::TunedJob job;
  std::vector<std::string> collectives;  // empty: all that the library has rows for
};

// A table per collective asked about, in that order (the catalogue's order for all). UNIMPLEMENTED
// for a library without rows, INVALID_ARGUMENT with the field for a bad shape or collective.
absl::StatusOr<std::vector<library::DecisionTable>> BuildDecisionTables(
    const MachineView& machine, const TuningQuestion& question);

}  // namespace cox::advise

#endif  // COX_ADVISE_TUNING_H_
