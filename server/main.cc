// coxd: flags, configuration, wiring, signals.
#include <signal.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>

#include "daemon/config.h"
#include "daemon/log.h"
#include "manual.h"
#include "service/server.h"

namespace {

using cox::daemon::ConfigValues;
using cox::daemon::LogLevel;

std::string Str(absl::string_view text) { return std::string(text); }

// Exit codes, as the manual lists them; those of `cox` mean the same.
constexpr int kExitOk = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

int Fail(int code, const absl::Status& status) {
  std::cerr << "coxd: " << Str(status.message()) << "\n";
  return code;
}

int Run(int argc, char** argv) {
  // Signals are taken by sigwait below; every thread that starts from here on inherits the mask.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);

  CLI::App app{
      "The Coxswain daemon: keeps machine profiles and measurement history in one directory, "
      "predicts "
      "what collective operations cost, and recommends algorithms over gRPC.\n"
      "Every setting is a flag, a line `name = value` of the configuration file, and an "
      "environment "
      "variable COXD_NAME; a flag beats the environment, which beats the file.",
      "coxd"};
  app.set_version_flag("--version", "coxd " COX_VERSION);
  std::string config_path;
  bool check_only = false;
  app.add_option("--config", config_path, "configuration file (TOML)")
      ->type_name("FILE")
      ->envname("COXD_CONFIG");
  app.add_flag("--check-config", check_only, "check all settings, print them, and end");
  bool print_manual = false;
  app.add_flag("--print-man", print_manual)->group("");  // for the build
  std::map<std::string, std::string> flags;
  for (const cox::daemon::ConfigKey& key : cox::daemon::ConfigKeys()) {
    const std::string name = Str(key.name);
    app.add_option_function<std::string>(
           "--" + name, [&flags, name](const std::string& value) { flags[name] = value; },
           Str(key.description))
        ->type_name(Str(key.value_name))
        ->default_str(Str(key.default_value));
  }
  app.footer(
      "Example: coxd --data ~/.local/state/coxswain --listen 127.0.0.1:7077\n"
      "SIGTERM ends it cleanly: open calls are answered, everything taken is committed.\n"
      "Exit codes: 0 ended as asked, 1 failed, 2 wrong settings.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return kExitUsage;
  }

  if (print_manual) {
    std::cout << cox::DaemonManualPage(COX_VERSION);
    return kExitOk;
  }

  std::vector<ConfigValues> sources = {flags};
  auto environment = cox::daemon::ReadConfigEnvironment(environ);
  if (!environment.ok()) return Fail(kExitUsage, environment.status());
  sources.push_back(*environment);
  if (!config_path.empty()) {
    auto file = cox::daemon::ReadConfigFile(config_path);
    if (!file.ok()) return Fail(kExitUsage, file.status());
    sources.push_back(*file);
  }
  const auto config = cox::daemon::MakeConfig(sources);
  if (!config.ok()) return Fail(kExitUsage, config.status());
  if (check_only) {
    for (const cox::daemon::ConfigKey& key : cox::daemon::ConfigKeys()) {
      std::cout << cox::daemon::DescribeConfigKey(key, sources) << "\n";
    }
    return kExitOk;
  }
  if (absl::Status log = cox::daemon::SetUpLog(config->log_level); !log.ok()) {
    return Fail(kExitUsage, log);
  }

  auto server = cox::service::Server::Start(*config);
  if (!server.ok()) return Fail(kExitFailed, server.status());
  cox::daemon::Log(LogLevel::kInfo, "listening",
                   {{"address", (*server)->address()},
                    {"version", COX_VERSION},
                    {"config", cox::daemon::DescribeConfig(sources)}});
  int signal_number = 0;
  sigwait(&signals, &signal_number);
  cox::daemon::Log(LogLevel::kInfo, "draining", {{"signal", strsignal(signal_number)}});
  (*server)->Drain();
  server->reset();
  cox::daemon::Log(LogLevel::kInfo, "ended");
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(argc, argv);
  } catch (...) {
    // Out of memory before anything was opened, or a wrong table of settings: nothing to save.
    std::fputs("coxd: ended by an exception\n", stderr);
    return kExitFailed;
  }
}
