// The command line as data. CommandLine::Describe() makes it; completions and the manual page are
// written from it, so that they agree with --help.
#ifndef COX_CLI_OPTIONS_DESCRIPTION_H_
#define COX_CLI_OPTIONS_DESCRIPTION_H_

#include <string>
#include <vector>

namespace cox::cli {

struct OptionDescription {
  std::string names;               // "-m,--machine", or "MACHINE" for an argument
  std::vector<std::string> flags;  // "-m", "--machine"; empty for an argument
  std::string type;                // "MACHINE"; empty for a flag
  std::string text;
  std::vector<std::string> choices;  // when only these values are allowed
  std::string environment;
  bool required = false;
  bool is_file = false;
};

struct VerbDescription {
  std::vector<std::string> path;  // {"machine", "import"}; empty for cox itself
  std::string text;
  std::string footer;
  std::vector<OptionDescription> options;
  std::vector<std::string> verbs;  // that may follow
};

}  // namespace cox::cli

#endif  // COX_CLI_OPTIONS_DESCRIPTION_H_
