#include "learn/correct/growth.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "learn/calibrate/nnls.h"

namespace cox::learn {
namespace {

constexpr int kReweightings = 6;
// Samples farther from the fit than this many times the median distance, or the ordinary one, count
// less.
constexpr double kOutlierLimit = 3;
constexpr double kOrdinaryError = 0.1;

// Huber's weights, from the logarithmic distances of the samples to the fit.
std::vector<double> RobustWeights(const std::vector<double>& log_errors) {
  std::vector<double> sizes = log_errors;
  for (double& size : sizes) size = std::abs(size);
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const double limit = kOutlierLimit * std::max(*middle, kOrdinaryError);
  std::vector<double> weights;
  weights.reserve(log_errors.size());
  for (double error : log_errors) weights.push_back(std::min(1.0, limit / std::abs(error)));
  return weights;
}

// The common factor between samples and structural prices: the geometric mean, with a prior of some
// samples at 1. A machine that is slower throughout is likelier than a generic term that happens to
// grow as the structure does.
double CommonFactor(absl::Span<const GrowthSample> samples, double prior_weight) {
  double sum = 0;
  double weight = prior_weight;
  for (const GrowthSample& sample : samples) {
    if (sample.structural_time_s <= 0) continue;
    sum += sample.weight * std::log(sample.time_s / sample.structural_time_s);
    weight += sample.weight;
  }
  return weight > 0 ? std::exp(sum / weight) : 1;
}

}  // namespace

GrowthTerms TermsAt(const Point& point, double structural_time_s) {
  const double p = point.ranks;
  const double n = point.nodes;
  const double k = point.ppn;
  const double b = point.block_bytes;
  const double lg_p = std::log2(p);
  return {structural_time_s, 1,     lg_p,  p,     std::log2(n), n, k, b,
          b * lg_p,          b * p, b * n, b * k, b * p * k};
}

double Growth::TimeAt(const Point& point, double structural_time_s) const {
  return TimeAt(TermsAt(point, structural_time_s), structural_time_s);
}

double Growth::TimeAt(const GrowthTerms& terms, double structural_time_s) const {
  double time_s = coefficients[0] * structural_time_s;
  for (int i = 1; i < kGrowthTerms; ++i) time_s += coefficients[i] * terms[i];
  return time_s;
}

Growth FitGrowth(absl::Span<const GrowthSample> samples, const GrowthPrior& prior) {
  Growth growth;
  double structured = 0;
  double total_weight = 0;
  std::vector<GrowthTerms> terms;
  terms.reserve(samples.size());
  for (const GrowthSample& sample : samples) {
    terms.push_back(TermsAt(sample.point, sample.structural_time_s));
    if (sample.structural_time_s > 0) structured += sample.weight;
    total_weight += sample.weight;
  }
  const double factor_on_structure = CommonFactor(samples, prior.factor);
  if (structured > 0) growth.coefficients[0] = factor_on_structure;
  if (total_weight <= 0) return growth;

  // Without a price the generic terms are all that there is.
  const auto count = static_cast<double>(samples.size());
  const double of_few = structured > 0 ? prior.generic_of_one / std::pow(count, 4) : 0;
  const double generic_strength = prior.generic + of_few;
  // Squared relative error of t' against t is unfair to over-estimates; dividing by sqrt(t t')
  // instead makes it the square of 2 sinh(log error / 2), so a few reweightings give the
  // logarithmic fit.
  std::vector<double> scale_s(samples.size());
  for (size_t i = 0; i < samples.size(); ++i) scale_s[i] = samples[i].time_s;
  std::vector<double> robust(samples.size(), 1);
  std::vector<double> log_errors(samples.size(), 0);
  for (int round = 0; round < kReweightings; ++round) {
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(kGrowthTerms, kGrowthTerms);
    Eigen::VectorXd rhs = Eigen::VectorXd::Zero(kGrowthTerms);
    for (size_t i = 0; i < samples.size(); ++i) {
      const Eigen::Map<const Eigen::VectorXd> row(terms[i].data(), kGrowthTerms);
      const double factor = robust[i] * samples[i].weight / (scale_s[i] * scale_s[i]);
      gram.noalias() += factor * row * row.transpose();
      rhs += factor * samples[i].time_s * row;
    }
    // Priors in units of each term's own mean share, so that no unit of a term matters.
    for (int j = 0; j < kGrowthTerms; ++j) {
      const double mean_square = gram(j, j) / total_weight;
      const double strength = j == 0 ? prior.structure : generic_strength;
      gram(j, j) += strength * mean_square;
      if (j == 0) rhs(j) += strength * mean_square * factor_on_structure;
    }
    const Eigen::VectorXd solution = SolveNonNegative(gram, rhs);
    for (int j = 0; j < kGrowthTerms; ++j) growth.coefficients[j] = solution(j);
    for (size_t i = 0; i < samples.size(); ++i) {
      const double fitted_s = growth.TimeAt(samples[i].point, samples[i].structural_time_s);
      // Within a factor of 30, so that one wrong sample neither dominates the fit nor vanishes from
      // it.
      const double bounded_s = std::clamp(fitted_s, samples[i].time_s / 30, samples[i].time_s * 30);
      scale_s[i] = std::sqrt(samples[i].time_s * bounded_s);
      log_errors[i] = std::log(samples[i].time_s / bounded_s);
    }
    robust = RobustWeights(log_errors);
  }
  return growth;
}

}  // namespace cox::learn
