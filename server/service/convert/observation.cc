#include "service/convert/observation.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"
#include "domain/limits.h"
#include "service/convert/checks.h"
#include "service/convert/timestamp.h"
#include "service/limits.h"
#include "service/names.h"
#include "strategy/scenario.h"

namespace cox::service {

absl::StatusOr<store::ObservationRecord> ToRecord(const v1::Observation& observation,
                                                  int64_t now_us) {
  const absl::StatusOr<absl::string_view> machine = ParseMachine(observation.machine(), "machine");
  if (!machine.ok()) return machine.status();
  store::ObservationRecord record;
  domain::ScenarioKey& key = record.scenario;
  key.machine = std::string(*machine);
  key.library = observation.library();
  key.collective = observation.collective();
  key.algorithm = observation.algorithm();
  key.nodes = observation.nodes();
  key.ppn = observation.ppn();
  key.ranks = observation.ranks();
  key.block_bytes = observation.block_bytes();
  key.type_bytes = observation.type_bytes() == 0 ? 4 : observation.type_bytes();
  record.time_s = observation.time_s();
  record.count = observation.count() == 0 ? 1 : observation.count();
  record.stddev_s = observation.stddev_s();
  record.statistic = observation.statistic();
  record.run = observation.run();
  if (absl::Status checked = FirstOf({
          Text("library", key.library, kMaxLibraryBytes, true),
          Text("collective", key.collective, kMaxLibraryBytes, true),
          Text("algorithm", key.algorithm, kMaxNameBytes, true),
          Text("run", record.run, kMaxNameBytes, false),
          InRange("nodes", key.nodes, 1, domain::kMaxRanks),
          InRange("ppn", key.ppn, 1, domain::kMaxRanks),
          InRange("ranks", key.ranks, 1, domain::kMaxRanks),
          InRange("block_bytes", key.block_bytes, 0, domain::kMaxBlockBytes),
          InRange("type_bytes", key.type_bytes, 1, domain::kMaxBlockBytes),
          InRange("count", record.count, 1, domain::kMaxTimingCount),
          InRange("at.seconds", observation.at().seconds(), 0, 253'402'300'799),
          InRange("at.nanos", observation.at().nanos(), 0, 999'999'999),
          PositiveSeconds("time_s", record.time_s),
      });
      !checked.ok()) {
    return checked;
  }
  if (key.ranks > key.nodes * key.ppn) {
    return domain::InvalidField(
        "ranks",
        absl::StrCat("must be at most nodes * ppn = ", key.nodes * key.ppn, "; it is ", key.ranks));
  }
  if (!std::isfinite(record.stddev_s) || record.stddev_s < 0) {
    return domain::InvalidField("stddev_s", "must be a finite number of seconds >= 0");
  }
  if (!record.statistic.empty() && record.statistic != "mean" && record.statistic != "median" &&
      record.statistic != "min") {
    return domain::InvalidField("statistic", "must be mean, median or min");
  }
  // A reporter's clock may be ahead. Nothing was measured after now, and what is dated so would
  // stay the newest of the machine, and never be old.
  record.at_us = now_us;
  if (observation.has_at()) {
    record.at_us =
        std::min(now_us, observation.at().seconds() * 1'000'000 + observation.at().nanos() / 1'000);
  }
  return record;
}

void FromRecord(const store::ObservationRecord& record, v1::Observation* observation) {
  const domain::ScenarioKey& key = record.scenario;
  observation->set_machine(key.machine);
  observation->set_library(key.library);
  observation->set_collective(key.collective);
  observation->set_algorithm(key.algorithm);
  observation->set_nodes(key.nodes);
  observation->set_ppn(key.ppn);
  observation->set_ranks(key.ranks);
  observation->set_block_bytes(key.block_bytes);
  observation->set_type_bytes(key.type_bytes);
  observation->set_time_s(record.time_s);
  observation->set_count(record.count);
  observation->set_stddev_s(record.stddev_s);
  observation->set_statistic(record.statistic);
  observation->set_run(record.run);
  observation->set_job(record.job);
  observation->set_source(record.source);
  observation->set_measurement(record.kind == domain::CellKind::kJob ? v1::MEASUREMENT_JOB
                                                                     : v1::MEASUREMENT_BENCHMARK);
  observation->set_id(record.id);
  *observation->mutable_at() = ToTimestamp(record.at_us);
}

}  // namespace cox::service
