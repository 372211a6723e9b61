#include "store/cell.h"

#include <algorithm>
#include <cmath>

#include "store/store.h"

namespace cox::store {

Cell CellOf(double time_s, int64_t timing_count) {
  return {.weight = std::min(static_cast<double>(timing_count), Store::kMaxCellWeight),
          .mean_log_time = std::log(time_s),
          .m2_log_time = 0,
          .observation_count = 1};
}

void Add(const Cell& part, Cell& whole) {
  if (part.observation_count == 0) return;
  const double weight = whole.weight + part.weight;
  const double difference = part.mean_log_time - whole.mean_log_time;
  whole.mean_log_time += difference * part.weight / weight;
  whole.m2_log_time +=
      part.m2_log_time + difference * difference * whole.weight * part.weight / weight;
  whole.weight = weight;
  whole.observation_count += part.observation_count;
}

void Remove(const Cell& part, Cell& whole) {
  if (part.observation_count >= whole.observation_count) {
    whole = Cell{};
    return;
  }
  const double weight = whole.weight - part.weight;
  const double mean =
      whole.mean_log_time + (whole.mean_log_time - part.mean_log_time) * part.weight / weight;
  const double difference = part.mean_log_time - mean;
  const double m2 = whole.m2_log_time - part.m2_log_time -
                    difference * difference * weight * part.weight / whole.weight;
  whole.weight = weight;
  whole.mean_log_time = mean;
  // Rounding may leave a sum of squares just below zero.
  whole.m2_log_time = std::max(0.0, m2);
  whole.observation_count -= part.observation_count;
}

}  // namespace cox::store
