#include "agent/stream/window.h"

#include <cmath>

#include "agent/stream/estimator.h"
#include "agent/timing/collectives.h"
#include "agent/timing/table.h"
#include "domain/collective.h"

namespace cox::agent {
namespace {

constexpr double kWindowSecondsPerNs = 1e-9;

double MeanNs(const CoxStreamRow& row) {
  return static_cast<double>(row.sum_ns) / static_cast<double>(row.count);
}

double StddevNs(int64_t count, double sum_ns, double squares_ns2) {
  if (count < 2) return 0;
  const double squares = squares_ns2 - sum_ns * sum_ns / static_cast<double>(count);
  return squares > 0 ? std::sqrt(squares / static_cast<double>(count - 1)) : 0;
}

// Another process wrote the row.
Origin OriginOf(const CoxStreamRow& row) {
  const auto origin = static_cast<Origin>(row.origin);
  switch (origin) {
    case Origin::kPassive:
    case Origin::kSynchronised:
    case Origin::kPeer:
    case Origin::kCanary:
      return origin;
  }
  return Origin::kPassive;
}

bool IsComplete(const WindowKey& key, int64_t count) {
  return static_cast<size_t>(count) >= TimingsForLowQuantile(key.ranks);
}

}  // namespace

void Window::Add(const CoxStreamRow* rows, size_t count) {
  for (const CoxStreamRow* row = rows; row != rows + count; ++row) {
    if (row->count < 1 || row->sum_ns == 0 || row->collective < 0 ||
        row->collective >= domain::kCollectiveCount || row->ranks < 1) {
      continue;
    }
    const WindowKey key = {row->collective, row->ranks,     row->block_bytes,
                           row->type_bytes, OriginOf(*row), row->number};
    auto found = sums_.find(key);
    if (found == sums_.end()) {
      if (sums_.size() == kMaxKeys) {
        dropped_count_ += row->count;
        continue;
      }
      found = sums_.emplace(key, Sum()).first;
    }
    Sum& sum = found->second;
    sum.count += row->count;
    if (key.origin == Origin::kSynchronised) {
      sum.sum_ns += static_cast<double>(row->sum_ns);
      sum.squares_ns2 += row->sum_squares_ns2;
      sum.summed_count += row->count;
      sum.time_s = sum.sum_ns / static_cast<double>(sum.summed_count) * kWindowSecondsPerNs;
    } else {
      AddPassive(*row, &sum);
    }
  }
}

void Window::AddPassive(const CoxStreamRow& row, Sum* sum) {
  if (EstimatorOf(row.collective) == Estimator::kLowQuantile) {
    Pool(row, sum);
  } else if (sum->summed_count == 0 || MeanNs(row) * kWindowSecondsPerNs > sum->time_s) {
    // A single reporting rank has the largest mean too.
    sum->time_s = MeanNs(row) * kWindowSecondsPerNs;
    sum->sum_ns = static_cast<double>(row.sum_ns);
    sum->squares_ns2 = row.sum_squares_ns2;
    sum->summed_count = row.count;
  }
}

void Window::Pool(const CoxStreamRow& row, Sum* sum) {
  sum->sum_ns += static_cast<double>(row.sum_ns);
  sum->squares_ns2 += row.sum_squares_ns2;
  sum->summed_count += row.count;
  for (int64_t i = 0; i < row.recent_count; ++i) {
    const float time_ns = row.recent_ns[i];
    // Another process wrote this value.
    if (!(time_ns > 0) || !std::isfinite(time_ns)) continue;
    ++sum->offered_count;
    if (sum->timings_ns.size() < kMaxTimings) {
      sum->timings_ns.push_back(time_ns);
      continue;
    }
    // Keeps each offered timing with the same probability.
    const auto place = static_cast<size_t>(
        std::uniform_int_distribution<int64_t>(0, sum->offered_count - 1)(random_));
    if (place < kMaxTimings) sum->timings_ns[place] = time_ns;
  }
}

WindowEntry Window::Conclude(const WindowKey& key, Sum* sum) {
  const double stddev_s =
      StddevNs(sum->summed_count, sum->sum_ns, sum->squares_ns2) * kWindowSecondsPerNs;
  if (sum->timings_ns.empty()) return {key, sum->count, sum->time_s, stddev_s, "mean"};
  const double time_s = LowQuantile(&sum->timings_ns, key.ranks) * kWindowSecondsPerNs;
  return {key, sum->count, time_s, stddev_s, "min"};
}

Window::Contents Window::Take(bool all, double lasted_s) {
  Contents contents{{}, dropped_count_};
  dropped_count_ = 0;
  for (auto place = sums_.begin(); place != sums_.end();) {
    const WindowKey& key = place->first;
    Sum& sum = place->second;
    const bool holds = key.origin != Origin::kSynchronised &&
                       EstimatorOf(key.collective) == Estimator::kLowQuantile;
    sum.held_s += lasted_s;
    if (holds && !all && !IsComplete(key, sum.offered_count) &&
        ++sum.windows_held < kMaxWindowsHeld && sum.held_s < kMaxHeld_s) {
      ++place;
      continue;
    }
    if (!holds || !sum.timings_ns.empty()) contents.entries.push_back(Conclude(key, &sum));
    place = sums_.erase(place);
  }
  return contents;
}

}  // namespace cox::agent
