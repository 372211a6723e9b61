// Values for parameters that no measurement shows; calibration and refinement both use them.
// Stateless, any thread.
#ifndef COX_LEARN_FALLBACK_PARAMETERS_H_
#define COX_LEARN_FALLBACK_PARAMETERS_H_

#include <string>
#include <vector>

#include "domain/profile.h"
#include "model/model.h"
#include "model/profile.h"

namespace cox::learn {

// A typical value for a parameter in seconds or seconds per byte: searches start from it.
double TypicalValue(const model::ParameterSpec& spec);

// Copies required parameters that a model has at one of the levels node and network to the other
// level, if they are missing there; otherwise the model could not be priced. The standard error is
// as large as the value. The source says so, and one warning per model.
void CopyMissingLevels(domain::Profile* profile, std::vector<std::string>* warnings);

// Whether the model has other parameters within nodes than between them.
bool HasNodeLevel(const model::Model& model);

// Whether CopyMissingLevels() gave the parameter its value.
bool IsCopied(const domain::Parameter& parameter);

// Adds required parameters that are never fitted, such as a packet's size, from the model's table.
// Every model of FittedModels() that the profile has parameters of gets them; it has no price
// without them. The source says "assumed". The model was fitted with the same value.
void AssumeStatedSizes(domain::Profile* profile);

}  // namespace cox::learn

#endif  // COX_LEARN_FALLBACK_PARAMETERS_H_
