#include "learn/structure.h"

#include <cmath>

#include "absl/container/flat_hash_map.h"
#include "strategy/stock_decision.h"

namespace cox::learn {
namespace {

using StrategyByRow = absl::flat_hash_map<const strategy::LibraryAlgorithm*, strategy::Strategy>;

// The parsed strategy of each row of each library, once: parsing on the question's way would cost
// more than pricing.
const StrategyByRow& Strategies() {
  static const StrategyByRow* const kStrategies = [] {
    auto* strategies = new StrategyByRow;
    const auto add = [strategies](absl::Span<const strategy::LibraryAlgorithm> rows) {
      for (const strategy::LibraryAlgorithm& row : rows) {
        if (row.strategy.empty()) continue;
        auto parsed = strategy::ParseStrategy(row.strategy);
        if (parsed.ok()) strategies->emplace(&row, *parsed);
      }
    };
    for (absl::string_view library : strategy::Libraries()) {
      add(strategy::LibraryAlgorithms(library));
    }
    add(strategy::StockVariants());
    return strategies;
  }();
  return *kStrategies;
}

}  // namespace

Structure ResolveRow(const strategy::LibraryAlgorithm& row, const strategy::Scenario& scenario,
                     bool commutative) {
  Structure structure;
  structure.row = &row;
  structure.effective = strategy::Effective(row, scenario, commutative);
  if (structure.effective == nullptr) return structure;
  const auto found = Strategies().find(structure.effective);
  if (found == Strategies().end()) return structure;
  const strategy::Strategy& known = found->second;
  if (known.algorithm->applies(scenario, known.knobs).ok()) structure.strategy = &known;
  return structure;
}

Structure Resolve(absl::string_view library, absl::string_view algorithm,
                  const strategy::Scenario& scenario, bool commutative) {
  const strategy::LibraryAlgorithm* row =
      algorithm == kDefaultAlgorithm
          ? strategy::StockChoice(library, scenario, commutative)
          : strategy::FindLibraryAlgorithm(library, scenario.collective, algorithm);
  return row == nullptr ? Structure{} : ResolveRow(*row, scenario, commutative);
}

std::optional<strategy::Scenario> ScenarioOf(const Cell& cell) {
  const auto collective = strategy::ParseCollective(cell.collective);
  if (!collective.ok()) return std::nullopt;
  strategy::Scenario scenario;
  scenario.collective = *collective;
  scenario.ranks = cell.ranks;
  scenario.ppn = cell.ppn;
  scenario.block_bytes = cell.block_bytes;
  scenario.type_bytes = cell.type_bytes;
  if (!strategy::Validate(scenario).ok()) return std::nullopt;
  return scenario;
}

double StructuralTime(const strategy::Strategy* strategy, const strategy::Scenario& scenario,
                      const model::Model& model, const model::Values& values,
                      model::Schedule* schedule) {
  if (strategy == nullptr || values.empty()) return 0;
  strategy::Build(*strategy, scenario, schedule);
  const double time_s = model.Price(values, *schedule).TotalSeconds();
  return std::isfinite(time_s) && time_s > 0 ? time_s : 0;
}

}  // namespace cox::learn
