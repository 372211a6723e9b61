#include "command_line.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "domain/words/nearest_word.h"

namespace cox {
namespace {

constexpr char kAbout[] =
    "The Coxswain daemon: keeps machine profiles and observations in one directory, predicts the\n"
    "cost of MPI collectives, and recommends algorithms over gRPC and HTTP. It stays in the\n"
    "foreground and logs to standard error.\n"
    "\n"
    "Each setting is a flag, a line `name = value` of the configuration file, or an environment\n"
    "variable COXD_NAME. A flag overrides the environment; the environment overrides the file.";

constexpr char kFooter[] =
    "Examples:\n"
    "  coxd --data ~/.local/state/coxswain --listen 127.0.0.1:7077\n"
    "\n"
    "Exit codes:\n"
    "  0  ended by a signal\n"
    "  1  failed; the message on standard error says why\n"
    "  2  wrong settings";

// help2man needs two spaces between an option and its text.
constexpr size_t kTextColumn = 36;

// `word`: as typed, "--lisen=x".
std::string UnknownWord(const CLI::App& app, absl::string_view word) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  return "there is no option or argument \"" + std::string(word) + '"' +
         domain::DidYouMean(word.substr(0, word.find('=')), known);
}

}  // namespace

CommandLine ParseCommandLine(int argc, char** argv) {
  CommandLine line;
  CLI::App app(kAbout, "coxd");
  app.footer(kFooter);
  app.get_formatter()->column_width(kTextColumn);
  app.set_version_flag("--version", "coxd " COX_VERSION);
  app.add_option("--config", line.config_path, "configuration file (TOML)")
      ->type_name("FILE")
      ->envname("COXD_CONFIG");
  bool check_only = false;
  app.add_flag("--check-config", check_only, "check and print all settings, then exit");
  app.add_option("--restore", line.backup_path,
                 "replace the database by this backup, then exit; no coxd may run on it")
      ->type_name("BACKUP");
  app.add_option(
         "--copy-from", line.copied_path,
         "copy this data directory into the empty database --store postgresql://..., or this"
         " database postgresql://... into the empty directory --data, then exit; after an"
         " interruption it goes on")
      ->type_name("SOURCE");
  for (const daemon::ConfigKey& key : daemon::ConfigKeys()) {
    const std::string name(key.name);
    const auto set = [&line, name](const std::string& value) { line.flags[name] = value; };
    app.add_option_function<std::string>("--" + name, set, std::string(key.description))
        ->type_name(std::string(key.value_name))
        ->default_str(std::string(key.default_value));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    line.action = CommandLine::Action::kEnd;
    line.exit_code = app.exit(help);
  } catch (const CLI::ParseError& error) {
    const std::vector<std::string> unknown = app.remaining();  // as typed
    const std::string what = unknown.empty() ? error.what() : UnknownWord(app, unknown.front());
    std::cerr << "coxd: " << what << "; see `coxd --help`\n";
    line.action = CommandLine::Action::kEnd;
    line.exit_code = kExitUsage;
  }
  if (line.action == CommandLine::Action::kEnd) return line;
  if (check_only) line.action = CommandLine::Action::kCheckConfig;
  if (!line.backup_path.empty()) line.action = CommandLine::Action::kRestore;
  if (!line.copied_path.empty()) line.action = CommandLine::Action::kCopy;
  return line;
}

}  // namespace cox
