// What a collective will cost under each strategy, model by model. Pure; any thread.
#ifndef COX_ADVISE_PREDICT_H_
#define COX_ADVISE_PREDICT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advise/candidates.h"
#include "advise/machine_view.h"
#include "strategy/scenario.h"

namespace cox::advise {

// Prices strategies under models, without corrections: every strategy of the collective that
// applies (or only `strategy_text`), under model_id ("" = the machine's model, "all" = every model
// that the profile can price). INVALID_ARGUMENT for a bad scenario; otherwise fails as
// StrategiesFor() and ModelsFor() do.
absl::StatusOr<std::vector<Prediction>> Predict(const MachineView& machine,
                                                const strategy::Scenario& scenario,
                                                absl::string_view strategy_text,
                                                absl::string_view model_id);

}  // namespace cox::advise

#endif  // COX_ADVISE_PREDICT_H_
