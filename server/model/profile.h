// Checks a profile, and reads the values of one model from it. Pure, any thread.
#ifndef COX_MODEL_PROFILE_H_
#define COX_MODEL_PROFILE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/profile.h"
#include "model/model.h"

namespace cox::model {

// The values of `model` in the order of model.parameters(), with defaults. FAILED_PRECONDITION
// naming the first required parameter that is missing.
absl::StatusOr<ParameterValues> ValuesFor(const Model& model, const domain::Profile& profile);

// Pieces of one parameter at one level. A calibration makes a few. The limit protects refinement,
// whose time grows with the square of their number.
inline constexpr size_t kMaxPieces = 16;

// INVALID_ARGUMENT (field "parameters[i].value" and so on) unless every parameter belongs to a
// known model and level, has a known relation, and has a value, stderr_ and above that are finite
// and >= 0, and CheckAllowed() has no objection. A parameter has at most kMaxPieces pieces, each
// with another `above`; above > 0 needs a model parameter with an argument. Field "parameters"
// unless KeepsTimesFinite() for every model that the profile has all required parameters of.
absl::Status Validate(const domain::Profile& profile);

// INVALID_ARGUMENT with the field if the parameter cannot have this value: a size is at least 1
// byte, and a parameter of unit "0 or 1" is one of them. OK for a parameter that no model has.
absl::Status CheckAllowed(const domain::Parameter& parameter, absl::string_view field);

// Whether no time under the model is larger than a double, however large the question. `values` are
// the model's.
bool KeepsTimesFinite(const Model& model, const ParameterValues& values);

// Removes the pieces beyond kMaxPieces that profiles of older versions may have. The first, the
// last and evenly spaced others remain, so that parameters with equal borders keep equal ones. Of
// several values with the same `above` the first remains. The order does not change.
void LimitPieces(domain::Profile* profile);

}  // namespace cox::model

#endif  // COX_MODEL_PROFILE_H_
