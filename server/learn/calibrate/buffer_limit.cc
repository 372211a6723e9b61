#include "learn/calibrate/buffer_limit.h"

#include <algorithm>
#include <vector>

namespace cox::learn {
namespace {

constexpr double kSettled = 0.05;

}  // namespace

std::optional<double> BufferLimit(absl::Span<const Flood> floods, double receive_gap_s) {
  if (floods.size() < 3 || !(receive_gap_s > 0)) return std::nullopt;
  std::vector<Flood> sorted(floods.begin(), floods.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const Flood& a, const Flood& b) { return a.messages < b.messages; });
  const auto held = [&](const Flood& flood) {
    return flood.messages - flood.time_s / receive_gap_s;
  };
  const double last = held(sorted.back());
  const double before = held(sorted[sorted.size() - 2]);
  if (!(last >= 1) || !(before >= 1)) return std::nullopt;
  if (last > (1 + kSettled) * before) return std::nullopt;
  // Floods that fill the buffer differ only by noise.
  double sum = 0;
  int count = 0;
  for (const Flood& flood : sorted) {
    if (held(flood) < before / (1 + kSettled)) continue;
    sum += held(flood);
    ++count;
  }
  return sum / count;
}

}  // namespace cox::learn
