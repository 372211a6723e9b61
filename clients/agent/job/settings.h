// The agent's settings, from the environment. Read once, in MPI_Init, before the application starts
// threads.
//
//   COX_DISABLE=1     times nothing; no thread, no file, no socket
//   COX_SERVER        where coxd listens: "127.0.0.1:7077" (the default), "host:port",
//                     "dns:host:port" or "unix:/path"; several with commas between them
//   COX_SERVER_USER   coxd's user: the plugin connects only to a Unix socket of this user, of root
//   or
//                     of its own (servers/checked_channel.h); default: COX_MUNGE, else coxswain
//   COX_TOKEN_FILE    a file with a token of `cox token create`, which says who reports; the plugin
//                     reads it (stream/channel.h) and sends it on this host only
//   COX_MUNGE         coxd's user: munge proves to coxd on another node who reports, and only this
//                     user can read the proof; COX_MUNGE_SOCKET: munged's socket, if not the usual
//   COX_JOB_CREDENTIAL  a file with the credential that Slurm's plugin has made for this step;
//                     stream/channel.h says when it is sent
//   COX_MACHINE       the machine's name; default: SLURM_CLUSTER_NAME, else the host's short name
//                     without the digits that count its nodes ("node017" and "node018": "node")
//   COX_JOB           the job's name, at most 95 printable characters without '@'; default: the
//                     launcher's name for it
//   COX_APPLICATION   the application's name, under which coxd keeps what its jobs send; default:
//   the
//                     program's file name
//   COX_INTERVAL      how often timings are sent: "1s" (the default), "250ms", "0.5"; 50 ms to 1 h
//   COX_SPOOL         the file for timings that could not be sent, at most 16 MiB; default:
//                     coxswain-<uid>-<job>-<node>.csv in $TMPDIR or /tmp
//   COX_SYNC=1        synchronised samples, on at most 0.5 % of the time (synchronise.h);
//                     "2%": on at most that share; "always": without a limit, for tests
//   COX_APPLY=1       steers the library call by call by the daemon's decision table (steering.h);
//                     "ours": libcoxcoll may run in place of the MPI library
//   COX_PRIVATE       the share of the time that making private communicators may take, beside
//                     MPI_COMM_WORLD's: "3%" (the default), at most 50%; "always": without a limit,
//                     for tests
//   COX_EXPLORE       the share of the collectives' time that trials may cost: "0.05"; at most 0.5
//   COX_CANARY        the share of steered calls that run the library's default: "5%", at most 50%;
//                     "job": the whole job does, and all its timings say so
//   COX_ASSUME        promises about the calls, comma-separated: "any-order", "elements>=ranks",
//                     "same-counts"; also "commutative", which only cox needs
//   COX_LIMIT         how long MPI_Init waits for the decision table: "200ms" (the default); 1 ms
//                     to 60 s
//   COX_LOG=1         writes on stderr what the agent does
//
// A value outside these forms counts as not set, and WriteRefused names it on stderr.
#ifndef COX_AGENT_JOB_SETTINGS_H_
#define COX_AGENT_JOB_SETTINGS_H_

#include <cstdint>

namespace cox::agent {

inline constexpr uint64_t kMinIntervalNs = 50'000'000;
inline constexpr uint64_t kMaxIntervalNs = 3'600'000'000'000;
inline constexpr uint64_t kDefaultIntervalNs = 1'000'000'000;

inline constexpr uint64_t kMinLimitNs = 1'000'000;
inline constexpr uint64_t kMaxLimitNs = 60'000'000'000;
inline constexpr uint64_t kDefaultLimitNs = 200'000'000;

inline constexpr double kMostExploreShare = 0.5;
inline constexpr double kMostCanaryShare = 0.5;

inline constexpr double kDefaultPrivateShare = 0.03;

inline constexpr int kMostJobBytes = 95;  // a node's name follows

inline constexpr int kParsedVariables = 13;

struct Settings {
  bool disabled;
  bool log;
  bool synchronises;
  double synchronised_share;  // of the time, for samples; infinity: no limit
  bool applies;
  bool applies_coxcoll;          // libcoxcoll may run in place of the MPI library
  double private_share;          // of the time, for private communicators; infinity: no limit
  bool any_order;                // floating-point reductions may add in any order
  bool elements_at_least_ranks;  // every call has at least as many elements as ranks
  bool same_counts;              // all ranks pass the same count and type, both ways
  double explore_share;          // 0..kMostExploreShare
  double canary_share;           // of the steered calls, 0..0.5
  bool is_canary;                // the whole job runs the library's default
  uint64_t interval_ns;
  uint64_t limit_ns;
  uint32_t refused;  // a bit for each variable with a refused value, see WriteRefused
  char server[1024];
  char machine[64];
  char node[64];         // this host's short name
  char job[128];         // COX_JOB, "" when not set
  char application[64];  // of the program
  char spool[1024];      // COX_SPOOL, "" when not set
  char directory[1024];  // working directory at MPI_Init, for relative paths in MPI settings
};

Settings ReadSettings();

// Writes one line on stderr for each variable with a value that was refused.
void WriteRefused(const Settings& settings);

// Each parses one variable's value into `settings`. False, with `settings` unchanged, for a value
// that is malformed or out of bounds.
bool ParseDisable(const char* text, Settings* settings);
bool ParseLog(const char* text, Settings* settings);
bool ParseServer(const char* text, Settings* settings);
bool ParseMachine(const char* text, Settings* settings);
bool ParseJob(const char* text, Settings* settings);
bool ParseSync(const char* text, Settings* settings);
bool ParseApply(const char* text, Settings* settings);
bool ParsePrivate(const char* text, Settings* settings);
bool ParseExplore(const char* text, Settings* settings);
bool ParseCanary(const char* text, Settings* settings);
bool ParseAssume(const char* text, Settings* settings);
bool ParseLimit(const char* text, Settings* settings);
bool ParseInterval(const char* text, Settings* settings);

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_SETTINGS_H_
