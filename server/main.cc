// coxd: settings, log, server, signals.
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "accounts/become_owner.h"
#include "command_line.h"
#include "daemon/config.h"
#include "daemon/host/core_files.h"
#include "daemon/host/listen_address.h"
#include "daemon/host/service_manager.h"
#include "daemon/log.h"
#include "domain/words/counted.h"
#include "gateway/gateway.h"
#include "gateway/metrics.h"
#include "relay/relay.h"
#include "service/entry/access_setup.h"
#include "service/entry/deadlock_search.h"
#include "service/entry/library_log.h"
#include "service/server.h"
#include "store/copy/copy.h"
#include "store/outbox.h"
#include "store/store.h"

namespace cox {
namespace {

using daemon::ConfigValues;
using daemon::LogLevel;

int Fail(int code, const absl::Status& status) {
  std::cerr << "coxd: " << std::string(status.message()) << "\n";
  return code;
}

absl::StatusOr<daemon::ConfigSources> SourcesOf(const CommandLine& line) {
  auto environment = daemon::ReadConfigEnvironment(environ);
  if (!environment.ok()) return environment.status();
  return daemon::ConfigSources{{line.flags, *std::move(environment)}, line.config_path};
}

// A warning, not an error: who checks the settings may not be the user who runs coxd.
void WarnOfWhatIsMissing(const daemon::Config& config) {
  if (!config.socket_group.empty() && getgrnam(config.socket_group.c_str()) == nullptr) {
    std::cerr << "coxd: warning: socket-group: there is no group \"" << config.socket_group
              << "\" on this host\n";
  }
  const std::pair<const char*, const std::string&> files[] = {
      {"tls-certificate", config.tls_certificate},   {"tls-key", config.tls_key},
      {"tls-client-ca", config.tls_client_ca},       {"slurm-jwt-key", config.slurm_jwt_key},
      {"relay-token-file", config.relay_token_file}, {"relay-tls-ca", config.relay_tls_ca}};
  for (const auto& [setting, path] : files) {
    if (path.empty() || ::access(path.c_str(), R_OK) == 0) continue;
    std::cerr << "coxd: warning: " << setting << ": " << path << ": " << std::strerror(errno)
              << "; coxd needs this file\n";
  }
}

// Whether an entry of `roles` gives one to a user of this host other than root and this process's.
bool NamesAnother(absl::string_view entry) {
  entry = absl::StripAsciiWhitespace(entry);
  if (absl::EndsWith(entry, "=none")) return false;
  const absl::string_view who = entry.substr(0, entry.find('='));
  const passwd* const own = getpwuid(geteuid());
  const bool is_own = who == absl::StrCat(geteuid()) || (own != nullptr && who == own->pw_name);
  return !is_own && who != "none" && who != "root" && who != "0" && !absl::StartsWith(who, "cert:");
}

// A mode that contradicts the roles is most likely forgotten.
void WarnOfClosedSocket(const daemon::Config& config) {
  constexpr mode_t kOthersMayConnect = 0022;
  const bool is_unix_only =
      std::all_of(config.listen.begin(), config.listen.end(), daemon::IsUnixAddress);
  const std::vector<absl::string_view> roles = absl::StrSplit(config.roles, ',');
  const bool names_others = std::any_of(roles.begin(), roles.end(), NamesAnother);
  if (!is_unix_only || !names_others || (config.socket_mode & kOthersMayConnect) != 0) return;
  std::cerr << "coxd: warning: roles names other users, but only the user of coxd and root may "
               "connect to the socket: set socket-mode (0660 with socket-group, or 0666)\n";
}

void PrintConfig(const std::vector<ConfigValues>& sources) {
  for (const daemon::ConfigKey& key : daemon::ConfigKeys()) {
    std::cout << daemon::DescribeConfigKey(key, sources) << "\n";
  }
}

// Every thread that starts later inherits the mask, so that AwaitEnd() alone takes the signals.
sigset_t BlockSignals() {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a limit of the file size is a full disk, no reason to end
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// Returns the signal. Meanwhile keeps the watchdog quiet as long as every listener
// answers.
int AwaitEnd(const sigset_t& signals, const daemon::ServiceManager& manager,
             const service::Server& server, const gateway::Gateway* http) {
  // A look at all listeners and the pause after it end before the watchdog's time does.
  const auto look = manager.watchdog_time() / 2;
  const auto pause = look / 2;
  if (pause.count() == 0) {
    int number = 0;
    sigwait(&signals, &number);
    return number;
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(pause);
  const timespec timeout = {seconds.count(), std::chrono::nanoseconds(pause - seconds).count()};
  while (true) {
    const auto end = std::chrono::steady_clock::now() + look;
    bool answers = server.Answers(look);
    if (answers && http != nullptr) {
      const auto left = end - std::chrono::steady_clock::now();
      answers = left.count() > 0 &&
                http->Answers(std::chrono::duration_cast<std::chrono::microseconds>(left));
    }
    if (answers) manager.Notify("WATCHDOG=1");
    if (const int number = sigtimedwait(&signals, nullptr, &timeout); number > 0) return number;
  }
}

// Null without HTTP: it is off, or the site did not set an address and another daemon has the
// default one.
absl::StatusOr<std::unique_ptr<gateway::Gateway>> StartGateway(
    const daemon::Config& config, service::Server* server,
    const std::shared_ptr<gateway::Metrics>& metrics) {
  if (config.http.empty()) return nullptr;
  gateway::HttpLimits limits;
  limits.body_bytes = config.max_message_bytes;
  auto started = gateway::Gateway::Start(config.http, limits, server, metrics);
  if (started.ok()) {
    daemon::Log(LogLevel::kInfo, "listening", {{"http", (*started)->address()}});
    return started;
  }
  if (config.is_http_set) return started;
  daemon::Log(LogLevel::kWarning, "no HTTP", {{"reason", std::string(started.status().message())}});
  return nullptr;
}

// coxd does not read the spool of a relay.
void TellOfUnsentReports(const std::string& directory) {
  const absl::StatusOr<int64_t> bytes = store::WaitingBytes(directory);
  const std::string spool = directory + "/outbox.db";
  if (!bytes.ok()) {
    daemon::Log(LogLevel::kWarning, "cannot read what a relay has left here",
                {{"error", std::string(bytes.status().message())}});
  } else if (*bytes > 0) {
    daemon::Log(
        LogLevel::kWarning,
        "a relay that ran here has not sent all reports: start it with this file in another "
        "data directory",
        {{"file", spool}, {"bytes", std::to_string(*bytes)}});
  }
}

int Serve(const daemon::Config& config, const std::vector<ConfigValues>& sources,
          const sigset_t& signals) {
  service::TakeLibraryLogs();
  service::StopDeadlockSearch();
  if (absl::Status kept = daemon::KeepMemoryOutOfCoreFiles(); !kept.ok()) {
    daemon::Log(LogLevel::kWarning, "a core file would have secrets",
                {{"reason", std::string(kept.message())}});
  }
  const auto metrics = std::make_shared<gateway::Metrics>();
  auto server = config.relay.empty()
                    ? service::Server::Start(config, {}, gateway::MakeInterceptor(metrics))
                    : relay::StartRelay(config);
  if (!server.ok()) return Fail(kExitFailed, server.status());
  auto http = StartGateway(config, server->get(), metrics);
  if (!http.ok()) return Fail(kExitFailed, http.status());
  const daemon::ServiceManager manager(getenv);
  manager.Notify("READY=1");
  daemon::Log(LogLevel::kInfo, "listening",
              {{"address", (*server)->address()},
               {"version", COX_VERSION},
               {"config", daemon::DescribeConfig(sources)}});
  if (config.relay.empty()) TellOfUnsentReports(config.data);
  const int number = AwaitEnd(signals, manager, **server, http->get());
  manager.Notify("STOPPING=1");
  daemon::Log(LogLevel::kInfo, "draining", {{"signal", strsignal(number)}});
  if (*http != nullptr) (*http)->Drain();
  (*server)->Drain();
  http->reset();
  server->reset();
  daemon::Log(LogLevel::kInfo, "ended");
  return kExitOk;
}

// For a command of root, while the daemon of another user is stopped.
absl::Status WorkAsOwnerOf(const std::string& directory) {
  if (accounts::BecomeOwner(directory)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("cannot become the owner of ", directory, ": ",
                                                    std::strerror(errno),
                                                    "; run the command as that user"));
}

// The default directory is not taken: who forgets to name his own would replace another database.
absl::Status CheckDataIsNamed(const daemon::ConfigSources& sources) {
  const bool is_named = std::any_of(sources.before_file.begin(), sources.before_file.end(),
                                    [](const ConfigValues& one) { return one.contains("data"); });
  if (is_named || !sources.file.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--restore needs --data DIR, the data directory of coxd, or --config FILE, its configuration "
      "file");
}

int Restore(const daemon::Config& config, const std::string& backup) {
  if (!config.store_url.empty()) {
    return Fail(kExitUsage, absl::InvalidArgumentError(
                                "--restore is for SQLite: restore PostgreSQL with pg_restore"));
  }
  if (absl::Status named = CheckDataIsNamed(config.sources); !named.ok()) {
    return Fail(kExitUsage, named);
  }
  if (absl::Status owner = WorkAsOwnerOf(config.data); !owner.ok()) {
    return Fail(kExitFailed, owner);
  }
  store::StoreOptions options;
  options.directory = config.data;
  options.allow_network_file_system = config.allow_network_file_system;
  const absl::StatusOr<std::string> replaced = store::RestoreSqlite(options, backup);
  if (!replaced.ok()) return Fail(kExitFailed, replaced.status());
  std::cout << "restored " << backup << " into " << config.data
            << (replaced->empty() ? "; there was no database"
                                  : "; the replaced database is " + *replaced)
            << "\nnote: a backup has the database only: copy the tokens (file " << config.token_file
            << "), the configuration, certificates and keys yourself\n";
  return kExitOk;
}

int Copy(const daemon::Config& config, const std::string& from) {
  const bool is_from_postgres = absl::StrContains(from, "://");
  if (is_from_postgres != config.store_url.empty()) {
    return Fail(kExitUsage,
                absl::InvalidArgumentError(
                    "--copy-from copies a data directory to --store postgresql://..., or a"
                    " database postgresql://... to the directory --data without --store"));
  }
  if (absl::Status owner = WorkAsOwnerOf(is_from_postgres ? config.data : from); !owner.ok()) {
    return Fail(kExitFailed, owner);
  }
  const auto tell = [](absl::string_view table, int64_t row_count) {
    std::cout << table << ": " << domain::Counted(row_count, "row") << std::endl;
  };
  absl::Status copied = is_from_postgres ? store::CopyToSqlite(from, config.data, tell)
                                         : store::CopyToPostgres(from, config.store_url, tell);
  if (!copied.ok()) return Fail(kExitFailed, copied);
  std::cout << "copied; all rows are there and equal\n";
  return kExitOk;
}

int Run(int argc, char** argv) {
  const sigset_t signals = BlockSignals();
  const CommandLine line = ParseCommandLine(argc, argv);
  if (line.action == CommandLine::Action::kEnd) return line.exit_code;
  const auto sources = SourcesOf(line);
  if (!sources.ok()) return Fail(kExitUsage, sources.status());
  const auto values = daemon::ReadConfigValues(*sources);
  if (!values.ok()) return Fail(kExitUsage, values.status());
  auto config = daemon::MakeConfig(*values);
  if (!config.ok()) return Fail(kExitUsage, config.status());
  config->sources = *sources;
  if (absl::Status access = service::CheckAccessSettings(*config); !access.ok()) {
    return Fail(kExitUsage, access);
  }
  if (line.action == CommandLine::Action::kCheckConfig) {
    PrintConfig(*values);
    WarnOfWhatIsMissing(*config);
    WarnOfClosedSocket(*config);
    return kExitOk;
  }
  if (line.action == CommandLine::Action::kRestore) return Restore(*config, line.backup_path);
  if (line.action == CommandLine::Action::kCopy) return Copy(*config, line.copied_path);
  if (absl::Status log = daemon::SetUpLog(config->log_level); !log.ok()) {
    return Fail(kExitUsage, log);
  }
  const int code = Serve(*config, *values, signals);
  daemon::EndLog();
  return code;
}

// Abseil's tables are broken after an allocation of theirs that failed, and gRPC would go on with
// them. A start finds all that was acknowledged.
[[noreturn]] void EndWithoutMemory() {
  constexpr char kLine[] =
      "coxd: ends, because it finds no memory; what it acknowledged is stored\n";
  if (write(STDERR_FILENO, kLine, sizeof kLine - 1) < 0) { /* nobody reads it */
  }
  std::abort();
}

}  // namespace
}  // namespace cox

int main(int argc, char** argv) {
  std::set_new_handler(cox::EndWithoutMemory);
  try {
    return cox::Run(argc, argv);
  } catch (...) {
    // A wrong table of settings: nothing to save.
    std::fputs("coxd: ended by an exception\n", stderr);
    return cox::kExitFailed;
  }
}
