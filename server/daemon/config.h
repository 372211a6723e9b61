// The daemon's settings: one table of keys; each key is a flag (--key), a line of the configuration
// file (key = value) and an environment variable (COXD_KEY, with '_' for '-').
//
// Precedence: flag, environment, file, default. All settings are checked together.
#ifndef COX_DAEMON_CONFIG_H_
#define COX_DAEMON_CONFIG_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace cox::daemon {

// Key to value, as written.
using ConfigValues = std::map<std::string, std::string>;

// Where settings come from, so that they can be read again.
struct ConfigSources {
  std::vector<ConfigValues> before_file;  // flags and environment; earlier ones override later ones
  std::string file;                       // "": none
};

struct Config {
  ConfigSources sources;            // for roles, which are read again
  std::string data;                 // directory of the database and of tokens
  std::string store_url;            // "postgresql://..."; "": SQLite in `data`
  std::vector<std::string> listen;  // gRPC addresses, at least one
  std::string http;                 // HTTP address; "": no HTTP
  bool is_http_set = false;         // by a source; otherwise http is the default
  mode_t socket_mode = 0;           // of the file of a Unix socket
  std::string socket_group;         // of that file; "": the process's
  // Who may do what: access/policy.h.
  std::string roles;
  std::string projects;
  std::string anonymous_role;
  std::string token_file;                  // absolute, or in `data`
  bool reporters_create_machines = false;  // by reporting of unknown ones
  bool hide_foreign_jobs = false;          // from viewers and reporters
  std::string slurm_jwt_key;               // file; "": tokens of Slurm do not count
  std::vector<std::string> munge_names;    // of this daemon in credentials of munge; none: no munge
  std::string munge_socket;                // "": libmunge's
  bool insecure = false;                   // addresses that other hosts reach may do without TLS
  // Files in PEM; "": none. With a certificate every TCP address speaks TLS.
  std::string tls_certificate;
  std::string tls_key;
  std::string tls_client_ca;
  int64_t max_connections = 0;
  double idle_timeout_s = 0;  // of connections without calls
  bool allow_network_file_system = false;
  std::string log_level;
  bool reflection = true;
  bool published_machines = true;
  double refine_interval_s = 0;
  double drain_timeout_s = 0;
  double commit_delay_s = 0;
  int64_t commit_rows = 0;
  int64_t queue_rows = 0;
  int64_t max_message_bytes = 0;
  int64_t max_streams = 0;
  int64_t max_memory_bytes = 0;
  // Of each reporter and viewer; 0: no limit.
  int64_t quota_rows = 0;         // a second
  int64_t quota_machines = 0;     // new ones, a day
  int64_t quota_jobs = 0;         // new ones, an hour
  int64_t quota_questions = 0;    // heavy ones, a minute
  int64_t quota_streams = 0;      // open
  int64_t quota_connections = 0;  // open; of each user of a Unix socket, and of each other host
  int64_t quota_scenarios = 0;    // new ones, an hour
  // Of all callers together.
  int64_t machine_scenarios = 0;     // of a machine
  int64_t max_scenarios = 0;         // of all machines
  double retention_age_s = 0;        // of rows; 0: any
  double retention_jobs_s = 0;       // age of jobs; 0: any
  int64_t retention_size_bytes = 0;  // of the rows and sums of a machine; 0: any
  double backup_every_s = 0;         // 0: only on demand
  int64_t backup_keep = 0;
  // A relay (relay/relay.h).
  std::vector<std::string> relay;  // addresses of the coxd behind it; none: this is no relay
  std::string relay_token_file;    // "": none
  std::string relay_tls_ca;        // file in PEM; "": no TLS to that coxd
  int64_t relay_spool_bytes = 0;
};

// One key, for help texts, the sample file and the manual.
struct ConfigKey {
  absl::string_view name;           // "refine-interval"
  absl::string_view value_name;     // "DURATION"
  absl::string_view default_value;  // as it is written
  absl::string_view description;
  // Reads `text` into the config; INVALID_ARGUMENT with the key as field.
  absl::Status (*set)(absl::string_view text, Config* config);
};
absl::Span<const ConfigKey> ConfigKeys();

// Reads a TOML file. INVALID_ARGUMENT with file, line and key for an unknown key, a wrong type or
// bad TOML, and for a directory; NOT_FOUND if it cannot be opened.
absl::StatusOr<ConfigValues> ReadConfigFile(const std::string& path);

// The COXD_* variables of the environment. INVALID_ARGUMENT for an unknown COXD_ variable.
absl::StatusOr<ConfigValues> ReadConfigEnvironment(char** environment);

// Combines sources (earlier ones override later ones) and defaults, and checks all settings.
absl::StatusOr<Config> MakeConfig(const std::vector<ConfigValues>& sources);

// The values of all sources, in their order: reads the file. Fails as ReadConfigFile() does.
absl::StatusOr<std::vector<ConfigValues>> ReadConfigValues(const ConfigSources& sources);

// "key = value" of one key, as the configuration file would say it.
std::string DescribeConfigKey(const ConfigKey& key, const std::vector<ConfigValues>& sources);

// "key=value" for all keys, effective values, on one line.
std::string DescribeConfig(const std::vector<ConfigValues>& sources);

}  // namespace cox::daemon

#endif  // COX_DAEMON_CONFIG_H_
