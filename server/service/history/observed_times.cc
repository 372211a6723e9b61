#include "service/history/observed_times.h"

#include <cmath>

#include "service/convert/timestamp.h"

namespace cox::service {
namespace {

void SetScenario(const domain::ScenarioKey& scenario, v1::ObservedTimes* times) {
  times->set_library(scenario.library);
  times->set_collective(scenario.collective);
  times->set_algorithm(scenario.algorithm);
  times->set_nodes(scenario.nodes);
  times->set_ppn(scenario.ppn);
  times->set_ranks(scenario.ranks);
  times->set_block_bytes(scenario.block_bytes);
  times->set_type_bytes(scenario.type_bytes);
}

void SetQuantiles(const store::Cell& cell, v1::ObservedTimes* times) {
  times->set_observation_count(cell.observation_count);
  times->set_p10_time_s(QuantileOf(cell, 0.1));
  times->set_median_time_s(QuantileOf(cell, 0.5));
  times->set_p90_time_s(QuantileOf(cell, 0.9));
}

}  // namespace

double QuantileOf(const store::Cell& cell, double q) {
  const double rank = std::ceil(q * static_cast<double>(cell.observation_count));
  double seen = 0;
  double time_s = 0;
  for (const store::CellBin& bin : cell.bins) {
    const auto count = static_cast<double>(bin.count);
    const double offset = static_cast<double>(bin.offset_sum) / count / store::kOffsetsPerE;
    time_s = std::exp(static_cast<double>(bin.index) / store::kBinsPerE + offset);
    seen += count;
    if (seen >= rank) break;
  }
  return time_s;
}

void FromRecord(const store::CellRecord& record, v1::ObservedTimes* times) {
  SetScenario(record.scenario, times);
  SetQuantiles(record.cell, times);
  times->set_timing_count(record.cell.weight);
  times->set_measurement(record.kind == domain::CellKind::kJob ? v1::MEASUREMENT_JOB
                                                               : v1::MEASUREMENT_BENCHMARK);
}

void FromRecord(const store::SummaryRow& row, bool in_buckets, v1::ObservedTimes* times) {
  SetScenario(row.scenario, times);
  SetQuantiles(row.cell, times);
  times->set_timing_count(row.timing_count);
  times->set_total_time_s(row.total_time_s);
  if (in_buckets) *times->mutable_start_time() = ToTimestamp(row.start_time_us);
}

}  // namespace cox::service
