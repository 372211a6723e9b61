// The command line as a whole: owns all verbs, parses, and describes itself. One thread.
#ifndef COX_CLI_OPTIONS_COMMAND_LINE_H_
#define COX_CLI_OPTIONS_COMMAND_LINE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/options/description.h"
#include "cli/options/verb.h"

namespace CLI {
class App;
}

namespace cox::cli {

class CommandLine {
 public:
  // `version_text` is what --version prints.
  CommandLine(const std::string& name, const std::string& description,
              const std::string& version_text);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // The program itself: its options are understood before and behind every verb.
  Verb root() { return {app_.get(), &choice_}; }

  struct Parsed {
    Action action;       // null where no verb is named
    std::string answer;  // what --help or --version prints; nothing else is to be done then
  };
  // INVALID_ARGUMENT is a usage error: one line that names the verb's --help. To be called once.
  // `global` is what the program's own options write to.
  absl::StatusOr<Parsed> Parse(int argc, const char* const* argv, const GlobalOptions& global);

  // The --help text of the verb `path`; empty: the program's. NOT_FOUND names what is close.
  absl::StatusOr<std::string> Help(const std::vector<std::string>& path) const;

  // The program, then every verb, depth first, in the order of declaration. Hidden options and
  // --help are left out.
  std::vector<VerbDescription> Describe() const;

 private:
  std::unique_ptr<CLI::App> app_;
  Choice choice_;
};

}  // namespace cox::cli

#endif  // COX_CLI_OPTIONS_COMMAND_LINE_H_
