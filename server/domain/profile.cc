#include "domain/profile.h"

#include <utility>

namespace cox::domain {

const Parameter* Profile::Find(absl::string_view model, Level level, absl::string_view name) const {
  for (const Parameter& parameter : parameters) {
    if (parameter.level == level && parameter.above == 0 && parameter.name == name &&
        parameter.model == model) {
      return &parameter;
    }
  }
  return nullptr;
}

void Profile::Set(Parameter parameter) {
  for (Parameter& old : parameters) {
    if (old.level == parameter.level && old.above == parameter.above &&
        old.name == parameter.name && old.model == parameter.model) {
      old = std::move(parameter);
      return;
    }
  }
  parameters.push_back(std::move(parameter));
}

}  // namespace cox::domain
