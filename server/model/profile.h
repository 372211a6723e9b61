// What models ask of a profile: complete values of one model, and the rules that a profile obeys.
// Pure, any thread.
#ifndef COX_MODEL_PROFILE_H_
#define COX_MODEL_PROFILE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "domain/profile.h"
#include "model/model.h"

namespace cox::model {

// The values of `model` in the order of model.parameters(), defaults filled in. FAILED_PRECONDITION
// naming the first missing required parameter.
absl::StatusOr<ParameterValues> ValuesFor(const Model& model, const domain::Profile& profile);

// Of one parameter at one level. A calibration makes a few; each is a parameter of its own to
// whatever refines them, which takes its time in the square of their number.
inline constexpr size_t kMaxPieces = 16;

// INVALID_ARGUMENT unless every parameter belongs to a known model and level of it, has a value,
// stderr_ and above that are finite and >= 0, a piece above 0 only where the model takes an
// argument, at most kMaxPieces pieces, no two above the same, and a known relation. The field is
// "parameters[i].value" and so on.
absl::Status Validate(const domain::Profile& profile);

// Takes out what Validate() finds too much of in profiles from before that limit: of the pieces of
// a parameter kMaxPieces stay, the first, the last and others evenly among them, so that parameters
// of the same pieces keep the same ones; of several values above the same the first. The others
// stay in their order.
void LimitPieces(domain::Profile* profile);

}  // namespace cox::model

#endif  // COX_MODEL_PROFILE_H_
