// Trials: which algorithm, other than the best known one, is worth running at some size in a job
// that is about to start. Off unless a job allows a share of its time for it. Pure, deterministic
// for the same view; any thread.
//
// What a job spends its time on is taken from the observations of its shape: where there are none,
// nothing is tried. A trial is worth the expected improvement of the best known time
// (J. Mockus, "On Bayesian methods for seeking the extremum", 1975; for lognormal times below), and
// costs the expected excess. Nothing is tried
// - that is unsafe for some call, that the library would run as something else, or whose time
//   nobody can estimate;
// - that was timed at this size already, by this or another name of the same code: so trials end
//   (where calls are sampled with ranks that enter together and its were not, a few trials later);
// - that is expected to improve the time by less than 2 %: so they end earlier;
// - while what trials have cost so far is more than the share.
// What costs more than what is left of the share is tried in as many jobs only as pay for it.
#ifndef COX_ADVISE_TUNING_EXPLORE_H_
#define COX_ADVISE_TUNING_EXPLORE_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "advise/machine_view.h"
#include "advise/tuning/tuning.h"
#include "domain/collective.h"
#include "library/decision_table.h"
#include "strategy/scenario.h"

namespace cox::advise {

inline constexpr double kMaxExploreShare = 0.5;

// The expected value of max(0, 1 - e^-x) for x normal with this mean and standard deviation > 0: by
// how much of its time something is improved by an alternative that is faster by x in the
// logarithm, if it is taken only where it is faster. Between 0 and 1.
double ExpectedImprovement(double log_gain, double sigma);

// Puts trials into the tables that BuildDecisionTables() made for the question, as rows of their
// own with DecisionRow::trial set. `share`: of the time of the job's collectives, 0 (none) to
// kMaxExploreShare. `tells_sizes_apart`: whether the library can be given several rows of a
// collective; otherwise a trial is for all sizes.
void AddTrials(const MachineView& machine, const TuningQuestion& question, double share,
               absl::FunctionRef<bool(domain::Collective)> tells_sizes_apart,
               absl::Span<library::DecisionTable> tables);

}  // namespace cox::advise

#endif  // COX_ADVISE_TUNING_EXPLORE_H_
