#include "bare_copy.h"

#include <chrono>
#include <cstdint>
#include <string>

#include "report.h"
#include "store/postgres/connection/binary.h"
#include "store/postgres/connection/session.h"
#include "store/postgres/schema.h"

namespace cox::load {
namespace {

namespace postgres = store::postgres;

constexpr int kRowsPerTransaction = 5'000;
constexpr int kScenarios = 20;

void Must(const absl::Status& status) {
  if (!status.ok()) Fail("bare COPY: " + std::string(status.message()));
}

std::string Rows(int64_t begin, int64_t end) {
  std::string rows = postgres::CopyBegin();
  for (int64_t id = begin; id < end; ++id) {
    postgres::AppendInt16(9, rows);
    postgres::AppendField(id, rows);
    postgres::AppendField(int64_t{1}, rows);
    postgres::AppendField(id % kScenarios + 1, rows);
    postgres::AppendField(1e-6 * static_cast<double>(id), rows);
    postgres::AppendField(int64_t{1}, rows);
    postgres::AppendField(0.0, rows);
    postgres::AppendField(int64_t{0}, rows);
    postgres::AppendNullField(rows);
    postgres::AppendField(int64_t{1'700'000'000'000'000} + id, rows);
  }
  return rows + postgres::CopyEnd();
}

}  // namespace

double BareCopyRate(const std::string& url, int rows) {
  postgres::Session session(url, postgres::kSetUp);
  Must(session.Connect());
  Must(session.Execute(
      "CREATE TABLE public.bare (observation_id bigint PRIMARY KEY, machine_id bigint NOT NULL,"
      " scenario_id bigint NOT NULL, time_s double precision NOT NULL, timing_count bigint NOT "
      "NULL,"
      " stddev_s double precision NOT NULL, statistic bigint NOT NULL, run text,"
      " at_us bigint NOT NULL);"
      "CREATE INDEX bare_by_machine ON public.bare (machine_id, observation_id)"));
  const auto start = std::chrono::steady_clock::now();
  for (int64_t begin = 1; begin <= rows; begin += kRowsPerTransaction) {
    Must(session.Execute("BEGIN"));
    Must(session.CopyRows("public.bare", Rows(begin, begin + kRowsPerTransaction)));
    Must(session.Commit());
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  Must(session.Execute("DROP TABLE public.bare"));
  return rows / elapsed.count();
}

}  // namespace cox::load
