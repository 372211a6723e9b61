#include "learn/refine/hold_back.h"

#include <cmath>
#include <memory>

#include "domain/plausible_time.h"
#include "learn/correct/default_check.h"
#include "learn/correct/model_choice.h"
#include "learn/median.h"
#include "learn/prepared_cells.h"
#include "learn/structure.h"
#include "model/schedule.h"

namespace cox::learn {
namespace {

// Of one scenario, ln(seconds).
struct Move {
  const Cell* cell;
  double before;
  double after;
};

// The scenarios that both profiles can price, each under the model that it selects.
std::vector<Move> MovesOf(const domain::Profile& stated, const domain::Profile& refined,
                          const std::vector<Cell>& cells) {
  std::vector<PreparedCell> prepared = PrepareCells(cells, refined.shape);
  DropContradictedDefaults(&prepared);
  const std::vector<ModelError> before = RankModels(stated, prepared);
  const std::vector<ModelError> after = RankModels(refined, prepared);
  if (before.empty() || after.empty()) return {};
  auto schedule = std::make_unique<model::Schedule>();
  std::vector<Move> moves;
  for (const PreparedCell& cell : prepared) {
    if (cell.strategy == nullptr) continue;
    const auto price_s = [&](const ModelError& selected) {
      return StructuralTime(cell.strategy, *cell.scenario, *selected.model, selected.values,
                            schedule.get());
    };
    const double before_s = price_s(before.front());
    const double after_s = price_s(after.front());
    if (before_s > 0 && after_s > 0) {
      moves.push_back({cell.cell, std::log(before_s), std::log(after_s)});
    }
  }
  return moves;
}

bool IsPossible(double time_s, const domain::ScenarioKey& scenario) {
  return !domain::IsTooShort(time_s, scenario.ranks, scenario.block_bytes) &&
         !domain::IsTooLong(time_s, scenario.ranks, scenario.block_bytes);
}

}  // namespace

std::string HoldBack::SourceOf(absl::string_view source, absl::string_view job) {
  if (job.empty()) return std::string(source);
  const auto known = source_of_job_.find(std::string(job));
  if (known != source_of_job_.end()) return known->second;
  if (source_of_job_.size() < kMaxJobs) source_of_job_.emplace(job, source);
  return std::string(source);
}

void HoldBack::Add(const Cell& observation, absl::string_view source, absl::string_view job) {
  if (!stated_) return;
  auto scenario = times_.find(observation);
  if (scenario == times_.end()) {
    if (times_.size() >= kMaxScenarios) return;
    scenario = times_.try_emplace(observation).first;
  }
  std::map<std::string, Times>& sources = scenario->second;
  const std::string counted = SourceOf(source, job);
  auto times = sources.find(counted);
  if (times == sources.end()) {
    if (sources.size() >= kMaxSources) return;
    times = sources.try_emplace(counted).first;
  }
  times->second.log_sum += observation.mean_log_time;
  ++times->second.count;
  times->second.is_benchmark |= observation.kind == domain::CellKind::kBenchmark;
}

HoldBack::Verdict HoldBack::Judge(const domain::Profile& refined) const {
  Verdict verdict;
  if (!stated_) return verdict;
  std::vector<Cell> cells;
  cells.reserve(times_.size());
  for (const auto& [key, sources] : times_) {
    Cell& cell = cells.emplace_back();
    static_cast<domain::ScenarioKey&>(cell) = key;
    cell.weight = 0;
    double log_sum = 0;
    for (const auto& [source, times] : sources) {
      log_sum += times.log_sum;
      cell.weight += static_cast<double>(times.count);
    }
    cell.mean_log_time = log_sum / cell.weight;
  }
  const std::vector<Move> moves = MovesOf(*stated_, refined, cells);
  if (moves.empty()) return verdict;

  std::vector<double> distances;
  std::map<std::string, int64_t> balance;  // observations that agree, less those that do not
  std::map<std::string, int64_t> agreeing;
  int64_t benchmarked_count = 0;  // imported scenarios that agree
  for (const Move& move : moves) {
    distances.push_back(std::abs(move.after - move.before));
    for (const auto& [source, times] : times_.at(*move.cell)) {
      const double log_time = times.log_sum / static_cast<double>(times.count);
      const bool agrees = IsPossible(std::exp(log_time), *move.cell) &&
                          std::abs(log_time - move.after) < std::abs(log_time - move.before);
      balance[source] += agrees ? times.count : -times.count;
      if (!agrees) continue;
      agreeing[source] += times.count;
      if (source == kImports && times.is_benchmark) ++benchmarked_count;
    }
  }
  verdict.factor = std::exp(MedianOf(std::move(distances)));
  bool has_operator = false;
  for (const auto& [source, count] : agreeing) {
    if (count < kLeastAgreeing || balance[source] <= 0) continue;
    verdict.sources.push_back(source);
    has_operator |= source == kImports && benchmarked_count >= kLeastScenarios;
  }
  verdict.is_held = verdict.factor > kFar && !has_operator && verdict.sources.size() < 2;
  return verdict;
}

}  // namespace cox::learn
