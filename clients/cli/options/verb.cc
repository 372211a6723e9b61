#include "cli/options/verb.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "absl/strings/str_cat.h"

namespace cox::cli {
namespace {

// CLI11 wants exceptions from callbacks; it catches them in CommandLine::Parse.
void ThrowUnlessOk(const std::string& names, const absl::Status& status) {
  if (!status.ok()) throw CLI::ValidationError(names, std::string(status.message()));
}

}  // namespace

absl::Status MissingOption(absl::string_view names) {
  return UsageError(absl::StrCat(names, " is required"));
}

Option Option::Type(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

Option Option::Describe(const std::string& text) const {
  option_->description(text);
  return *this;
}

Option Option::ShowDefault() const {
  option_->capture_default_str();
  return *this;
}

Option Option::Hide() const {
  option_->group("");
  return *this;
}

Option Option::Environment(const std::string& variable) const {
  option_->envname(variable);
  return *this;
}

Option Option::Required() const {
  option_->required();
  return *this;
}

Option Option::OneOf(const std::vector<std::string>& words) const {
  option_->check(CLI::IsMember(words));
  return *this;
}

Option Option::Check(const ValueCheck& check) const {
  // CLI11 puts the option's name in front of a validator's text.
  option_->check(CLI::Validator(
      [check](std::string& value) { return std::string(check(value).message()); }, "", "value"));
  return *this;
}

Option Option::Needs(Option other) const {
  option_->needs(other.option_);
  return *this;
}

Option Option::Excludes(Option other) const {
  option_->excludes(other.option_);
  return *this;
}

bool Option::is_given() const { return option_->count() > 0; }

Verb Verb::Sub(const std::string& name, const std::string& text) const {
  CLI::App* sub = app_->add_subcommand(name, text);
  // It would repeat this verb's.
  sub->footer("");
  return {sub, choice_};
}

void Verb::NeedsVerb() const { app_->require_subcommand(1); }

void Verb::Footer(const std::string& text) const { app_->footer(text); }

Option Verb::Text(const std::string& names, std::string& value, const std::string& text) const {
  return Option(app_->add_option(names, value, text));
}

Option Verb::Words(const std::string& names, std::vector<std::string>& values,
                   const std::string& text) const {
  // An option without the last line would take the words behind it, "--" included.
  return Option(app_->add_option(names, values, text)->delimiter(',')->allow_extra_args(false));
}

Option Verb::Rest(const std::string& name, std::vector<std::string>& values,
                  const std::string& text) const {
  return Option(app_->add_option(name, values, text));
}

Option Verb::Flag(const std::string& names, bool& value, const std::string& text) const {
  return Option(app_->add_flag(names, value, text));
}

Option Verb::Number(const std::string& names, double& value, double low, double high,
                    const std::string& text) const {
  return Option(app_->add_option(names, value, text)->check(CLI::Range(low, high)));
}

Option Verb::Parsed(const std::string& names, const ValueCheck& parse,
                    const std::string& text) const {
  return Option(app_->add_option_function<std::string>(
      names, [names, parse](const std::string& value) { ThrowUnlessOk(names, parse(value)); },
      text));
}

Option Verb::EachParsed(const std::string& names, const ValueCheck& parse,
                        const std::string& text) const {
  return Option(app_->add_option_function<std::vector<std::string>>(
                        names,
                        [names, parse](const std::vector<std::string>& values) {
                          for (const std::string& value : values) {
                            ThrowUnlessOk(names, parse(value));
                          }
                        },
                        text)
                    ->type_size(1)
                    ->allow_extra_args(false));
}

void Verb::NeedsOneOption() const { app_->require_option(1); }

void Verb::Do(Action action, UsageCheck check) const {
  app_->callback([choice = choice_, action = std::move(action), check = std::move(check)] {
    *choice = {action, check};
  });
}

}  // namespace cox::cli
