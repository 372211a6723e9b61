#include "store/sqlite/rows/new_observations.h"

#include <sqlite3.h>

#include <new>

namespace cox::store {
namespace {

constexpr char kTable[] = "new_observation";
constexpr char kDeclaration[] =
    "CREATE TABLE new_observation (observation_id INTEGER, machine_id INTEGER, scenario_id INTEGER,"
    " time_s REAL, timing_count INTEGER, stddev_s REAL, statistic INTEGER, run TEXT,"
    " at_us INTEGER)";
enum Column {
  kObservationId,
  kMachineId,
  kScenarioId,
  kTime,
  kTimingCount,
  kStddev,
  kStatistic,
  kRun,
  kAt
};

// SQLite takes pointers to the first members.
struct Table {
  sqlite3_vtab base;
  const NewObservations* rows;
};
struct Cursor {
  sqlite3_vtab_cursor base;
  const std::vector<NewObservation>* rows;
  size_t at;
};

int Connect(sqlite3* db, void* rows, int /*argc*/, const char* const* /*argv*/, sqlite3_vtab** out,
            char** /*error*/) {
  const int declared = sqlite3_declare_vtab(db, kDeclaration);
  if (declared != SQLITE_OK) return declared;
  auto* const table = new (std::nothrow) Table{{}, static_cast<const NewObservations*>(rows)};
  if (table == nullptr) return SQLITE_NOMEM;
  *out = &table->base;
  return SQLITE_OK;
}

int Disconnect(sqlite3_vtab* table) {
  delete reinterpret_cast<Table*>(table);
  return SQLITE_OK;
}

// Always all rows, in order.
int ChoosePlan(sqlite3_vtab* /*table*/, sqlite3_index_info* /*info*/) { return SQLITE_OK; }

int Open(sqlite3_vtab* table, sqlite3_vtab_cursor** out) {
  const auto* const rows = &reinterpret_cast<Table*>(table)->rows->rows();
  auto* const cursor = new (std::nothrow) Cursor{{}, rows, 0};
  if (cursor == nullptr) return SQLITE_NOMEM;
  *out = &cursor->base;
  return SQLITE_OK;
}

int Close(sqlite3_vtab_cursor* cursor) {
  delete reinterpret_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

int Begin(sqlite3_vtab_cursor* cursor, int /*plan*/, const char* /*name*/, int /*argc*/,
          sqlite3_value** /*argv*/) {
  reinterpret_cast<Cursor*>(cursor)->at = 0;
  return SQLITE_OK;
}

int Next(sqlite3_vtab_cursor* cursor) {
  ++reinterpret_cast<Cursor*>(cursor)->at;
  return SQLITE_OK;
}

int IsAtEnd(sqlite3_vtab_cursor* cursor) {
  const auto* const at = reinterpret_cast<Cursor*>(cursor);
  return at->at >= at->rows->size() ? 1 : 0;
}

int ColumnOf(sqlite3_vtab_cursor* cursor, sqlite3_context* out, int column) {
  const auto* const at = reinterpret_cast<Cursor*>(cursor);
  const NewObservation& row = (*at->rows)[at->at];
  switch (column) {
    case kObservationId:
      sqlite3_result_int64(out, row.observation_id);
      break;
    case kMachineId:
      sqlite3_result_int64(out, row.machine_id);
      break;
    case kScenarioId:
      sqlite3_result_int64(out, row.scenario_id);
      break;
    case kTime:
      sqlite3_result_double(out, row.time_s);
      break;
    case kTimingCount:
      sqlite3_result_int64(out, row.timing_count);
      break;
    case kStddev:
      sqlite3_result_double(out, row.stddev_s);
      break;
    case kStatistic:
      sqlite3_result_int64(out, row.statistic);
      break;
    case kRun:  // without a result it is NULL
      if (!row.run.empty()) {
        sqlite3_result_text(out, row.run.data(), static_cast<int>(row.run.size()), SQLITE_STATIC);
      }
      break;
    case kAt:
      sqlite3_result_int64(out, row.at_us);
      break;
    default:
      break;
  }
  return SQLITE_OK;
}

int NumberOf(sqlite3_vtab_cursor* cursor, sqlite3_int64* number) {
  *number = static_cast<sqlite3_int64>(reinterpret_cast<Cursor*>(cursor)->at);
  return SQLITE_OK;
}

// Without xCreate every connection with the module has the table, and no file mentions it.
const sqlite3_module& Module() {
  static const sqlite3_module kModule = [] {
    sqlite3_module module{};
    module.xConnect = Connect;
    module.xBestIndex = ChoosePlan;
    module.xDisconnect = Disconnect;
    module.xOpen = Open;
    module.xClose = Close;
    module.xFilter = Begin;
    module.xNext = Next;
    module.xEof = IsAtEnd;
    module.xColumn = ColumnOf;
    module.xRowid = NumberOf;
    return module;
  }();
  return kModule;
}

}  // namespace

absl::Status NewObservations::Attach() { return db_.AddTable(kTable, Module(), this); }

absl::Status NewObservations::Insert() {
  absl::Status status =
      Query(db_,
            "INSERT INTO observation (observation_id, machine_id, scenario_id, time_s,"
            " timing_count, stddev_s, statistic, run, at_us) SELECT observation_id, machine_id,"
            " scenario_id, time_s, timing_count, stddev_s, statistic, run, at_us"
            " FROM new_observation")
          .Run();
  Clear();
  return status;
}

}  // namespace cox::store
