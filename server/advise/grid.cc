#include "advise/grid.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "domain/collective.h"
#include "domain/errors.h"
#include "model/schedule.h"

namespace cox::advise {
namespace {

constexpr double kCannotRun = -1;
// A point takes microseconds, with many phases a millisecond.
constexpr int kPointsPerQuestion = 64;

absl::StatusOr<std::vector<strategy::Strategy>> Strategies(const GridQuestion& question) {
  std::vector<strategy::Strategy> strategies;
  for (const strategy::Algorithm& algorithm : strategy::Catalogue()) {
    if (question.strategies.empty() && algorithm.collective == question.scenario.collective) {
      strategies.push_back({&algorithm, {}});
    }
  }
  for (size_t i = 0; i < question.strategies.size(); ++i) {
    auto parsed = strategy::ParseStrategy(question.strategies[i]);
    if (!parsed.ok()) {
      if (domain::FieldOf(parsed.status()).empty()) return parsed.status();
      return domain::InvalidField(absl::StrCat("strategies[", i, "]"), parsed.status().message());
    }
    if (parsed->algorithm->collective != question.scenario.collective) {
      return domain::InvalidField(
          absl::StrCat("strategies[", i, "]"),
          absl::StrCat("\"", question.strategies[i], "\" is not a strategy of ",
                       domain::CollectiveName(question.scenario.collective)));
    }
    strategies.push_back(*std::move(parsed));
  }
  return strategies;
}

// The scenario with each of the ranks and each of the sizes is valid.
absl::Status CheckEach(const GridQuestion& question) {
  if (question.ranks.empty()) return domain::InvalidField("ranks", "is required");
  if (question.block_bytes.empty()) return domain::InvalidField("block_bytes", "is required");
  const auto check = [](const strategy::Scenario& scenario, absl::string_view name, size_t i) {
    absl::Status valid = strategy::Validate(scenario);
    if (valid.ok() || domain::FieldOf(valid) != std::string(name)) return valid;
    absl::string_view rule = valid.message();
    rule.remove_prefix(name.size() + 2);  // "ranks: "
    return domain::InvalidField(absl::StrCat(name, "[", i, "]"), rule);
  };
  strategy::Scenario scenario = question.scenario;
  scenario.block_bytes = 0;
  for (size_t i = 0; i < question.ranks.size(); ++i) {
    scenario.ranks = question.ranks[i];
    if (absl::Status valid = check(scenario, "ranks", i); !valid.ok()) return valid;
  }
  for (size_t i = 0; i < question.block_bytes.size(); ++i) {
    scenario.block_bytes = question.block_bytes[i];
    if (absl::Status valid = check(scenario, "block_bytes", i); !valid.ok()) return valid;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Grid> EvaluateGrid(const MachineView& machine, const GridQuestion& question,
                                  const domain::IsCancelled& is_cancelled) {
  if (absl::Status valid = CheckEach(question); !valid.ok()) return valid;
  const auto strategies = Strategies(question);
  if (!strategies.ok()) return strategies.status();
  const auto priced_by =
      ModelFor(machine, question.model, domain::CollectiveName(question.scenario.collective));
  if (!priced_by.ok()) return priced_by.status();
  const double points = static_cast<double>(strategies->size()) *
                        static_cast<double>(question.ranks.size()) *
                        static_cast<double>(question.block_bytes.size());
  if (points > static_cast<double>(kMaxGridPoints)) {
    return domain::InvalidField(
        "block_bytes", absl::StrCat("strategies * ranks * block_bytes is ", points, ", at most ",
                                    kMaxGridPoints, " are answered at once"));
  }

  Grid grid;
  grid.model = priced_by->model;
  grid.amounts.reserve(static_cast<size_t>(points));
  strategy::Scenario scenario = question.scenario;
  scenario.shape = question.shape ? &*question.shape : &machine.profile.shape;
  model::Schedule schedule;
  domain::CallerWatch watch(is_cancelled, kPointsPerQuestion);
  for (const strategy::Strategy& strategy : *strategies) {
    grid.strategies.push_back(strategy::FormatStrategy(strategy));
    for (const int64_t ranks : question.ranks) {
      scenario.ranks = ranks;
      for (const int64_t block_bytes : question.block_bytes) {
        if (watch.IsGone()) return watch.status();
        scenario.block_bytes = block_bytes;
        if (!strategy.algorithm->applies(scenario, strategy.knobs).ok()) {
          grid.amounts.push_back(kCannotRun);
          continue;
        }
        strategy::Build(Resolved(machine, scenario, strategy), scenario, &schedule);
        grid.amounts.push_back(Amount(priced_by->model->Price(*priced_by->values, schedule)));
      }
    }
  }
  return grid;
}

}  // namespace cox::advise
