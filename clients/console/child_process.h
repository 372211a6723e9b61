// Runs another program and waits for it. A signal that asks cox to end (INT, TERM, HUP) ends the
// program and its process group first. From the main thread.
#ifndef COX_CONSOLE_CHILD_PROCESS_H_
#define COX_CONSOLE_CHILD_PROCESS_H_

#include <array>
#include <csignal>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace cox::console {

struct ChildResult {
  int exit_code = 0;  // 128 + the signal's number where one ended it
  std::string out;    // its standard output
  double elapsed_s = 0;
};

struct ChildCommand {
  std::vector<std::string> words;                        // the first is a path or a name in PATH
  std::map<std::string, std::string> environment;        // set in addition to our own
  std::set<std::string> without;                         // names of our own that it does not get
  double limit_s = 0;                                    // after this the program is ended
  std::function<void(absl::string_view)> on_error_line;  // each line of its standard error
};

// While it lives, a signal that asks cox to end is only remembered, and ends the children that run
// then or start later: for work that a signal must not cut in two. A second signal ends cox unless
// children run. Scopes may be nested.
class SignalScope {
 public:
  SignalScope();
  ~SignalScope();
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

  // A signal came since the outermost scope began.
  bool interrupted() const;

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> before_;
};

// Standard input is empty. NOT_FOUND: no such program. CANCELLED: a signal came. ABORTED: the limit
// was reached. A program that fails by itself is OK here, with its exit code.
absl::StatusOr<ChildResult> RunChild(const ChildCommand& command);

// Runs all of them at once, and waits for all. Results are in the order of the commands, each as
// RunChild() gives it. A signal ends all of them.
std::vector<absl::StatusOr<ChildResult>> RunChildren(absl::Span<const ChildCommand> commands);

}  // namespace cox::console

#endif  // COX_CONSOLE_CHILD_PROCESS_H_
