// Sends a file of observations to the daemon in batches, after reading and checking all of it. Not
// thread-safe.
#ifndef COX_CLI_FILES_IMPORT_H_
#define COX_CLI_FILES_IMPORT_H_

#include <cstdint>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "cli/session.h"

namespace cox::cli {

struct ImportOptions {
  std::string file;
  bool skip_bad = false;
  // Reported as this job; empty for imports, which are never taken for a resend.
  std::string job;
  bool create_machines = true;
  std::string source;       // empty: that of each row, else the file's name without its folder
  bool from_jobs = false;   // rows without a kind are timings of jobs, not of a benchmark
  bool unknown_ok = false;  // no warnings of names and times that cox doubts (oddities.h)
  // The rows are cox's own measurement: their units are right, and the file goes when they are
  // stored.
  bool is_own = false;
};

struct ImportResult {
  int64_t stored_count = 0;
  int64_t skipped_count = 0;
  int64_t refused_count = 0;               // rows of jobs that coxd did not store, and
  std::string refused_reason;              // why
  int64_t spooled_count = 0;               // rows that a relay has and sends to coxd later
  std::set<std::string> created_machines;  // bare names
};

// Registers unknown machines with the largest nodes and ppn of the file.
//
// INVALID_ARGUMENT where a row is bad: without skip_bad nothing was sent then. The bad rows are
// listed on the session's err(). A failure of the daemon in the middle says how many rows were
// stored.
absl::Status ImportObservations(Session& session, const ImportOptions& options,
                                ImportResult& result);

}  // namespace cox::cli

#endif  // COX_CLI_FILES_IMPORT_H_
