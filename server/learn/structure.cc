#include "learn/structure.h"

#include <cmath>

#include "absl/container/flat_hash_map.h"
#include "domain/parse_collective.h"
#include "library/aliases.h"
#include "library/coxcoll/gather_windows.h"
#include "library/default_choice.h"
#include "library/libraries.h"

namespace cox::learn {
namespace {

using StrategyByRow = absl::flat_hash_map<const library::Algorithm*, strategy::Strategy>;

// The parsed strategy of each row of each library. It is parsed once: parsing for each question
// would cost more than pricing.
const StrategyByRow& Strategies() {
  static const StrategyByRow* const kStrategies = [] {
    auto* strategies = new StrategyByRow;
    const auto add = [strategies](absl::Span<const library::Algorithm> rows) {
      for (const library::Algorithm& row : rows) {
        if (row.strategy.empty()) continue;
        auto parsed = strategy::ParseStrategy(row.strategy);
        if (parsed.ok()) strategies->emplace(&row, *parsed);
      }
    };
    for (const library::Library& library : library::Libraries()) add(library.algorithms());
    add(library::DefaultVariants());
    add(library::WideGatherWindows());
    return strategies;
  }();
  return *kStrategies;
}

}  // namespace

const strategy::Strategy* StrategyOf(const library::Algorithm& row) {
  const auto found = Strategies().find(&row);
  return found == Strategies().end() ? nullptr : &found->second;
}

Structure ResolveRow(const library::Algorithm& row, const strategy::Scenario& scenario,
                     const library::Assumptions& assume) {
  Structure structure;
  structure.row = &row;
  structure.effective = library::Effective(row, scenario, assume);
  if (structure.effective == nullptr) return structure;
  const strategy::Strategy* known = StrategyOf(*structure.effective);
  if (known != nullptr && known->algorithm->applies(scenario, known->knobs).ok()) {
    structure.strategy = known;
  }
  return structure;
}

Structure Resolve(absl::string_view library, absl::string_view algorithm,
                  const strategy::Scenario& scenario, const library::Assumptions& assume) {
  const library::Algorithm* row =
      algorithm == kDefaultAlgorithm
          ? library::DefaultChoice(library, scenario, assume)
          : library::FindByAnyName(library, scenario.collective, algorithm);
  return row == nullptr ? Structure{} : ResolveRow(*row, scenario, assume);
}

std::optional<strategy::Scenario> ScenarioOf(absl::string_view collective, int64_t ranks,
                                             int64_t ppn, int64_t block_bytes, int64_t type_bytes) {
  const auto parsed = domain::ParseCollective(collective);
  if (!parsed.ok()) return std::nullopt;
  strategy::Scenario scenario;
  scenario.collective = *parsed;
  scenario.ranks = ranks;
  scenario.ppn = ppn;
  scenario.block_bytes = block_bytes;
  scenario.type_bytes = type_bytes;
  return scenario;
}

std::optional<strategy::Scenario> ScenarioOf(const Cell& cell) {
  const std::optional<strategy::Scenario> scenario =
      ScenarioOf(cell.collective, cell.ranks, cell.ppn, cell.block_bytes, cell.type_bytes);
  return scenario && strategy::Validate(*scenario).ok() ? scenario : std::nullopt;
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
