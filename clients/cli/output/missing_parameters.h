// Says which parameters keep a profile from pricing anything. Pure, any thread, cannot fail.
#ifndef COX_CLI_OUTPUT_MISSING_PARAMETERS_H_
#define COX_CLI_OUTPUT_MISSING_PARAMETERS_H_

#include <cox/v1/machine.pb.h>
#include <cox/v1/model.pb.h>

#include <string>

namespace cox::cli {

// "hockney needs node.alpha, node.beta", of the model of `profile` that lacks the fewest required
// parameters. Empty if one of the models has all that it requires.
std::string MissingParameters(const v1::ListModelsResponse& models, const v1::Profile& profile);

}  // namespace cox::cli

#endif  // COX_CLI_OUTPUT_MISSING_PARAMETERS_H_
