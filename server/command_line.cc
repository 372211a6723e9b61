#include "command_line.h"

#include <CLI/CLI.hpp>

namespace cox {
namespace {

constexpr char kAbout[] =
    "The Coxswain daemon: keeps machine profiles and observations in one directory, predicts the\n"
    "cost of MPI collectives, and recommends algorithms over gRPC.\n"
    "Each setting is a flag, a line `name = value` of the configuration file, or an environment\n"
    "variable COXD_NAME. A flag overrides the environment; the environment overrides the file.";

constexpr char kFooter[] =
    "Example: coxd --data ~/.local/state/coxswain --listen 127.0.0.1:7077\n"
    "SIGTERM ends coxd: it answers open calls and commits what it has accepted.\n"
    "Exit codes: 0 ended by a signal, 1 failed, 2 wrong settings.";

}  // namespace

CommandLine ParseCommandLine(int argc, char** argv) {
  CommandLine line;
  CLI::App app(kAbout, "coxd");
  app.footer(kFooter);
  app.set_version_flag("--version", "coxd " COX_VERSION);
  app.add_option("--config", line.config_path, "configuration file (TOML)")
      ->type_name("FILE")
      ->envname("COXD_CONFIG");
  bool check_only = false;
  app.add_flag("--check-config", check_only, "check and print all settings, then exit");
  bool print_manual = false;
  app.add_flag("--print-man", print_manual)->group("");  // for the build
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
    app.exit(error);
    line.action = CommandLine::Action::kEnd;
    line.exit_code = kExitUsage;
  }
  if (line.action == CommandLine::Action::kEnd) return line;
  if (check_only) line.action = CommandLine::Action::kCheckConfig;
  if (print_manual) line.action = CommandLine::Action::kPrintManual;
  return line;
}

}  // namespace cox
