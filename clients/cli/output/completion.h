// Shell completions made from the command line's description.
#ifndef COX_CLI_OUTPUT_COMPLETION_H_
#define COX_CLI_OUTPUT_COMPLETION_H_

#include <CLI/CLI.hpp>
#include <string>

namespace cox::cli {

// For bash's `complete -F`: verbs, options, the values of options that have few, files, and the
// machines that the daemon knows.
std::string BashCompletion(const CLI::App& app);

// The same for zsh, through its bash compatibility.
std::string ZshCompletion(const CLI::App& app);

// For fish's `complete`.
std::string FishCompletion(const CLI::App& app);

}  // namespace cox::cli

#endif  // COX_CLI_OUTPUT_COMPLETION_H_
