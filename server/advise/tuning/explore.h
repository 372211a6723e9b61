// Plans trials: algorithms other than the best known one that are worth running at some size in a
// job that is about to start. Off unless a job allows a share of its time for them. Pure,
// deterministic for the same view; any thread.
//
// The observations of the job's shape show what it spends its time on; without any, there are no
// trials. A trial is worth the seconds by which it reduces the expected loss of later decisions, at
// all sizes of the job (job_beliefs.h: the estimate of suggested measurements). It costs the
// seconds by which its calls are expected to take longer. The trials with the most worth per second
// of cost are granted first, one for each range of sizes. A few sizes between a power of two and
// the next stand for all (job_beliefs.h), so the work is bounded. There is no trial of an algorithm
// - that is unsafe for some call, that the library would replace by another one, or without an
//   estimate;
// - whose code was timed at this size already, under any name, so that trials end. Where calls are
//   sampled with ranks that enter together, and this algorithm's were not, they end a little later;
// - that is worth less than 2 % of the time at its own sizes;
// - while earlier trials have cost more than the share. Most calls of an earlier choice are no cost
//   of trials, although later choices are faster.
// A trial that costs more than the rest of the share runs only in as many jobs as pay for it.
#ifndef COX_ADVISE_TUNING_EXPLORE_H_
#define COX_ADVISE_TUNING_EXPLORE_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "advise/machine_view.h"
#include "advise/tuning/tuning.h"
#include "domain/collective.h"
#include "domain/sharing/caller_watch.h"
#include "library/decision_table.h"
#include "strategy/scenario.h"

namespace cox::advise {

inline constexpr double kMaxExploreShare = 0.5;

// Adds trials to the tables that BuildDecisionTables() made for the question, as rows with
// DecisionRow::trial set. `share` of the time of the job's collectives, 0 (no trials) to
// kMaxExploreShare. `tells_sizes_apart`: whether the library takes several rows of a collective;
// otherwise a trial is for all sizes. CANCELLED soon after the caller has gone; the tables then
// have some of the trials.
absl::Status AddTrials(const MachineView& machine, const TuningQuestion& question, double share,
                       absl::FunctionRef<bool(domain::Collective)> tells_sizes_apart,
                       absl::Span<library::DecisionTable> tables,
                       const domain::IsCancelled& is_cancelled = {});

}  // namespace cox::advise

#endif  // COX_ADVISE_TUNING_EXPLORE_H_
