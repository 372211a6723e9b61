// Replaces this process by another program.
#ifndef COX_CLI_RUN_BECOME_COMMAND_H_
#define COX_CLI_RUN_BECOME_COMMAND_H_

#include <map>
#include <string>
#include <vector>

#include "cli/run/run_settings.h"

namespace cox::cli {

// The environment that this process was started with. main() changes the current one for gRPC.
std::map<std::string, std::string> FirstEnvironment();

// Replaces this process by `command` with `settings` in its environment and all else as it was when
// this process began: signals, their mask, open files, standard streams. Returns only on failure:
// the code that a shell exits with, 127 where there is no such program and 126 where it cannot be
// run; `why` says more.
int BecomeCommand(const std::vector<std::string>& command, const RunSettings& settings,
                  std::string& why);

}  // namespace cox::cli

#endif  // COX_CLI_RUN_BECOME_COMMAND_H_
