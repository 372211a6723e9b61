#include "advise/machine_view.h"

#include <utility>

#include "advise/caveats.h"
#include "domain/profile.h"

namespace cox::advise {

std::shared_ptr<const MachineView> BuildMachineView(std::string name, int64_t nodes,
                                                    int64_t cores_per_node, int64_t revision,
                                                    domain::Profile profile,
                                                    absl::Span<const learn::Cell> cells,
                                                    GuardFacts guard) {
  auto view = std::make_shared<MachineView>();
  view->name = std::move(name);
  view->nodes = nodes;
  view->cores_per_node = cores_per_node;
  view->revision = revision;
  view->profile = std::move(profile);
  view->guard = std::move(guard);
  view->cells.assign(cells.begin(), cells.end());
  for (const learn::Cell& cell : cells) {
    view->timed.node |= cell.ranks > 1 && cell.ppn > 1;
    view->timed.network |= cell.nodes > 1 && cell.ranks > 1;
    view->timed_collectives.insert(cell.collective);
  }
  view->corrections = learn::BuildCorrections(view->profile, cells);

  view->accuracy =
      std::make_shared<const learn::Accuracy>(view->profile, cells, *view->corrections);

  const absl::Span<const model::Model* const> models = model::Models();
  view->values.resize(models.size());
  for (size_t i = 0; i < models.size(); ++i) {
    auto values = model::ValuesFor(*models[i], view->profile);
    if (values.ok()) view->values[i] = *std::move(values);
    if (!view->values[i].empty() && models[i]->id() == view->corrections->model()) {
      view->model = models[i];
      view->model_values = &view->values[i];
    }
  }
  view->assumed = AssumedLevels(*view);
  return view;
}

}  // namespace cox::advise
