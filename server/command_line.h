// The command line of coxd: what to do, with which settings.
#ifndef COX_COMMAND_LINE_H_
#define COX_COMMAND_LINE_H_

#include <string>

#include "daemon/config.h"

namespace cox {

struct CommandLine {
  enum class Action { kServe, kCheckConfig, kRestore, kCopy, kEnd };
  Action action = Action::kServe;
  int exit_code = 0;           // of kEnd: help or the version was printed, or a flag is wrong
  std::string config_path;     // "": none
  std::string backup_path;     // of kRestore
  std::string copied_path;     // of kCopy: a data directory
  daemon::ConfigValues flags;  // settings given as flags
};

// Prints help, version and errors itself.
CommandLine ParseCommandLine(int argc, char** argv);

// Exit codes, as the manual lists them; those of `cox` mean the same.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

}  // namespace cox

#endif  // COX_COMMAND_LINE_H_
