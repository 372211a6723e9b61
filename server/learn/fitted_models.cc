#include "learn/fitted_models.h"

#include "model/models/models.h"

namespace cox::learn {

absl::Span<const model::Model* const> FittedModels() {
  static const model::Model* const kModels[] = {
      &model::MaxRate(),         &model::LogGp(), &model::Hockney(), &model::Hyperbolic(),
      &model::Cluster(),         &model::LogP(),  &model::Postal(),  &model::Bpram(),
      &model::SinglePortBpram(), &model::Bsp(),   &model::EBsp(),    &model::MpBsp(),
      &model::MpEBsp()};
  return kModels;
}

}  // namespace cox::learn
