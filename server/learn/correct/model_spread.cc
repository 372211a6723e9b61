#include "learn/correct/model_spread.h"

#include <algorithm>
#include <bitset>
#include <cmath>

#include "learn/correct/interval.h"

namespace cox::learn {
namespace {

// A timing tells about structures within about so many doublings.
constexpr double kMessageReach = 2;
constexpr double kByteReach = 3;
// Nearer than this counts as timed: up to four times the messages, or eight times the bytes.
constexpr float kTimed = 0.6F;
// A median error |T_m - T_p| / min(T_m, T_p) above this, and above this many times the selected
// model's, refutes a model.
constexpr double kRefutedError = 1;
constexpr double kRefutedTimes = 2;

size_t Doublings(double log2, size_t count) {
  return static_cast<size_t>(std::clamp(std::round(log2), 0.0, static_cast<double>(count - 1)));
}

double Nearness(size_t a, size_t b, double reach) {
  const double distance = (static_cast<double>(a) - static_cast<double>(b)) / reach;
  return std::exp(-distance * distance / 2);
}

}  // namespace

ModelSpread::ModelSpread(absl::Span<const ModelError> ranked,
                         absl::Span<const StructureSize> sizes) {
  if (ranked.empty() || sizes.empty()) return;
  const double refuted = std::max(kRefutedError, kRefutedTimes * ranked.front().median_error);
  for (const ModelError& other : ranked.subspan(1)) {
    if (other.median_error <= refuted) others_.push_back({other.model, other.values});
  }
  std::bitset<kMessages * kBytes> seen;
  for (const StructureSize& size : sizes) {
    const Box box = BoxOf(size);
    if (seen[box.messages * kBytes + box.bytes]) continue;
    seen.set(box.messages * kBytes + box.bytes);
    MarkSeen(box);
  }
}

double ModelSpread::At(const model::Schedule& schedule, double price_s) const {
  if (others_.empty()) return 0;
  const Box box = BoxOf(StructureSizeOf(schedule));
  const float near = nearness_[box.messages][box.bytes];
  if (near > kTimed) return 0;
  double farthest = 0;
  for (const PricedModel& other : others_) {
    const double other_s = other.model->Price(other.values, schedule).TotalSeconds();
    if (!(other_s > 0) || !std::isfinite(other_s)) continue;
    farthest = std::max(farthest, std::abs(std::log(other_s / price_s)));
  }
  return (1 - near) * farthest / kIntervalSigmas;
}

ModelSpread::Box ModelSpread::BoxOf(const StructureSize& size) {
  return {Doublings(size.log2_messages, kMessages), Doublings(size.log2_bytes, kBytes)};
}

void ModelSpread::MarkSeen(const Box& seen) {
  for (size_t m = 0; m < kMessages; ++m) {
    const double near = Nearness(m, seen.messages, kMessageReach);
    for (size_t b = 0; b < kBytes; ++b) {
      float& nearest = nearness_[m][b];
      nearest = std::max(nearest, static_cast<float>(near * Nearness(b, seen.bytes, kByteReach)));
    }
  }
}

}  // namespace cox::learn
