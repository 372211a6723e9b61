#include "learn/robust_location.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace cox::learn {
namespace {

constexpr double kBiweight = 4.685;
// An observation within this many standard deviations is not contradicted.
constexpr double kWindow = 3.5;
// Timings that agree better than this may do so by chance.
constexpr double kLeastSigma = 0.02;
constexpr int kRounds = 20;

struct Weighed {
  double value;
  double weight;
};

// The weighted median of values in order; the mean of two that share the weight evenly.
double MedianOf(const std::vector<Weighed>& values) {
  double total = 0;
  for (const Weighed& entry : values) total += entry.weight;
  double below = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    below += values[i].weight;
    if (2 * below > total || i + 1 == values.size()) return values[i].value;
    if (2 * below == total) return (values[i].value + values[i + 1].value) / 2;
  }
  return 0;
}

// 1.4826 times the factor that makes the MAD of `count` normal values consistent.
double MadFactor(double count) {
  constexpr std::array<double, 10> kFew = {1,     1,   1.196, 1.495, 1.363,
                                           1.206, 1.2, 1.14,  1.129, 1.107};
  const double factor =
      count < kFew.size() ? kFew[static_cast<size_t>(count)] : count / (count - 0.8);
  return 1.4826 * factor;
}

double Square(double value) { return value * value; }

}  // namespace

RobustLocation LocationOf(absl::Span<const LogBin> bins) {
  if (bins.empty()) return {};
  double count = 0;
  std::vector<Weighed> values;
  values.reserve(bins.size());
  for (const LogBin& bin : bins) {
    values.push_back({bin.log_time, bin.count});
    count += bin.count;
  }
  const double median = MedianOf(values);
  for (Weighed& entry : values) entry.value = std::abs(entry.value - median);
  std::sort(values.begin(), values.end(),
            [](const Weighed& a, const Weighed& b) { return a.value < b.value; });
  const double sigma = std::max(kLeastSigma, MadFactor(count) * MedianOf(values));

  double location = median;
  for (int round = 0; round < kRounds; ++round) {
    double weights = 0;
    double sum = 0;
    for (const LogBin& bin : bins) {
      const double distance = (bin.log_time - location) / (kBiweight * sigma);
      if (std::abs(distance) >= 1) continue;
      const double weight = bin.count * Square(1 - Square(distance));
      weights += weight;
      sum += weight * (bin.log_time - location);
    }
    // Two equal halves far apart: no value is near the median, which stays.
    if (!(weights > 0)) break;
    location += sum / weights;
    if (std::abs(sum) < 1e-9 * weights * sigma) break;
  }

  double within = 0;
  double squares = 0;
  for (const LogBin& bin : bins) {
    if (std::abs(bin.log_time - location) > kWindow * sigma) continue;
    within += bin.count;
    squares += bin.squares + bin.count * Square(bin.log_time - location);
  }
  RobustLocation result{.log_time = location, .variance = 0, .share = within / count};
  if (within > 1) {
    result.variance = squares / (within - 1);
  } else if (count > 1) {
    result.variance = Square(sigma);
  }
  return result;
}

bool IsContradicted(const RobustLocation& location, double count, double log_time) {
  constexpr double kEnough = 4;
  if (count < kEnough) return false;
  const double sigma = std::max(kLeastSigma, std::sqrt(location.variance));
  return std::abs(log_time - location.log_time) > kBiweight * sigma;
}

}  // namespace cox::learn
