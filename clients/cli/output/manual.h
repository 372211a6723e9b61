// The manual page made from the command line's description.
#ifndef COX_CLI_OUTPUT_MANUAL_H_
#define COX_CLI_OUTPUT_MANUAL_H_

#include <string>
#include <vector>

#include "cli/options/description.h"

namespace cox::cli {

// cox(1) in the `man` macros. Holds no date: the same sources make the same page.
std::string ManualPage(const std::vector<VerbDescription>& verbs, const std::string& version);

}  // namespace cox::cli

#endif  // COX_CLI_OUTPUT_MANUAL_H_
