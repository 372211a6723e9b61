#include "cli/options/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "domain/words/nearest_word.h"

namespace cox::cli {
namespace {

// Ends a verb's --help with the options that every verb has.
class VerbFormatter final : public CLI::Formatter {
 public:
  std::string make_footer(const CLI::App* app) const override {
    std::string text;
    if (const CLI::App* root = app->get_parent(); root != nullptr) {
      while (root->get_parent() != nullptr) root = root->get_parent();
      text = "Options of all verbs:\n";
      for (const CLI::Option* option : root->get_options()) {
        if (option->get_group().empty() || option == root->get_help_ptr()) continue;
        absl::StrAppend(&text, make_option(option, /*is_positional=*/false));
      }
      if (!app->get_footer().empty()) absl::StrAppend(&text, "\n");
    }
    return text + CLI::Formatter::make_footer(app);
  }
};

std::vector<const CLI::App*> VerbsBelow(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> NamesOf(const std::vector<const CLI::App*>& verbs) {
  std::vector<std::string> names;
  names.reserve(verbs.size());
  for (const CLI::App* verb : verbs) names.push_back(verb->get_name());
  return names;
}

// "cox machine import".
std::string PathOf(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : absl::StrCat(PathOf(*app.get_parent()), " ", app.get_name());
}

// The verb that the words name, as far as parsing came; `end` words are looked at.
const CLI::App& NamedVerb(const CLI::App& app, const std::vector<std::string>& words, size_t end) {
  const CLI::App* at = &app;
  for (size_t i = 1; i < std::min(end, words.size()); ++i) {
    for (const CLI::App* verb : at->get_subcommands()) {
      if (verb->get_name() != words[i]) continue;
      at = verb;
      break;
    }
  }
  return *at;
}

std::string UnknownOption(const CLI::App& verb, absl::string_view word) {
  std::vector<std::string> known;
  for (const CLI::App* at = &verb; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : at->get_options()) {
      if (option->get_group().empty()) continue;
      for (const std::string& name : option->get_snames()) known.push_back("-" + name);
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  }
  const absl::string_view name = word.substr(0, word.find('='));
  // All short options are near each other.
  const bool is_short = name.size() == 2;
  return absl::StrCat("there is no option ", name, is_short ? "" : domain::DidYouMean(name, known));
}

std::string UnknownVerb(const CLI::App& above, absl::string_view word) {
  const std::vector<std::string> names = NamesOf(VerbsBelow(above));
  if (names.empty()) return absl::StrCat("\"", word, "\" is one argument too many");
  std::string text =
      absl::StrCat("there is no verb \"", word, "\"", domain::DidYouMean(word, names));
  // A short list is said in full.
  if (above.get_parent() != nullptr) {
    absl::StrAppend(&text, "; the verbs are ", absl::StrJoin(names, ", "));
  }
  return text;
}

// What is wrong, in the order of the words: CLI11 says first what is missing, and names unknown
// words in reverse.
absl::Status Explain(const CLI::App& app, const std::vector<std::string>& words,
                     const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
  for (size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    if (std::find(unknown.begin(), unknown.end(), words[i]) == unknown.end()) continue;
    const CLI::App& verb = NamedVerb(app, words, i);
    const bool is_option = words[i].size() > 1 && words[i][0] == '-';
    // Options after the job's command are not for cox.
    const bool is_of_command = is_option && verb.get_name() == "run";
    return UsageError(
        absl::StrCat(is_option ? UnknownOption(verb, words[i]) : UnknownVerb(verb, words[i]),
                     is_of_command ? "; write -- before the command to run" : "", "; see `",
                     PathOf(verb), " --help`"));
  }
  const CLI::App& verb = NamedVerb(app, words, words.size());
  std::string what = error.what();
  if (const size_t at = what.find(": At Most 1 required but received"); at != std::string::npos) {
    what = absl::StrCat(what.substr(0, at), " may be given once");
  }
  if (&verb != &app && !VerbsBelow(verb).empty()) {
    what = absl::StrCat(PathOf(verb), " needs one of the verbs ",
                        absl::StrJoin(NamesOf(VerbsBelow(verb)), ", "));
  }
  return UsageError(absl::StrCat(what, "; see `", PathOf(verb), " --help`"));
}

// A word that should name a verb and names none is an error even with --help, which would describe
// the verb above it.
absl::Status CheckVerbs(const CLI::App& app, const std::vector<std::string>& words) {
  const std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
  for (size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    const CLI::App& above = NamedVerb(app, words, i);
    if (words[i].empty() || words[i][0] == '-' || VerbsBelow(above).empty() ||
        std::find(unknown.begin(), unknown.end(), words[i]) == unknown.end()) {
      continue;
    }
    return UsageError(
        absl::StrCat(UnknownVerb(above, words[i]), "; see `", PathOf(above), " --help`"));
  }
  return absl::OkStatus();
}

// The members of an IsMember check, from CLI11's own description of it: "TYPE:{a,b}".
std::vector<std::string> ChoicesOf(const std::string& type) {
  const size_t open = type.find('{');
  const size_t close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return absl::StrSplit(type.substr(open + 1, close - open - 1), ',');
}

OptionDescription DescribeOption(const CLI::Option& option) {
  OptionDescription description;
  for (const std::string& name : option.get_snames()) description.flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) description.flags.push_back("--" + name);
  const std::string type = option.get_type_name();
  description.choices = ChoicesOf(type);
  if (option.get_type_size() > 0) {
    description.type = description.choices.empty() ? type.substr(0, type.find(':')) : "WORD";
  }
  description.names =
      description.flags.empty() ? description.type : absl::StrJoin(description.flags, ", ");
  description.text = option.get_description();
  description.environment = option.get_envname();
  description.required = option.get_required();
  description.is_file = description.type == "FILE";
  return description;
}

void Walk(const CLI::App& app, const std::vector<std::string>& path,
          std::vector<VerbDescription>& all) {
  VerbDescription verb;
  verb.path = path;
  verb.text = app.get_description();
  verb.footer = std::string(absl::StripSuffix(app.get_footer(), "\n"));
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty() || option == app.get_help_ptr()) continue;
    verb.options.push_back(DescribeOption(*option));
  }
  const std::vector<const CLI::App*> verbs = VerbsBelow(app);
  verb.verbs = NamesOf(verbs);
  all.push_back(std::move(verb));
  for (const CLI::App* sub : verbs) {
    std::vector<std::string> sub_path = path;
    sub_path.push_back(sub->get_name());
    Walk(*sub, sub_path, all);
  }
}

}  // namespace

CommandLine::CommandLine(const std::string& name, const std::string& description,
                         const std::string& version_text)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->formatter(std::make_shared<VerbFormatter>());
  // The program's options are understood behind the verb as well.
  app_->fallthrough();
  app_->require_subcommand(0, 1);
  app_->set_version_flag("--version", version_text, "Print the version");
}

CommandLine::~CommandLine() = default;

absl::StatusOr<CommandLine::Parsed> CommandLine::Parse(int argc, const char* const* argv,
                                                       const GlobalOptions& global) {
  const std::vector<std::string> words(argv, argv + argc);
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& asked) {
    if (absl::Status status = CheckVerbs(*app_, words); !status.ok()) return status;
    std::ostringstream out;
    app_->exit(asked, out, out);
    return Parsed{nullptr, out.str()};
  } catch (const CLI::ParseError& error) {
    return Explain(*app_, words, error);
  }
  if (choice_.check != nullptr) {
    if (absl::Status status = choice_.check(global); !status.ok()) {
      return UsageError(absl::StrCat(status.message(), "; see `",
                                     PathOf(NamedVerb(*app_, words, words.size())), " --help`"));
    }
  }
  return Parsed{choice_.action, ""};
}

absl::StatusOr<std::string> CommandLine::Help(const std::vector<std::string>& path) const {
  const CLI::App* at = app_.get();
  for (const std::string& word : path) {
    const std::vector<const CLI::App*> verbs = VerbsBelow(*at);
    const auto found = std::find_if(verbs.begin(), verbs.end(),
                                    [&](const CLI::App* verb) { return verb->get_name() == word; });
    if (found == verbs.end()) return absl::NotFoundError(UnknownVerb(*at, word));
    at = *found;
  }
  // App::help() would describe the verb that was parsed.
  return at->get_formatter()->make_help(at, PathOf(*at), CLI::AppFormatMode::Normal);
}

std::vector<VerbDescription> CommandLine::Describe() const {
  std::vector<VerbDescription> all;
  Walk(*app_, {}, all);
  return all;
}

}  // namespace cox::cli
