// The observations that one statement inserts, as a table `new_observation` of a connection that
// SQLite reads from memory. A statement for each row takes twice the instructions: each opens,
// checks and closes the tables anew.
//
// Thread rule: the connection's thread. Failure rule: as database.h. A failed Insert() leaves rows
// that its caller's savepoint undoes.
#ifndef COX_STORE_SQLITE_ROWS_NEW_OBSERVATIONS_H_
#define COX_STORE_SQLITE_ROWS_NEW_OBSERVATIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "store/sqlite/database.h"

namespace cox::store {

// A row of `observation`.
struct NewObservation {
  int64_t observation_id;
  int64_t machine_id;
  int64_t scenario_id;
  double time_s;
  int64_t timing_count;
  double stddev_s;
  int64_t statistic;      // StatisticNumber()
  absl::string_view run;  // must live until Insert() returns; "" becomes NULL
  int64_t at_us;
};

class NewObservations {
 public:
  // `db` outlives it.
  explicit NewObservations(Database& db) : db_(db) {}
  NewObservations(const NewObservations&) = delete;
  NewObservations& operator=(const NewObservations&) = delete;

  // Adds the table to the connection. Once, before Insert().
  absl::Status Attach();

  void Reserve(size_t count) { rows_.reserve(count); }
  void Add(const NewObservation& row) { rows_.push_back(row); }
  // Inserts the added rows and forgets them, whether it succeeds or not.
  absl::Status Insert();
  void Clear() { rows_.clear(); }

  const std::vector<NewObservation>& rows() const { return rows_; }

 private:
  Database& db_;
  std::vector<NewObservation> rows_;
};

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_ROWS_NEW_OBSERVATIONS_H_
