// The floor of what the store does: a bare SQLite loop that puts the same rows into the same table,
// in transactions of 5,000, as durably (write-ahead log, synchronous=FULL), and does nothing else:
// no cells, no resends to recognise, no foreign keys, no answers.
#ifndef COX_TESTS_BENCH_BARE_SQLITE_H_
#define COX_TESTS_BENCH_BARE_SQLITE_H_

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "store/records.h"
#include "store/sqlite/migrations.h"

namespace cox::bench {

inline constexpr int kBareRowsPerTransaction = 5'000;

inline void MustSqlite(int code, sqlite3* db) {
  if (code == SQLITE_OK || code == SQLITE_DONE) return;
  std::fprintf(stderr, "bare SQLite: %s\n", sqlite3_errmsg(db));
  std::abort();
}

// Makes the database `path`, which must not exist, and inserts `rows`. Returns rows per second of
// the insertion. Row i is of scenario i modulo `scenario_count`, independent of its key.
inline double BareSqliteRate(const std::string& path,
                             const std::vector<store::ObservationRecord>& rows,
                             int64_t scenario_count) {
  sqlite3* db = nullptr;
  MustSqlite(sqlite3_open(path.c_str(), &db), db);
  const auto execute = [&](const char* sql) {
    MustSqlite(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), db);
  };
  for (const store::Migration& migration : store::Migrations()) execute(migration.sql);
  execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384;"
      "PRAGMA wal_autocheckpoint = 4000");
  sqlite3_stmt* insert = nullptr;
  MustSqlite(sqlite3_prepare_v2(db,
                                "INSERT INTO observation (observation_id, machine_id, scenario_id,"
                                " time_s, timing_count, stddev_s, statistic, run, at_us)"
                                " VALUES (?, 1, ?, ?, ?, ?, 0, NULL, ?)",
                                -1, &insert, nullptr),
             db);
  const auto start = std::chrono::steady_clock::now();
  int64_t id = 0;
  for (const store::ObservationRecord& row : rows) {
    if (id % kBareRowsPerTransaction == 0) execute("BEGIN IMMEDIATE");
    sqlite3_bind_int64(insert, 1, id + 1);
    sqlite3_bind_int64(insert, 2, id % scenario_count + 1);
    sqlite3_bind_double(insert, 3, row.time_s);
    sqlite3_bind_int64(insert, 4, row.count);
    sqlite3_bind_double(insert, 5, row.stddev_s);
    sqlite3_bind_int64(insert, 6, row.at_us);
    MustSqlite(sqlite3_step(insert), db);
    sqlite3_reset(insert);
    ++id;
    if (id % kBareRowsPerTransaction == 0) execute("COMMIT");
  }
  if (id % kBareRowsPerTransaction != 0) execute("COMMIT");
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  sqlite3_finalize(insert);
  sqlite3_close(db);
  return static_cast<double>(rows.size()) / elapsed.count();
}

}  // namespace cox::bench

#endif  // COX_TESTS_BENCH_BARE_SQLITE_H_
