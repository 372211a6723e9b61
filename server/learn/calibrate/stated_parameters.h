// Chooses what a fit takes as given: the sizes that a model only states, and whether its extra
// parameters are fitted. Stateless but for the fit, one thread at a time.
#ifndef COX_LEARN_CALIBRATE_STATED_PARAMETERS_H_
#define COX_LEARN_CALIBRATE_STATED_PARAMETERS_H_

#include <vector>

#include "domain/level.h"
#include "learn/calibrate/calibration_plan.h"
#include "learn/calibrate/model_samples.h"
#include "learn/calibrate/parameter_fit.h"
#include "learn/calibrate/sample_fit.h"

namespace cox::learn {

// The settings of the plan's size parameter, and of C3's set-up; empty where the plan chooses none.
// A best fit tries at most 16 sizes, each at most 22 times for C3.
std::vector<Setting> ChooseSizes(const ModelPlan& plan, domain::Level level,
                                 const ModelSamples& selected, SampleFit* fit);

// The plan's extra parameters if fitting them too is clearly better, or if the model has no others;
// else none.
std::vector<int> ChooseExtras(const ModelPlan& plan, domain::Level level, const Samples& samples,
                              const std::vector<Setting>& settings, SampleFit* fit);

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_STATED_PARAMETERS_H_
