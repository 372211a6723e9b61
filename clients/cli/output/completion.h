// Shell completions made from the command line's description.
#ifndef COX_CLI_OUTPUT_COMPLETION_H_
#define COX_CLI_OUTPUT_COMPLETION_H_

#include <string>
#include <vector>

#include "cli/options/description.h"

namespace cox::cli {

// For bash's `complete -F`: verbs, options, the values of options that have few, files, and the
// machines that the daemon knows.
std::string BashCompletion(const std::vector<VerbDescription>& verbs);

// The same for zsh, through its bash compatibility.
std::string ZshCompletion(const std::vector<VerbDescription>& verbs);

// For fish's `complete`.
std::string FishCompletion(const std::vector<VerbDescription>& verbs);

}  // namespace cox::cli

#endif  // COX_CLI_OUTPUT_COMPLETION_H_
