// What a job's MPI library should run, by message size: the input of every tuning format.
#ifndef COX_LIBRARY_DECISION_TABLE_H_
#define COX_LIBRARY_DECISION_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "library/algorithm.h"

namespace cox::library {

// The chosen algorithm from block_bytes up to the next row. algorithm "default": leave it to the
// library.
struct DecisionRow {
  int64_t block_bytes = 0;
  std::string algorithm;
  int native_id = 0;  // 0 for "default", -1 where the library takes names only
  int64_t segment_bytes = 0;
  int64_t fanout = 0;
  double predicted_time_s = 0;
  double default_time_s = 0;
  std::string trial{};    // for a trial instead of the best choice: why, in one line; else ""
  std::string library{};  // the algorithm's library; "": the job's own
};

// One collective's rows, ascending, the first at 0, adjacent equal choices merged.
struct DecisionTable {
  std::string collective;
  std::vector<DecisionRow> rows;
  bool leaves_links_out = false;  // some size was decided without the links that the job passes
};

// The job that tables are for.
struct TunedJob {
  std::string library;
  int64_t nodes = 1;  // >= 1
  int64_t ppn = 1;    // ranks per node, >= 1
  Assumptions assume;
  int64_t ranks() const { return nodes * ppn; }
};

}  // namespace cox::library

#endif  // COX_LIBRARY_DECISION_TABLE_H_
