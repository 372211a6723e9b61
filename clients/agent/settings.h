// What the environment asks of the agent. Read once, in MPI_Init, before the application's threads.
//
//   COX_DISABLE=1   nothing is timed, no thread, no file, no socket
//   COX_SERVER      where coxd listens: "127.0.0.1:7077" (the default) or "unix:/path"
//   COX_MACHINE     the machine's name; by default SLURM_CLUSTER_NAME, else the host's short name
//   without
//                   the digits that count its nodes ("node017" and "node018" are both "node")
//   COX_JOB         the job's name; by default what the launcher calls it
//   COX_INTERVAL    how often timings are sent: "1s" (the default), "250ms", "0.5"; 50 ms to 1 h
//   COX_SPOOL       where timings go that could not be sent; by default
//                   $TMPDIR or /tmp, coxswain-<uid>-<job>-<node>.csv; never more than 16 MiB
//   COX_SYNC=1      synchronised samples now and then, on at most 0.5 % of the time (synchronise.h)
//   COX_LOG=1       tells on stderr what the agent does
#ifndef COX_AGENT_SETTINGS_H_
#define COX_AGENT_SETTINGS_H_

#include <cstdint>

namespace cox::agent {

inline constexpr uint64_t kMinIntervalNs = 50'000'000;
inline constexpr uint64_t kMaxIntervalNs = 3'600'000'000'000;
inline constexpr uint64_t kDefaultIntervalNs = 1'000'000'000;

struct Settings {
  bool disabled;
  bool log;
  bool synchronises;
  uint64_t interval_ns;
  char server[256];
  char machine[64];
  char node[64];         // this host's short name
  char job[128];         // COX_JOB, "" when not set
  char spool[1024];      // COX_SPOOL, "" when not set
  char directory[1024];  // working directory at MPI_Init: what relative paths of MPI settings mean
};

Settings ReadSettings();

// "1s", "250ms", "0.5" (seconds), held within the limits; the default for anything malformed.
uint64_t ParseInterval(const char* text);

// A machine name out of a host's: lower case, up to the first dot, characters other than
// [a-z0-9._-] replaced by '-', trailing digits and separators removed unless nothing would be left.
void MachineFromHost(const char* host, char* machine, int size);

}  // namespace cox::agent

#endif  // COX_AGENT_SETTINGS_H_
