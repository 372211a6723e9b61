#include "domain/pattern/sketch.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace cox::domain {
namespace {

// Sums stay here, so that TotalOf() cannot overflow. Each part is at most as large.
constexpr int64_t kMost = int64_t{1} << 57;
static_assert(kMost <= std::numeric_limits<int64_t>::max() / kPatternClasses);

void AddCount(int64_t part, int64_t& whole) { whole = std::min(whole + part, kMost); }

void AddCounts(const PatternCounts& part, PatternCounts& whole) {
  for (size_t i = 0; i < whole.size(); ++i) AddCount(part[i], whole[i]);
}

}  // namespace

void Add(const PatternSketch& part, PatternSketch& whole) {
  AddCount(part.phase_count, whole.phase_count);
  AddCount(part.sampled_count, whole.sampled_count);
  AddCount(part.repeat_count, whole.repeat_count);
  whole.total_bytes += part.total_bytes;
  AddCount(part.timed_count, whole.timed_count);
  whole.inside_s += part.inside_s;
  whole.between_s += part.between_s;
  AddCounts(part.destination_counts, whole.destination_counts);
  AddCounts(part.size_counts, whole.size_counts);
  AddCounts(part.distance_counts, whole.distance_counts);
}

std::optional<PatternKind> ParsePatternKind(absl::string_view name) {
  for (int i = 0; i < kPatternKindCount; ++i) {
    if (name == kPatternKindNames[i]) return static_cast<PatternKind>(i);
  }
  return std::nullopt;
}

int64_t TotalOf(const PatternCounts& counts) {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

double LeastSumOf(const PatternCounts& counts) {
  double sum = 0;
  for (int i = 0; i < kPatternClasses; ++i) {
    sum += static_cast<double>(counts[static_cast<size_t>(i)]) *
           static_cast<double>(LeastOfPatternClass(i));
  }
  return sum;
}

}  // namespace cox::domain
