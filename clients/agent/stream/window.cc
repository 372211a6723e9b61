#include "agent/stream/window.h"

#include <cmath>

#include "agent/collectives.h"

namespace cox::agent {
namespace {

constexpr double kSecondsPerNs = 1e-9;

bool LastToLeaveStands(int32_t collective) {
  return collective == static_cast<int32_t>(Collective::kBcast) ||
         collective == static_cast<int32_t>(Collective::kScatter);
}

double MeanSeconds(const CoxStreamRow& row) {
  return static_cast<double>(row.sum_ns) / static_cast<double>(row.count) * kSecondsPerNs;
}

double StddevSeconds(const CoxStreamRow& row) {
  if (row.count < 2) return 0;
  const double count = static_cast<double>(row.count);
  const double sum = static_cast<double>(row.sum_ns);
  const double squares = row.sum_squares_ns2 - sum * sum / count;
  return squares > 0 ? std::sqrt(squares / (count - 1)) * kSecondsPerNs : 0;
}

}  // namespace

void Window::Add(const CoxStreamRow* rows, size_t count) {
  for (const CoxStreamRow* row = rows; row != rows + count; ++row) {
    if (row->count < 1 || row->sum_ns == 0 || row->collective < 0 ||
        row->collective >= kCollectiveCount) {
      continue;
    }
    const WindowKey key = {row->collective, row->ranks, row->block_bytes, row->type_bytes};
    auto found = sums_.find(key);
    if (found == sums_.end()) {
      if (sums_.size() == kMaxKeys) {
        dropped_count_ += row->count;
        continue;
      }
      found = sums_.emplace(key, Sum()).first;
    }
    Sum& sum = found->second;
    const double mean_s = MeanSeconds(*row);
    if (sum.count == 0 ||
        (LastToLeaveStands(row->collective) ? mean_s > sum.time_s : mean_s < sum.time_s)) {
      sum.time_s = mean_s;
      sum.stddev_s = StddevSeconds(*row);
    }
    sum.count += row->count;
  }
}

Window::Contents Window::Take() {
  Contents contents{{}, dropped_count_};
  contents.entries.reserve(sums_.size());
  for (const auto& [key, sum] : sums_) {
    contents.entries.push_back({key, sum.count, sum.time_s, sum.stddev_s});
  }
  sums_.clear();
  dropped_count_ = 0;
  return contents;
}

}  // namespace cox::agent
