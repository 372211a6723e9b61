#include "agent/stream/sketch_window.h"

#include <utility>

#include "domain/pattern/classes.h"

namespace cox::agent {
namespace {

constexpr double kSecondsPerNs = 1e-9;

domain::PatternCounts CountsOf(const uint32_t* counts) {
  domain::PatternCounts all{};
  for (size_t i = 0; i < all.size(); ++i) all[i] = counts[i];
  return all;
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
  part.inside_s = static_cast<double>(row.inside_ns) * kSecondsPerNs;
  part.between_s = static_cast<double>(row.between_ns) * kSecondsPerNs;
  part.destination_counts = CountsOf(row.destinations);
  part.size_counts = CountsOf(row.sizes);
  part.distance_counts = CountsOf(row.distances);
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
