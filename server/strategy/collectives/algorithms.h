// The rows of the catalogue, by collective. Only catalogue.cc calls these; see catalogue.h.
#ifndef COX_STRATEGY_COLLECTIVES_ALGORITHMS_H_
#define COX_STRATEGY_COLLECTIVES_ALGORITHMS_H_

#include "absl/types/span.h"
#include "strategy/catalogue.h"

namespace cox::strategy {

absl::Span<const Algorithm> AlltoallAlgorithms();
absl::Span<const Algorithm> BcastAlgorithms();
absl::Span<const Algorithm> AllreduceAlgorithms();
absl::Span<const Algorithm> AllgatherAlgorithms();
absl::Span<const Algorithm> ScatterAlgorithms();
absl::Span<const Algorithm> GatherAlgorithms();
absl::Span<const Algorithm> ReduceAlgorithms();
absl::Span<const Algorithm> BarrierAlgorithms();
absl::Span<const Algorithm> ReduceScatterAlgorithms();
absl::Span<const Algorithm> ReduceScatterBlockAlgorithms();
absl::Span<const Algorithm> ScanAlgorithms();
absl::Span<const Algorithm> ExscanAlgorithms();

// For rows without a condition.
inline absl::Status AlwaysApplies(const Scenario&, const Knobs&) { return absl::OkStatus(); }
absl::Status NeedsPowerOfTwoRanks(const Scenario& scenario, const Knobs& knobs);
absl::Status NeedsSquareRanks(const Scenario& scenario, const Knobs& knobs);
absl::Status NeedsFourthPowerRanks(const Scenario& scenario, const Knobs& knobs);
absl::Status NeedsEvenRanks(const Scenario& scenario, const Knobs& knobs);
// Unless the number of columns is not set.
absl::Status NeedsTwoColumns(const Scenario& scenario, const Knobs& knobs);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_COLLECTIVES_ALGORITHMS_H_
