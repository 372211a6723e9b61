// How a verb declares its options. Only verb.cc and command_line.cc know the parser behind it:
// CLI11's headers would cost each file of cox four seconds of compilation.
//
// Verb and Option are handles to what a CommandLine owns: copy them freely while it lives. The
// values that options write to must live until the action has run. One thread.
#ifndef COX_CLI_OPTIONS_VERB_H_
#define COX_CLI_OPTIONS_VERB_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "cli/session.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cox::cli {

// An error in the command line. The message is printed as it is, with the verb's --help behind it.
inline absl::Status UsageError(absl::string_view message) {
  return absl::InvalidArgumentError(message);
}
// "--nodes is required".
absl::Status MissingOption(absl::string_view names);

// Says what a value must be; OK where it is so. The message of an error follows the option's name.
using ValueCheck = std::function<absl::Status(const std::string& value)>;

class Option {
 public:
  // What --help calls the value: "FILE".
  Option Type(const std::string& name) const;
  Option Describe(const std::string& text) const;
  // Shows the value that the variable has now as the default.
  Option ShowDefault() const;
  // Not in --help, completions and the manual page.
  Option Hide() const;
  // The environment variable that is read where the option is not given.
  Option Environment(const std::string& variable) const;

  Option Required() const;
  Option OneOf(const std::vector<std::string>& words) const;
  Option Check(const ValueCheck& check) const;
  Option Needs(Option other) const;
  Option Excludes(Option other) const;

  // After parsing: whether the command line or the environment has it.
  bool is_given() const;

 private:
  friend class Verb;
  explicit Option(CLI::Option* option) : option_(option) {}

  CLI::Option* option_;
};

// Checks combinations of values, after the whole command line has been read.
using UsageCheck = std::function<absl::Status(const GlobalOptions& global)>;

// What the command line asks for, filled while it is parsed.
struct Choice {
  Action action;
  UsageCheck check;  // may be null
};

class Verb {
 public:
  // `app` is the command line, which owns all verbs. Do() stores the action in `choice`.
  Verb(CLI::App* app, Choice* choice) : app_(app), choice_(choice) {}

  // A verb below this one.
  Verb Sub(const std::string& name, const std::string& text) const;
  // Requires a verb below this one: this verb does nothing by itself.
  void NeedsVerb() const;
  // Examples and notes, at the end of --help.
  void Footer(const std::string& text) const;

  // `names` is "-m,--machine" for an option, "machine" for an argument.
  Option Text(const std::string& names, std::string& value, const std::string& text) const;
  // Comma-separated, and the option may be repeated.
  Option Words(const std::string& names, std::vector<std::string>& values,
               const std::string& text) const;
  // All arguments that are left.
  Option Rest(const std::string& name, std::vector<std::string>& values,
              const std::string& text) const;
  Option Flag(const std::string& names, bool& value, const std::string& text) const;
  // A number within [low, high].
  Option Number(const std::string& names, double& value, double low, double high,
                const std::string& text) const;
  // `parse` takes the value; an error names the option and says what `parse` says.
  Option Parsed(const std::string& names, const ValueCheck& parse, const std::string& text) const;
  // The same for each value of an option that may be repeated.
  Option EachParsed(const std::string& names, const ValueCheck& parse,
                    const std::string& text) const;
  // Exactly one of this verb's options must be given.
  void NeedsOneOption() const;

  // What this verb does. An error of `check` is a usage error.
  void Do(Action action, UsageCheck check = nullptr) const;

 private:
  CLI::App* app_;
  Choice* choice_;
};

}  // namespace cox::cli

#endif  // COX_CLI_OPTIONS_VERB_H_
