// Folds the warnings of a calibration into a line for each kind. Pure; any thread, cannot fail.
#ifndef COX_CLI_OUTPUT_WARNING_KINDS_H_
#define COX_CLI_OUTPUT_WARNING_KINDS_H_

#include <string>
#include <vector>

namespace cox::cli {

// `warnings`: as CalibrateResponse has them, "logp at level network: WHAT". Those of a known kind
// become one line that counts them and names their models; the only one of a kind, and all others,
// stay as they are. The order is that of the first of each kind.
std::vector<std::string> FoldWarnings(const std::vector<std::string>& warnings);

}  // namespace cox::cli

#endif  // COX_CLI_OUTPUT_WARNING_KINDS_H_
