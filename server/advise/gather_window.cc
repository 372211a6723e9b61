#include "advise/gather_window.h"

#include <algorithm>

#include "model/model.h"
#include "model/models/models.h"
#include "model/profile.h"

namespace cox::advise {

int64_t GatherWindow(const MachineView& machine, const strategy::Scenario& scenario) {
  const absl::Span<const model::Model* const> models = model::Models();
  const auto cluster = std::find(models.begin(), models.end(), &model::Cluster());
  const model::ParameterValues& values =
      machine.values[static_cast<size_t>(cluster - models.begin())];
  return values.empty()
             ? 0
             : model::ClusterWindow(values, scenario.ranks - 1, scenario.block_bytes).window;
}

}  // namespace cox::advise
