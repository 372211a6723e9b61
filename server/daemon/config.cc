#include "daemon/config.h"

#include <sys/stat.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "daemon/host/listen_address.h"
#include "domain/errors.h"
#include "domain/words/nearest_word.h"
#include "domain/words/refused_value.h"

namespace cox::daemon {
namespace {

absl::Status SetText(absl::string_view key, absl::string_view text, std::string* out) {
  if (text.empty()) return domain::InvalidField(key, "must not be empty");
  *out = std::string(text);
  return absl::OkStatus();
}

// "none" is the empty text.
absl::Status SetOptional(absl::string_view key, absl::string_view text, std::string* out) {
  absl::Status set = SetText(key, text, out);
  if (text == "none") out->clear();
  return set;
}

// A password would be in the process list and in the log.
absl::Status SetStore(absl::string_view text, std::string* out) {
  out->clear();
  if (text == "sqlite") return absl::OkStatus();
  absl::string_view rest = text;
  if (!absl::ConsumePrefix(&rest, "postgresql://") && !absl::ConsumePrefix(&rest, "postgres://")) {
    return domain::InvalidField("store", "must be sqlite or postgresql://USER@HOST/DATABASE");
  }
  const size_t at = rest.find('@');
  const bool has_user = at != absl::string_view::npos && at < rest.find_first_of("/?");
  if ((has_user && absl::StrContains(rest.substr(0, at), ':')) ||
      absl::StrContains(rest, "password=")) {
    return domain::InvalidField(
        "store", "must not hold a password: put it into a file and write passfile=FILE");
  }
  *out = std::string(text);
  return absl::OkStatus();
}

absl::Status SetAddresses(absl::string_view text, std::vector<std::string>* out) {
  out->clear();
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const absl::string_view address = absl::StripAsciiWhitespace(part);
    if (absl::Status checked = CheckAddress(address, "listen"); !checked.ok()) return checked;
    out->emplace_back(address);
  }
  return absl::OkStatus();
}

// "none" is the empty list.
absl::Status SetNames(absl::string_view key, absl::string_view text,
                      std::vector<std::string>* out) {
  out->clear();
  if (text == "none") return absl::OkStatus();
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const absl::string_view name = absl::StripAsciiWhitespace(part);
    if (name.empty() || !std::all_of(name.begin(), name.end(), absl::ascii_isgraph)) {
      return domain::InvalidField(
          key, absl::StrCat("must be names or addresses of this host, separated by commas; it is "
                            "\"",
                            text, "\""));
    }
    out->emplace_back(name);
  }
  return absl::OkStatus();
}

// Where a relay connects to. Looks up no name.
absl::Status CheckUpstream(absl::string_view address) {
  if (IsUnixAddress(address)) return CheckAddress(address, "relay");
  constexpr int kMostPort = 65535;
  const size_t colon = address.rfind(':');
  int port = 0;
  const bool has_host = colon != absl::string_view::npos && colon > 0 &&
                        address.find_first_of(" /") == absl::string_view::npos;
  if (has_host && absl::ascii_isdigit(address.back()) &&
      absl::SimpleAtoi(address.substr(colon + 1), &port) && port >= 1 && port <= kMostPort) {
    return absl::OkStatus();
  }
  return domain::InvalidField(
      "relay",
      absl::StrCat("must be HOST:PORT with a port within 1..65535, or unix:/PATH; it is \"",
                   address, "\""));
}

absl::Status SetUpstreams(absl::string_view text, std::vector<std::string>* out) {
  out->clear();
  if (text == "none") return absl::OkStatus();
  for (const absl::string_view address : absl::StrSplit(text, ',')) {
    if (absl::Status checked = CheckUpstream(address); !checked.ok()) return checked;
    if (std::find(out->begin(), out->end(), address) != out->end()) {
      return domain::InvalidField("relay", absl::StrCat("names \"", address, "\" twice"));
    }
    out->emplace_back(address);
  }
  return absl::OkStatus();
}

absl::Status SetBool(absl::string_view key, absl::string_view text, bool* out) {
  if (text == "true" || text == "false") {
    *out = text == "true";
    return absl::OkStatus();
  }
  return domain::InvalidField(key, absl::StrCat("must be true or false; it is \"", text, "\""));
}

// "90d", "10s", in the largest unit that fits.
std::string DurationText(double time_s) {
  constexpr std::pair<const char*, double> kUnits[] = {{"d", 86'400}, {"h", 3'600}, {"m", 60}};
  for (const auto& [name, unit_s] : kUnits) {
    if (time_s >= unit_s && std::fmod(time_s, unit_s) == 0) {
      return absl::StrFormat("%.0f%s", time_s / unit_s, name);
    }
  }
  return absl::StrCat(time_s, "s");
}

absl::Status SetDuration(absl::string_view key, absl::string_view text, double low_s, double high_s,
                         double* out) {
  absl::Duration duration;
  int64_t days = 0;
  absl::string_view digits = text;
  if (absl::ConsumeSuffix(&digits, "d") && absl::SimpleAtoi(digits, &days)) {
    duration = static_cast<double>(days) * absl::Hours(24);
  } else if (!absl::ParseDuration(text, &duration)) {
    return domain::InvalidField(
        key,
        absl::StrCat("must be a duration such as 250ms, 5s, 1m, 12h or 90d; it is \"", text, "\""));
  }
  const double seconds = absl::ToDoubleSeconds(duration);
  if (!(seconds >= low_s && seconds <= high_s)) {
    return domain::InvalidField(key, absl::StrCat("must be in ", DurationText(low_s), "..",
                                                  DurationText(high_s), "; it is \"", text, "\""));
  }
  *out = seconds;
  return absl::OkStatus();
}

absl::Status SetMode(absl::string_view key, absl::string_view text, mode_t* out) {
  constexpr unsigned kMostMode = 0777;
  unsigned mode = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '7') mode = kMostMode + 1;
    if (mode <= kMostMode) mode = mode * 8 + static_cast<unsigned>(digit - '0');
  }
  if (text.empty() || mode > kMostMode) {
    return domain::InvalidField(
        key, absl::StrCat("must be an octal mode in 0..0777, such as 0660; it is \"", text, "\""));
  }
  *out = mode;
  return absl::OkStatus();
}

absl::Status SetCount(absl::string_view key, absl::string_view text, int64_t low, int64_t high,
                      int64_t* out) {
  int64_t value = 0;
  if (!absl::SimpleAtoi(text, &value) || value < low || value > high) {
    return domain::InvalidField(
        key, absl::StrCat("must be a whole number in ", low, "..", high, "; it is \"", text, "\""));
  }
  *out = value;
  return absl::OkStatus();
}

absl::Status SetSize(absl::string_view key, absl::string_view text, int64_t low, int64_t high,
                     int64_t* out) {
  absl::string_view digits = text;
  int64_t unit = 1;
  if (absl::ConsumeSuffix(&digits, "KiB")) {
    unit = int64_t{1} << 10;
  } else if (absl::ConsumeSuffix(&digits, "MiB")) {
    unit = int64_t{1} << 20;
  } else if (absl::ConsumeSuffix(&digits, "GiB")) {
    unit = int64_t{1} << 30;
  }
  int64_t count = 0;
  int64_t bytes = 0;
  if (!absl::SimpleAtoi(digits, &count) || __builtin_mul_overflow(count, unit, &bytes) ||
      bytes < low || bytes > high) {
    return domain::InvalidField(key, absl::StrCat("must be a size such as 8MiB, in ", low, "..",
                                                  high, " bytes; it is \"", text, "\""));
  }
  *out = bytes;
  return absl::OkStatus();
}

constexpr int64_t kMaxQuota = 1'000'000'000;

constexpr ConfigKey kKeys[] = {
    {"data", "DIR", "/var/lib/coxswain",
     "directory of the database; coxd creates it if it is missing",
     [](absl::string_view text, Config* config) { return SetText("data", text, &config->data); }},
    {"store", "URL", "sqlite",
     "sqlite: a file in the data directory; postgresql://USER@HOST/DATABASE: a PostgreSQL server",
     [](absl::string_view text, Config* config) { return SetStore(text, &config->store_url); }},
    {"listen", "ADDRESS", "127.0.0.1:7077",
     "addresses for gRPC, separated by commas: 127.0.0.1:PORT (port 0: any free one), [::1]:PORT, "
     "unix:/PATH; with TLS any IP:PORT",
     [](absl::string_view text, Config* config) { return SetAddresses(text, &config->listen); }},
    {"roles", "LIST", "none",
     "roles by user, such as alice=admin,@hpc=operator,*=reporter (*: other users of a Unix "
     "socket); "
     "cert:NAME=ROLE for client certificates",
     [](absl::string_view text, Config* config) { return SetText("roles", text, &config->roles); }},
    {"anonymous-role", "ROLE", "operator",
     "role of clients over TCP without TLS and token: none, viewer, reporter, operator or admin",
     [](absl::string_view text, Config* config) {
       return SetText("anonymous-role", text, &config->anonymous_role);
     }},
    {"projects", "LIST", "none",
     "machines that only some users see, such as wx-*=@weather,bio=ada; also cert:NAME and "
     "token:NAME",
     [](absl::string_view text, Config* config) {
       return SetText("projects", text, &config->projects);
     }},
    {"token-file", "FILE", "tokens",
     "hashes of the tokens that cox token makes; a relative name is in the data directory",
     [](absl::string_view text, Config* config) {
       return SetText("token-file", text, &config->token_file);
     }},
    {"slurm-jwt-key", "FILE", "none",
     "Slurm's jwt_key: accepts the tokens of scontrol token; roles names the users",
     [](absl::string_view text, Config* config) {
       return SetOptional("slurm-jwt-key", text, &config->slurm_jwt_key);
     }},
    {"munge-names", "LIST", "none",
     "names by which clients call this host, such as head,10.0.0.1: accepts credentials of munge; "
     "roles names the users",
     [](absl::string_view text, Config* config) {
       return SetNames("munge-names", text, &config->munge_names);
     }},
    {"munge-socket", "FILE", "none", "socket of munged; none: where libmunge expects it",
     [](absl::string_view text, Config* config) {
       return SetOptional("munge-socket", text, &config->munge_socket);
     }},
    {"reporters-create-machines", "BOOL", "false",
     "a reporter's timings of an unknown machine register it; else only operators register "
     "machines",
     [](absl::string_view text, Config* config) {
       return SetBool("reporters-create-machines", text, &config->reporters_create_machines);
     }},
    {"hide-foreign-jobs", "BOOL", "false",
     "viewers and reporters see the names of their own jobs only; without it every viewer sees all",
     [](absl::string_view text, Config* config) {
       return SetBool("hide-foreign-jobs", text, &config->hide_foreign_jobs);
     }},
    {"tls-certificate", "FILE", "none",
     "certificate chain (PEM) of every TCP address, HTTP too; coxd notices when it changes",
     [](absl::string_view text, Config* config) {
       return SetOptional("tls-certificate", text, &config->tls_certificate);
     }},
    {"tls-key", "FILE", "none", "private key (PEM) of tls-certificate",
     [](absl::string_view text, Config* config) {
       return SetOptional("tls-key", text, &config->tls_key);
     }},
    {"tls-client-ca", "FILE", "none",
     "certificates (PEM) that vouch for clients; roles names the clients",
     [](absl::string_view text, Config* config) {
       return SetOptional("tls-client-ca", text, &config->tls_client_ca);
     }},
    {"insecure", "BOOL", "false",
     "let other hosts connect without TLS: everyone there has the anonymous-role, and can read "
     "tokens",
     [](absl::string_view text, Config* config) {
       return SetBool("insecure", text, &config->insecure);
     }},
    {"socket-mode", "MODE", "0600",
     "permissions of a Unix socket, octal; users who may write may connect (0660 with "
     "socket-group)",
     [](absl::string_view text, Config* config) {
       return SetMode("socket-mode", text, &config->socket_mode);
     }},
    {"socket-group", "GROUP", "none", "group of a Unix socket; none: the daemon's own",
     [](absl::string_view text, Config* config) {
       return SetOptional("socket-group", text, &config->socket_group);
     }},
    {"max-connections", "COUNT", "4096", "open connections; more are closed at once",
     [](absl::string_view text, Config* config) {
       return SetCount("max-connections", text, 1, 1'000'000, &config->max_connections);
     }},
    {"idle-timeout", "DURATION", "10m", "closes a connection that has had no call for this long",
     [](absl::string_view text, Config* config) {
       return SetDuration("idle-timeout", text, 1, 86'400, &config->idle_timeout_s);
     }},
    {"http", "ADDRESS", "127.0.0.1:7078",
     "HTTP address: 127.0.0.1:PORT (port 0: any free one), [::1]:PORT, with TLS any IP:PORT, or "
     "off; "
     "off beside a Unix socket or TLS, unless set",
     [](absl::string_view text, Config* config) {
       config->http = text == "off" ? "" : std::string(text);
       if (text == "off") return absl::OkStatus();
       if (absl::StartsWith(text, "unix")) {
         return domain::InvalidField("http", "must be 127.0.0.1:PORT, [::1]:PORT or off");
       }
       return CheckAddress(text, "http");
     }},
    {"log-level", "LEVEL", "info", "debug, info, warning or error",
     [](absl::string_view text, Config* config) {
       if (text != "debug" && text != "info" && text != "warning" && text != "error") {
         return domain::InvalidField("log-level", "must be debug, info, warning or error");
       }
       return SetText("log-level", text, &config->log_level);
     }},
    {"reflection", "BOOL", "true", "answer gRPC reflection: tools can list the API",
     [](absl::string_view text, Config* config) {
       return SetBool("reflection", text, &config->reflection);
     }},
    {"published-machines", "BOOL", "true",
     "add the machines with published parameters to the database, once",
     [](absl::string_view text, Config* config) {
       return SetBool("published-machines", text, &config->published_machines);
     }},
    {"allow-network-file-system", "BOOL", "false",
     "accept a data directory on a network file system, where SQLite's locks may fail",
     [](absl::string_view text, Config* config) {
       return SetBool("allow-network-file-system", text, &config->allow_network_file_system);
     }},
    {"refine-interval", "DURATION", "5s", "shortest time between two refined profiles of a machine",
     [](absl::string_view text, Config* config) {
       return SetDuration("refine-interval", text, 0, 86'400, &config->refine_interval_s);
     }},
    {"drain-timeout", "DURATION", "5s", "time for open calls after SIGTERM",
     [](absl::string_view text, Config* config) {
       return SetDuration("drain-timeout", text, 0, 3'600, &config->drain_timeout_s);
     }},
    {"commit-delay", "DURATION", "2ms", "commit waiting writes when the oldest has this age",
     [](absl::string_view text, Config* config) {
       return SetDuration("commit-delay", text, 0, 10, &config->commit_delay_s);
     }},
    {"commit-rows", "COUNT", "5000", "commit waiting writes when they have this many rows",
     [](absl::string_view text, Config* config) {
       return SetCount("commit-rows", text, 1, 1'000'000, &config->commit_rows);
     }},
    {"queue-rows", "COUNT", "200000",
     "most rows that wait for a commit; coxd asks clients to retry beyond it",
     [](absl::string_view text, Config* config) {
       return SetCount("queue-rows", text, 1'000, 100'000'000, &config->queue_rows);
     }},
    {"max-message", "SIZE", "8MiB", "largest request",
     [](absl::string_view text, Config* config) {
       return SetSize("max-message", text, 65'536, 1 << 30, &config->max_message_bytes);
     }},
    {"max-streams", "COUNT", "1024", "most open streams; coxd asks clients to retry beyond it",
     [](absl::string_view text, Config* config) {
       return SetCount("max-streams", text, 1, 1'000'000, &config->max_streams);
     }},
    {"max-memory", "SIZE", "512MiB",
     "memory for requests in progress: a quarter for gRPC's buffers, half for their content",
     [](absl::string_view text, Config* config) {
       return SetSize("max-memory", text, 16 << 20, int64_t{1} << 40, &config->max_memory_bytes);
     }},
    {"quota-rows", "COUNT", "50000",
     "rows a second that each reporter may send, and ten times as many at once; 0: no limit",
     [](absl::string_view text, Config* config) {
       return SetCount("quota-rows", text, 0, kMaxQuota, &config->quota_rows);
     }},
    {"quota-machines", "COUNT", "10",
     "machines that each reporter may register in a day; 0: no limit",
     [](absl::string_view text, Config* config) {
       return SetCount("quota-machines", text, 0, kMaxQuota, &config->quota_machines);
     }},
    {"quota-jobs", "COUNT", "10000",
     "new jobs for which each reporter may report in an hour; 0: no limit",
     [](absl::string_view text, Config* config) {
       return SetCount("quota-jobs", text, 0, kMaxQuota, &config->quota_jobs);
     }},
    {"quota-questions", "COUNT", "600",
     "heavy questions, such as history, that each viewer may ask in a minute; 0: no limit",
     [](absl::string_view text, Config* config) {
       return SetCount("quota-questions", text, 0, kMaxQuota, &config->quota_questions);
     }},
    {"quota-streams", "COUNT", "512",
     "open streams that each reporter or viewer may have; 0: no limit",
     [](absl::string_view text, Config* config) {
       return SetCount("quota-streams", text, 0, kMaxQuota, &config->quota_streams);
     }},
    {"quota-connections", "COUNT", "256",
     "open gRPC connections of each user of a Unix socket below operator, and of each host over "
     "TCP; 0: no limit",
     [](absl::string_view text, Config* config) {
       return SetCount("quota-connections", text, 0, kMaxQuota, &config->quota_connections);
     }},
    {"quota-scenarios", "COUNT", "20000",
     "new scenarios for which each reporter may report in an hour; 0: no limit",
     [](absl::string_view text, Config* config) {
       return SetCount("quota-scenarios", text, 0, kMaxQuota, &config->quota_scenarios);
     }},
    {"machine-scenarios", "COUNT", "50000",
     "most scenarios of a machine that coxd takes timings of",
     [](absl::string_view text, Config* config) {
       return SetCount("machine-scenarios", text, 1, kMaxQuota, &config->machine_scenarios);
     }},
    {"max-scenarios", "COUNT", "200000",
     "most scenarios of all machines together; learning keeps them in memory",
     [](absl::string_view text, Config* config) {
       return SetCount("max-scenarios", text, 1, kMaxQuota, &config->max_scenarios);
     }},
    {"retention-age", "DURATION", "90d",
     "age from which coxd keeps sums of timings and no refined profiles; 0s: any",
     [](absl::string_view text, Config* config) {
       return SetDuration("retention-age", text, 0, 3'153'600'000, &config->retention_age_s);
     }},
    {"retention-jobs", "DURATION", "365d",
     "age from which coxd keeps of a job what its source has reported; 0s: any, else at least 7d",
     [](absl::string_view text, Config* config) {
       absl::Status status =
           SetDuration("retention-jobs", text, 0, 3'153'600'000, &config->retention_jobs_s);
       const bool is_too_short =
           config->retention_jobs_s > 0 && config->retention_jobs_s < 7 * 86'400.0;
       return status.ok() && is_too_short
                  ? domain::InvalidField("retention-jobs", "must be 0s, or at least 7d")
                  : status;
     }},
    {"retention-size", "SIZE", "2GiB",
     "size of a machine's rows and sums, beyond which coxd keeps sums of the oldest rows; 0: any",
     [](absl::string_view text, Config* config) {
       absl::Status status =
           SetSize("retention-size", text, 0, int64_t{1} << 50, &config->retention_size_bytes);
       const bool is_too_small =
           config->retention_size_bytes > 0 && config->retention_size_bytes < 1 << 20;
       return status.ok() && is_too_small
                  ? domain::InvalidField("retention-size", "must be 0, or at least 1MiB")
                  : status;
     }},
    {"backup-every", "DURATION", "24h",
     "time between backups into DATA/backups while coxd runs; 0s: only `cox store backup`",
     [](absl::string_view text, Config* config) {
       absl::Status status =
           SetDuration("backup-every", text, 0, 31'536'000, &config->backup_every_s);
       const bool is_too_often = config->backup_every_s > 0 && config->backup_every_s < 60;
       return status.ok() && is_too_often
                  ? domain::InvalidField("backup-every", "must be 0s, or at least 1m")
                  : status;
     }},
    {"backup-keep", "COUNT", "3", "backups to keep; coxd removes the oldest",
     [](absl::string_view text, Config* config) {
       return SetCount("backup-keep", text, 1, 10'000, &config->backup_keep);
     }},
    {"relay", "ADDRESS", "none",
     "be a relay: keep reports on disk until the coxd at HOST:PORT or unix:/PATH has them, and "
     "pass "
     "questions on; several addresses with commas between them",
     [](absl::string_view text, Config* config) { return SetUpstreams(text, &config->relay); }},
    {"relay-token-file", "FILE", "none",
     "token of the relay at that coxd; with an operator's, reports keep the names of their "
     "reporters",
     [](absl::string_view text, Config* config) {
       return SetOptional("relay-token-file", text, &config->relay_token_file);
     }},
    {"relay-tls-ca", "FILE", "none",
     "certificates (PEM) that vouch for that coxd; with them the relay uses TLS",
     [](absl::string_view text, Config* config) {
       return SetOptional("relay-tls-ca", text, &config->relay_tls_ca);
     }},
    {"relay-spool", "SIZE", "1GiB",
     "reports that wait for that coxd; the relay asks clients to retry beyond it",
     [](absl::string_view text, Config* config) {
       return SetSize("relay-spool", text, 65'536, int64_t{1} << 40, &config->relay_spool_bytes);
     }},
};

const ConfigKey* FindKey(absl::string_view name) {
  for (const ConfigKey& key : kKeys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

std::string EnvironmentName(absl::string_view key) {
  return absl::StrCat("COXD_", absl::AsciiStrToUpper(absl::StrReplaceAll(key, {{"-", "_"}})));
}

std::vector<absl::string_view> KeyNames() {
  std::vector<absl::string_view> names;
  for (const ConfigKey& key : kKeys) names.push_back(key.name);
  return names;
}

absl::string_view Effective(const ConfigKey& key, const std::vector<ConfigValues>& sources) {
  for (const ConfigValues& source : sources) {
    const auto found = source.find(std::string(key.name));
    if (found != source.end()) return found->second;
  }
  return key.default_value;
}

// Settings that are right one by one, and together would open the daemon to everyone.
absl::Status CheckSecure(const Config& config) {
  if (config.tls_certificate.empty() != config.tls_key.empty()) {
    return domain::InvalidField("tls-key", "is needed with tls-certificate, and only with it");
  }
  if (config.tls_certificate.empty() && !config.tls_client_ca.empty()) {
    return domain::InvalidField("tls-client-ca", "needs tls-certificate and tls-key");
  }
  if (!config.tls_certificate.empty()) return absl::OkStatus();
  if (!config.http.empty()) {
    if (absl::Status local = CheckLocalAddress(config.http, "http"); !local.ok()) return local;
  }
  // Without TLS clients send no token; munge then says who calls, or the caller has no role.
  const bool needs_munge = !config.munge_names.empty() && config.anonymous_role == "none";
  if (config.insecure || needs_munge) return absl::OkStatus();
  for (const std::string& address : config.listen) {
    if (absl::Status local = CheckLocalAddress(address, "listen"); !local.ok()) return local;
  }
  return absl::OkStatus();
}

// What only coxd does. A site would rely on them in vain.
constexpr absl::string_view kNotOfRelays[] = {
    "hide-foreign-jobs", "published-machines", "refine-interval", "commit-delay",  "commit-rows",
    "queue-rows",        "machine-scenarios",  "max-scenarios",   "retention-age", "retention-jobs",
    "retention-size",    "backup-every",       "backup-keep"};

absl::Status CheckRelay(const Config& config, const std::vector<ConfigValues>& sources) {
  if (config.relay.empty()) {
    if (!config.relay_token_file.empty() || !config.relay_tls_ca.empty()) {
      return domain::InvalidField("relay", "is needed with relay-token-file and relay-tls-ca");
    }
    return absl::OkStatus();
  }
  if (config.is_http_set && !config.http.empty()) {
    return domain::InvalidField("http", "must be off with relay: a relay has no HTTP");
  }
  if (!config.store_url.empty()) {
    return domain::InvalidField("store", "must be sqlite with relay: a relay keeps its own spool");
  }
  for (const absl::string_view name : kNotOfRelays) {
    const ConfigKey& key = *FindKey(name);
    if (Effective(key, sources) == key.default_value) continue;
    return domain::InvalidField(name,
                                "has no effect with relay: set it at coxd; a relay has no database,"
                                " and passes questions on in its own name");
  }
  for (const std::string& address : config.relay) {
    if (std::find(config.listen.begin(), config.listen.end(), address) == config.listen.end()) {
      continue;
    }
    return domain::InvalidField(
        "relay", absl::StrCat("names the relay's own address \"", address, "\" (listen)"));
  }
  if (config.relay_token_file.empty() || !config.relay_tls_ca.empty()) return absl::OkStatus();
  for (const std::string& address : config.relay) {
    if (!CheckLocalAddress(address, "relay").ok()) {
      return domain::InvalidField(
          "relay-tls-ca", absl::StrCat("is needed with relay-token-file, because the network to ",
                                       address, " could read the token"));
    }
  }
  return absl::OkStatus();
}

// For an error's message only: empty where the file cannot be read.
std::string TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

absl::Span<const ConfigKey> ConfigKeys() { return kKeys; }

absl::StatusOr<ConfigValues> ReadConfigFile(const std::string& path) {
  // Reads as an empty file, whose settings are the defaults.
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a directory; name a file"));
  }
  toml::table table;
  try {
    table = toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    if (error.source().begin.line == 0) {
      return absl::NotFoundError(
          absl::StrCat(path, ": ", std::string(error.description()).c_str()));
    }
    const int64_t line = error.source().begin.line;
    const std::string reason = domain::ExplainRefusedValue(TextOf(path), line);
    return absl::InvalidArgumentError(absl::StrCat(
        path, ":", line, ": ", reason.empty() ? std::string(error.description()) : reason));
  }
  ConfigValues values;
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const std::string where = absl::StrCat(path, ":", node.source().begin.line, ": ");
    if (FindKey(name) == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          where, "there is no key \"", name, "\"", domain::DidYouMean(name, KeyNames()),
          "; there are ", absl::StrJoin(KeyNames(), ", ")));
    }
    if (const auto* text = node.as_string()) {
      values[name] = text->get();
    } else if (const auto* number = node.as_integer()) {
      values[name] = absl::StrCat(number->get());
    } else if (const auto* flag = node.as_boolean()) {
      values[name] = flag->get() ? "true" : "false";
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat(where, name, " must be a string, a whole number or true/false"));
    }
  }
  return values;
}

absl::StatusOr<ConfigValues> ReadConfigEnvironment(char** environment) {
  ConfigValues values;
  for (char** entry = environment; *entry != nullptr; ++entry) {
    const absl::string_view text = *entry;
    if (!absl::StartsWith(text, "COXD_")) continue;
    const size_t equals = text.find('=');
    const absl::string_view name = text.substr(0, equals);
    bool known = false;
    for (const ConfigKey& key : kKeys) {
      if (EnvironmentName(key.name) != name) continue;
      values[std::string(key.name)] = std::string(text.substr(equals + 1));
      known = true;
    }
    // COXD_CONFIG names the file itself.
    if (!known && name != "COXD_CONFIG") {
      return absl::InvalidArgumentError(
          absl::StrCat("environment: ", name,
                       " is not a setting. Write COXD_ and one of these in "
                       "capitals, with '_' for '-': ",
                       absl::StrJoin(KeyNames(), ", ")));
    }
  }
  return values;
}

absl::StatusOr<Config> MakeConfig(const std::vector<ConfigValues>& sources) {
  Config config;
  for (const ConfigKey& key : kKeys) {
    if (absl::Status set = key.set(Effective(key, sources), &config); !set.ok()) return set;
  }
  if (absl::Status secure = CheckSecure(config); !secure.ok()) return secure;
  if (config.token_file.front() != '/') {
    config.token_file = absl::StrCat(config.data, "/", config.token_file);
  }
  // A Unix socket restricts who may connect. A default port must not undo that.
  config.is_http_set = std::any_of(sources.begin(), sources.end(),
                                   [](const auto& source) { return source.contains("http"); });
  const bool has_unix_socket =
      std::any_of(config.listen.begin(), config.listen.end(), IsUnixAddress);
  if (!config.is_http_set &&
      (has_unix_socket || !config.tls_certificate.empty() || !config.relay.empty())) {
    config.http.clear();
  }
  if (absl::Status relay = CheckRelay(config, sources); !relay.ok()) return relay;
  return config;
}

absl::StatusOr<std::vector<ConfigValues>> ReadConfigValues(const ConfigSources& sources) {
  std::vector<ConfigValues> values = sources.before_file;
  if (sources.file.empty()) return values;
  absl::StatusOr<ConfigValues> file = ReadConfigFile(sources.file);
  if (!file.ok()) return file.status();
  values.push_back(*std::move(file));
  return values;
}

std::string DescribeConfigKey(const ConfigKey& key, const std::vector<ConfigValues>& sources) {
  return absl::StrCat(key.name, " = \"", Effective(key, sources), "\"");
}

std::string DescribeConfig(const std::vector<ConfigValues>& sources) {
  std::string text;
  for (const ConfigKey& key : kKeys) {
    absl::StrAppend(&text, text.empty() ? "" : " ", key.name, "=", Effective(key, sources));
  }
  return text;
}

}  // namespace cox::daemon
