#include "agent/stream/sketch_window.h"

#include <utility>

#include "domain/pattern/classes.h"

namespace cox::agent {
namespace {

constexpr double kSketchSecondsPerNs = 1e-9;
// A rank counts fewer in a window. The sums of all ranks stay below what coxd refuses.
constexpr uint64_t kMostRowCount = uint64_t{1} << 32;

domain::PatternCounts CountsOf(const uint32_t* counts) {
  domain::PatternCounts all{};
  for (size_t i = 0; i < all.size(); ++i) all[i] = counts[i];
  return all;
}

// Whether a rank can have written the row, which another process did. coxd would refuse the whole
// batch for one damaged row.
bool IsPlausible(const CoxStreamSketch& row, const domain::PatternSketch& sums) {
  const int64_t distances = domain::TotalOf(sums.distance_counts);
  return row.phases <= kMostRowCount && row.samples <= kMostRowCount &&
         row.repeats <= row.samples && row.timed <= row.phases &&
         domain::TotalOf(sums.destination_counts) <= sums.sampled_count &&
         domain::LeastSumOf(sums.destination_counts) <= static_cast<double>(distances) &&
         distances <= domain::TotalOf(sums.size_counts);
}

}  // namespace

void SketchWindow::Add(const CoxStreamSketch& row) {
  // Another process wrote the row.
  if (row.kind < 0 || row.kind >= domain::kPatternKindCount || row.ranks < 1 || row.phases == 0 ||
      row.ranks > job_.nodes * job_.ppn) {
    return;
  }
  domain::PatternSketch part;
  part.key = job_;
  part.key.kind = static_cast<domain::PatternKind>(row.kind);
  part.key.ranks = row.ranks;
  part.phase_count = static_cast<int64_t>(row.phases);
  part.sampled_count = static_cast<int64_t>(row.samples);
  part.repeat_count = static_cast<int64_t>(row.repeats);
  part.total_bytes = static_cast<double>(row.bytes);
  part.timed_count = static_cast<int64_t>(row.timed);
  part.inside_s = static_cast<double>(row.inside_ns) * kSketchSecondsPerNs;
  part.between_s = static_cast<double>(row.between_ns) * kSketchSecondsPerNs;
  part.destination_counts = CountsOf(row.destinations);
  part.size_counts = CountsOf(row.sizes);
  part.distance_counts = CountsOf(row.distances);
  if (!IsPlausible(row, part)) return;
  const auto found = sketches_.find(part.key);
  if (found != sketches_.end()) {
    domain::Add(part, found->second);
  } else if (sketches_.size() < kMaxSketches) {
    sketches_.emplace(part.key, part);
  }
}

std::vector<domain::PatternSketch> SketchWindow::Take(bool all) {
  std::vector<domain::PatternSketch> due;
  if (sketches_.empty() || (++windows_held_ < kWindowsHeld && !all)) return due;
  windows_held_ = 0;
  for (auto& [key, sketch] : std::exchange(sketches_, {})) due.push_back(std::move(sketch));
  return due;
}

}  // namespace cox::agent
