// Predicts a collective's time under each strategy, model by model. Pure; any thread.
#ifndef COX_ADVISE_PREDICT_H_
#define COX_ADVISE_PREDICT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advise/candidates.h"
#include "advise/machine_view.h"
#include "advise/placement/switch_tree.h"
#include "strategy/scenario.h"

namespace cox::advise {

// Prices strategies under models, without corrections. A price of the machine's selected model has
// a caveat where messages were not timed and the models that fit the timings differ by a factor of
// two or more (learn::ModelSpread), unless the machine is a what-if's. `strategy_text` and
// `model_id` select them as StrategiesFor() and ModelsFor() say. `nodes`: those of the job,
// scenario.node_count() of them, whose links are priced (placement/link_time.h), and with whose
// units strategies are priced if none is named (placement/units.h); null: not known.
// INVALID_ARGUMENT for a bad scenario; otherwise fails as those do.
absl::StatusOr<std::vector<Prediction>> Predict(const MachineView& machine,
                                                const strategy::Scenario& scenario,
                                                absl::string_view strategy_text,
                                                absl::string_view model_id,
                                                const NodesInUse* nodes = nullptr);

}  // namespace cox::advise

#endif  // COX_ADVISE_PREDICT_H_
