#include "learn/calibrate/buffer_limit.h"

#include <map>
#include <utility>
#include <vector>

#include "learn/median.h"

namespace cox::learn {
namespace {

constexpr double kSettled = 0.05;

// In the order of their messages, one of each number: two timings of the same flood always agree.
std::vector<Flood> Distinct(absl::Span<const Flood> floods) {
  std::map<double, std::vector<double>> times_s;
  for (const Flood& flood : floods) times_s[flood.messages].push_back(flood.time_s);
  std::vector<Flood> distinct;
  distinct.reserve(times_s.size());
  for (auto& [messages, times] : times_s) {
    distinct.push_back({messages, MedianOf(std::move(times))});
  }
  return distinct;
}

}  // namespace

std::optional<double> BufferLimit(absl::Span<const Flood> floods, double receive_gap_s) {
  const std::vector<Flood> sorted = Distinct(floods);
  if (sorted.size() < 3 || !(receive_gap_s > 0)) return std::nullopt;
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
