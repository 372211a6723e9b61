// Converts the rows of a decision table to numbers that the running library takes, and checks them.
// A daemon may be hostile: whoever binds its port first is "the daemon". So a row counts only if
// the library's own table (server/library) has its algorithm. The algorithm must also be able to
// run in every call that the row selects it for. Pure, any thread.
#ifndef COX_AGENT_STREAM_CHECK_ROWS_H_
#define COX_AGENT_STREAM_CHECK_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "agent/job/stream.h"
#include "agent/stream/wire/decisions_wire.h"
#include "library/algorithm.h"

namespace cox::agent {

// The job that the table is for.
struct SteeredJob {
  std::string library;  // "openmpi-4.1"
  int64_t ranks = 0;
  int64_t ppn = 0;
  library::Assumptions assume;
  bool use_coxcoll = false;
};

struct CheckedRows {
  // One per row of a known collective with a size >= 0. Number 0: the library chooses.
  std::vector<CoxStreamDecision> decisions;
  int refused_count = 0;  // rows that select nothing although they name an algorithm
};

CheckedRows CheckRows(const SteeredJob& job, const std::vector<DecisionRow>& rows);

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_CHECK_ROWS_H_
