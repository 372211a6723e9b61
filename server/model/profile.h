// A machine's parameters for all models: the pure part of a profile revision (who made it and when
// is the store's business).
#ifndef COX_MODEL_PROFILE_H_
#define COX_MODEL_PROFILE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/model.h"
#include "model/shape.h"
#include "model/traffic.h"

namespace cox::model {

struct Parameter {
  std::string model;
  Level level = Level::kNetwork;
  std::string name;
  double value = 0;    // in the unit of the model's ParameterSpec
  double stderr_ = 0;  // standard error of value, same unit; 0: exact or unknown
  std::string source;  // where it comes from: "calibrated: 180 samples", a paper's table, ...
  // Of a piecewise parameter: this value applies where the argument (see ParameterSpec) is above
  // this one, up to the next such piece. 0: from the start.
  double above = 0;
  // How the value is known: "" measured or stated; "<=" only bounded by it; "sum" what is known is
  // a sum that this value stands for (the source says of what).
  std::string relation{};
};

struct Profile {
  std::vector<Parameter> parameters;
  Shape shape;  // of the machine that the parameters are of

  bool empty() const { return parameters.empty(); }
  // The first piece, from the start; null when absent.
  const Parameter* Find(absl::string_view model, Level level, absl::string_view name) const;
  // Adds, or replaces the one with the same (model, level, name, above).
  void Set(Parameter parameter);
};

// "self", "node", "network", and back (INVALID_ARGUMENT, field "level").
absl::string_view LevelName(Level level);
absl::StatusOr<Level> ParseLevel(absl::string_view name);

// The values of `model` in the order of model.parameters(), defaults filled in. FAILED_PRECONDITION
// naming the first missing required parameter.
absl::StatusOr<ParameterValues> ValuesFor(const Model& model, const Profile& profile);

// Of one parameter at one level. A calibration makes a few; each is a parameter of its own to
// whatever refines them, which takes its time in the square of their number.
inline constexpr size_t kMaxPieces = 16;

// INVALID_ARGUMENT unless every parameter belongs to a known model and level of it, has a value,
// stderr_ and above that are finite and >= 0, a piece above 0 only where the model takes an
// argument, at most kMaxPieces pieces, no two above the same, and a known relation. The field is
// "parameters[i].value" and so on.
absl::Status Validate(const Profile& profile);

// Takes out what Validate() finds too much of in profiles from before that limit: of the pieces of
// a parameter kMaxPieces stay, the first, the last and others evenly among them, so that parameters
// of the same pieces keep the same ones; of several values above the same the first. The others
// stay in their order.
void LimitPieces(Profile* profile);

}  // namespace cox::model

#endif  // COX_MODEL_PROFILE_H_
