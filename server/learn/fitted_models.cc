#include "learn/fitted_models.h"

#include "model/models.h"

namespace cox::learn {

absl::Span<const model::Model* const> FittedModels() {
  static const model::Model* const kModels[] = {&model::MaxRate(), &model::LogGp(),
                                                &model::Hockney(), &model::Hyperbolic()};
  return kModels;
}

}  // namespace cox::learn
