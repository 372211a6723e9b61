// What to do about parameters that no measurement said anything about, the same for calibration and
// refinement. Stateless, any thread.
#ifndef COX_LEARN_FALLBACK_PARAMETERS_H_
#define COX_LEARN_FALLBACK_PARAMETERS_H_

#include <string>
#include <vector>

#include "domain/profile.h"
#include "model/model.h"
#include "model/profile.h"

namespace cox::learn {

// A value of ordinary size for a parameter in seconds or seconds per byte: where a search starts.
double TypicalValue(const model::ParameterSpec& spec);

// Where `profile` has a model's parameters at one of the levels node and network but lacks required
// ones at the other, takes the other level's values, with a standard error as large as the value,
// so that the model can be priced at all. Says so in the source and, one line per model, in the
// warnings.
void CopyMissingLevels(domain::Profile* profile, std::vector<std::string>* warnings);

// Where `profile` has parameters of one of FittedModels() that were fitted, but lacks a required
// one that is never fitted (the size of a packet, say), takes what the model's table says of it, so
// that the model can be priced at all. The source says "assumed". A fit made with the same value
// holds with it.
void AssumeStatedSizes(domain::Profile* profile);

}  // namespace cox::learn

#endif  // COX_LEARN_FALLBACK_PARAMETERS_H_
