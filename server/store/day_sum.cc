#include "store/day_sum.h"

#include <algorithm>

#include "domain/saturating_add.h"
#include "store/time_bucket.h"

namespace cox::store {
namespace {

constexpr int64_t kDay_us = 86'400'000'000;

}  // namespace

void Extend(const DaySum& part, DaySum& whole) {
  whole.first_id = std::min(whole.first_id, part.first_id);
  whole.last_id = std::max(whole.last_id, part.last_id);
  whole.first_us = std::min(whole.first_us, part.first_us);
  whole.last_us = std::max(whole.last_us, part.last_us);
  whole.timing_count = domain::SaturatingAdd(whole.timing_count, part.timing_count);
  whole.total_time_s += part.total_time_s;
  Add(part.cell, whole.cell);
}

int64_t DayOf(int64_t at_us) { return BucketOf(at_us, kDay_us) / kDay_us; }

void Take(int64_t id, int64_t at_us, double time_s, int64_t timing_count, DayKey key,
          OldRowSums& found) {
  DaySum row{.first_id = id,
             .last_id = id,
             .first_us = at_us,
             .last_us = at_us,
             .timing_count = timing_count,
             .total_time_s = time_s * static_cast<double>(timing_count)};
  AddTiming(time_s, timing_count, kNotTold, row.cell);
  key.day = DayOf(at_us);
  const auto [it, is_new] = found.sums.try_emplace(key, row);
  if (!is_new) Extend(row, it->second);
  found.ids.push_back(id);
}

}  // namespace cox::store
