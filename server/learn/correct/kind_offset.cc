#include "learn/correct/kind_offset.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "domain/cell_key.h"
#include "learn/median.h"

namespace cox::learn {
namespace {

constexpr double kBeliefInNone = 2;
// The prior of how far algorithms' ratios lie from one factor, in ln(time), and its weight in
// algorithms.
constexpr double kOffsetPriorSigma = 0.2;
constexpr double kOffsetPriorWeight = 2;
// A ratio farther from the others than a factor of 10 is a wrong timing.
constexpr double kFarthest = 2.3;

// The logarithms of the ratios of one (library, collective), by algorithm.
using Ratios = std::map<absl::string_view, std::vector<double>>;

// Between algorithms. The median of all distances would be the distance of the most often timed
// algorithm from itself, so each algorithm counts once.
double VarianceBetween(const std::vector<double>& medians, double center) {
  double sum = kOffsetPriorWeight * kOffsetPriorSigma * kOffsetPriorSigma;
  double weight = kOffsetPriorWeight - 1;  // less one for the center
  for (const double median : medians) {
    const double distance = std::min(std::abs(median - center), kFarthest);
    sum += distance * distance;
    weight += 1;
  }
  return sum / weight;
}

// Within algorithms: from the median distance from each algorithm's median. An algorithm that was
// timed in both ways only once tells nothing.
double VarianceWithin(const Ratios& ratios) {
  std::vector<double> distances;
  for (const auto& [algorithm, values] : ratios) {
    if (values.size() < 2) continue;
    const double median = MedianOf(values);
    for (const double value : values) distances.push_back(std::abs(value - median));
  }
  if (distances.empty()) return 0;
  // The standard deviation of a normal distribution with this median distance.
  const double sigma = 1.4826 * MedianOf(std::move(distances));
  return sigma * sigma;
}

// The call whatever the type of its elements: an application and a benchmark rarely use the same.
Call WithoutType(const Cell& cell, absl::string_view algorithm) {
  Call call = CallOf(cell, algorithm);
  std::get<7>(call) = 0;
  return call;
}

}  // namespace

KindOffsets KindOffsets::Build(absl::Span<const PreparedCell> cells) {
  std::map<Call, double> benchmarks;
  for (const PreparedCell& cell : cells) {
    if (cell.cell->kind != domain::CellKind::kBenchmark) continue;
    const auto [at, is_new] =
        benchmarks.try_emplace(WithoutType(*cell.cell, cell.algorithm), cell.cell->mean_log_time);
    // What was asked for itself, rather than what fell back to it.
    if (!is_new && cell.cell->algorithm == cell.algorithm) at->second = cell.cell->mean_log_time;
  }
  std::map<std::pair<absl::string_view, absl::string_view>, Ratios> by_collective;
  for (const PreparedCell& cell : cells) {
    if (cell.cell->kind != domain::CellKind::kJob) continue;
    const auto found = benchmarks.find(WithoutType(*cell.cell, cell.algorithm));
    if (found == benchmarks.end()) continue;
    by_collective[{cell.cell->library, cell.cell->collective}][cell.algorithm].push_back(
        cell.cell->mean_log_time - found->second);
  }
  KindOffsets offsets;
  for (const auto& [names, ratios] : by_collective) {
    std::vector<double> medians;
    double count = 0;
    for (const auto& [algorithm, values] : ratios) {
      medians.push_back(MedianOf(values));
      count += static_cast<double>(values.size());
    }
    const double center = MedianOf(medians);
    const double trust = count / (count + kBeliefInNone);
    offsets.offsets_[names] = {-center * trust, VarianceBetween(medians, center),
                               VarianceWithin(ratios), center * (1 - trust)};
  }
  return offsets;
}

KindOffsets::Offset KindOffsets::Of(const Cell& cell) const {
  if (cell.kind != domain::CellKind::kJob) return {};
  const auto found = offsets_.find({cell.library, cell.collective});
  return found == offsets_.end() ? Offset() : found->second;
}

std::map<std::pair<absl::string_view, absl::string_view>, JobFactor> KindOffsets::JobFactors()
    const {
  std::map<std::pair<absl::string_view, absl::string_view>, JobFactor> factors;
  for (const auto& [names, offset] : offsets_) {
    factors[names] = {-offset.log_factor, offset.common_variance + offset.own_variance +
                                              offset.distrusted * offset.distrusted};
  }
  return factors;
}

double KindOffsets::For(const Cell& cell) const { return Of(cell).log_factor; }

double KindOffsets::VarianceOf(const Cell& cell) const {
  const Offset offset = Of(cell);
  return offset.common_variance + offset.own_variance;
}

double KindOffsets::CommonVarianceOf(const Cell& cell) const { return Of(cell).common_variance; }

}  // namespace cox::learn
