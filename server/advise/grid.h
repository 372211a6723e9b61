// Prices of one collective in bulk: every strategy for every number of ranks and every size. Pure;
// any thread.
#ifndef COX_ADVISE_GRID_H_
#define COX_ADVISE_GRID_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "advise/candidates.h"
#include "advise/machine_view.h"
#include "domain/shape.h"
#include "domain/sharing/caller_watch.h"
#include "strategy/scenario.h"

namespace cox::advise {

struct GridQuestion {
  strategy::Scenario scenario;          // its ranks and block_bytes are ignored
  std::vector<std::string> strategies;  // empty: all of the collective
  std::string model;                    // one; "": the machine's
  std::optional<domain::Shape> shape;   // as if the machine had it; absent: the machine's
  absl::Span<const int64_t> ranks;
  absl::Span<const int64_t> block_bytes;
};
inline constexpr int64_t kMaxGridPoints = 1'000'000;

struct Grid {
  const model::Model* model = nullptr;
  std::vector<std::string> strategies;  // in the order of amounts
  // Amount() by strategy, then ranks, then size: seconds, or units where no unit time is stated.
  // Negative: the strategy cannot run there.
  std::vector<double> amounts;
};

// Allocates nothing per point. INVALID_ARGUMENT with the field ("ranks[2]", "strategies[0]", ...)
// for values out of range, strategies of another collective, no ranks, no sizes, or more points
// than kMaxGridPoints. CANCELLED. Otherwise fails as StrategiesFor() and ModelsFor() do.
absl::StatusOr<Grid> EvaluateGrid(const MachineView& machine, const GridQuestion& question,
                                  const domain::IsCancelled& is_cancelled = {});

}  // namespace cox::advise

#endif  // COX_ADVISE_GRID_H_
