// A machine's parameters for all models: the pure part of a profile revision (who made it and when
// is the store's business).
#ifndef COX_MODEL_PROFILE_H_
#define COX_MODEL_PROFILE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/model.h"
#include "model/traffic.h"

namespace cox::model {

struct Parameter {
  std::string model;
  Level level = Level::kNetwork;
  std::string name;
  double value = 0;    // in the unit of the model's ParameterSpec
  double stderr_ = 0;  // standard error of value, same unit; 0: exact or unknown
  std::string source;  // where it comes from: "calibrated: 180 samples", a paper's table, ...
};

struct Profile {
  std::vector<Parameter> parameters;

  bool empty() const { return parameters.empty(); }
  // Null when absent.
  const Parameter* Find(absl::string_view model, Level level, absl::string_view name) const;
  // Adds, or replaces the one with the same (model, level, name).
  void Set(Parameter parameter);
};

// "self", "node", "network", and back (INVALID_ARGUMENT, field "level").
absl::string_view LevelName(Level level);
absl::StatusOr<Level> ParseLevel(absl::string_view name);

// The values of `model` in the order of model.parameters(), defaults filled in. FAILED_PRECONDITION
// naming the first missing required parameter.
absl::StatusOr<std::vector<double>> ValuesFor(const Model& model, const Profile& profile);

// INVALID_ARGUMENT unless every parameter belongs to a known model and level of it, and is finite
// and >= 0 with a finite stderr_ >= 0. The field is "parameters[i].value" and so on.
absl::Status Validate(const Profile& profile);

}  // namespace cox::model

#endif  // COX_MODEL_PROFILE_H_
