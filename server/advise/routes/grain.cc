#include "advise/routes/grain.h"

#include <algorithm>
#include <limits>

#include "advise/pattern.h"
#include "model/cost.h"
#include "model/schedule.h"
#include "strategy/traffic/message_patterns.h"

namespace cox::advise {
namespace {

constexpr int64_t kMostBlocks = 32;
constexpr double kAsGood = 1.03;

}  // namespace

absl::StatusOr<std::vector<Grain>> GrainsOf(const PricedBy& priced_by,
                                            absl::Span<const model::Transfer> messages,
                                            const strategy::Scenario& scenario, double work_s) {
  std::vector<Grain> grains;
  int64_t most_messages = kMostGrainMessages;
  for (int64_t blocks = 1; blocks <= kMostBlocks; blocks *= 2) {
    const auto count = static_cast<int64_t>(messages.size()) * blocks;
    if (blocks > 1 && count > most_messages) break;
    std::vector<model::Transfer> divided;
    divided.reserve(static_cast<size_t>(count));
    for (const model::Transfer& message : messages) {
      model::Transfer part = message;
      part.bytes /= static_cast<double>(blocks);
      divided.insert(divided.end(), static_cast<size_t>(blocks), part);
    }
    model::Schedule schedule;
    absl::Status built = strategy::BuildPattern(divided, scenario, &schedule);
    if (!built.ok()) return built;
    bool is_listed = false;
    const model::Cost cost = PriceDirect(priced_by, schedule, divided, &is_listed);
    if (is_listed) most_messages = kListedMessages;
    const double total_s = cost.TotalSeconds();
    if (total_s == 0 && cost.units > 0) return grains;
    const double processor_s =
        std::min(total_s, cost.cpu_s > 0 ? cost.cpu_s : cost[model::Term::kStartup]);
    const double travel_s = total_s - processor_s;
    const auto b = static_cast<double>(blocks);
    const double covered_s = (b - 1) / b * (work_s + processor_s);
    const double exposed_s = std::max(travel_s / b, travel_s - covered_s);
    grains.push_back({.block_count = blocks,
                      .phase_s = work_s + processor_s + exposed_s,
                      .communication_s = total_s,
                      .hidden_share = total_s > 0 ? (travel_s - exposed_s) / total_s : 0});
  }
  return grains;
}

const Grain& BestGrain(absl::Span<const Grain> grains) {
  double shortest_s = std::numeric_limits<double>::infinity();
  for (const Grain& grain : grains) shortest_s = std::min(shortest_s, grain.phase_s);
  return *std::find_if(grains.begin(), grains.end(),
                       [&](const Grain& grain) { return grain.phase_s <= kAsGood * shortest_s; });
}

}  // namespace cox::advise
