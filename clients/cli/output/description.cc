#include "cli/output/description.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace cox::cli {
namespace {

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
  if (description.flags.empty()) {
    description.names = description.type;
  } else {
    for (const std::string& flag : description.flags) {
      if (!description.names.empty()) description.names += ", ";
      description.names += flag;
    }
  }
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
  const auto verbs = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* sub : verbs) verb.verbs.push_back(sub->get_name());
  all.push_back(std::move(verb));
  for (const CLI::App* sub : verbs) {
    std::vector<std::string> sub_path = path;
    sub_path.push_back(sub->get_name());
    Walk(*sub, sub_path, all);
  }
}

}  // namespace

std::vector<VerbDescription> Describe(const CLI::App& app) {
  std::vector<VerbDescription> all;
  Walk(app, {}, all);
  return all;
}

}  // namespace cox::cli
