#include "model/model.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "model/models/models.h"

namespace cox::model {

absl::Span<const Model* const> Models() {
  static const Model* const kModels[] = {
      &Hockney(), &MaxRate(), &LogP(),  &LogGp(),           &Postal(), &Bsp(),        &EBsp(),
      &MpBsp(),   &MpEBsp(),  &Bpram(), &SinglePortBpram(), &C3(),     &Hyperbolic(), &Cluster()};
  return kModels;
}

absl::StatusOr<const Model*> FindModel(absl::string_view id) {
  std::string known;
  for (const Model* model : Models()) {
    if (model->id() == id) return model;
    absl::StrAppend(&known, known.empty() ? "" : ", ", model->id());
  }
  return absl::NotFoundError(absl::StrCat("model \"", id, "\" is not known; choose from ", known));
}

}  // namespace cox::model
