#include "learn/correct/residual.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

#include "learn/correct/interval.h"

namespace cox::learn {
namespace {

// The prior of the residuals' variance, and its weight in samples. A trend through a few samples
// has enough terms to leave no residual at all.
constexpr double kPriorVariance = 0.4 * 0.4;
constexpr double kResidualPriorWeight = 8;
// The weight of the prior that the variance needs no factor, in samples.
constexpr double kCalibrationPrior = 10;

// How far a trend may go wrong in one doubling beyond the samples' range, in ln(time): by an effect
// of the machine on all algorithms, such as another level of the network, and by the algorithm's
// own.
constexpr double kSharedDrift = 0.25;
constexpr double kOwnDrift = 0.15;

// How far it goes wrong where the growth is not known, in each doubling of ranks and of bytes: a
// slope, so that its doublings add up. Nodes grow with the ranks. Samples that span some doublings
// show the slope: the time at each end of their range is known with the second constant.
constexpr Coordinates kPriorGrowthSigma = {0.2, 0, 0.2};
constexpr double kEndVariance = 0.1 * 0.1;

double Kernel(double squared_distance) { return 1 / (1 + 0.5 * squared_distance); }

// A sample is doubted if it lies farther from the others' prediction than this many times the
// median distance, and farther than a factor of 20 (ln(20) = 3): no change of protocol is as large.
constexpr double kDoubtLimit = 6;
constexpr double kDoubtLeast = 3;

// The extra variance of each sample, its squared distance or 0. Empty where no sample is doubted.
std::vector<double> Doubts(const std::vector<double>& left_out_errors) {
  std::vector<double> sorted = left_out_errors;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const double limit = std::max(kDoubtLimit * *middle, kDoubtLeast);
  std::vector<double> doubts;
  for (size_t i = 0; i < left_out_errors.size(); ++i) {
    const double error = left_out_errors[i];
    if (error <= limit) continue;
    doubts.resize(left_out_errors.size(), 0);
    doubts[i] = error * error;
  }
  return doubts;
}

}  // namespace

struct ResidualSurface::Fitted {
  Eigen::VectorXd solution;
  std::vector<double> variances;
  std::vector<double> left_out_errors;
};

double ResidualSurface::Correlation(const Coordinates& a, const Coordinates& b,
                                    const Reach& reach) {
  double squared_distance = 0;
  for (size_t d = 0; d < a.size(); ++d) {
    const double step = (a[d] - b[d]) / reach[d];
    squared_distance += step * step;
  }
  return Kernel(squared_distance);
}

ResidualSurface::ResidualSurface(absl::Span<const ResidualSample> samples,
                                 std::shared_ptr<const SamplePlaces> places, const Reach& reach,
                                 Growths growths)
    : places_(std::move(places)) {
  const int size = static_cast<int>(samples.size());
  noise_variance_ = kTimingVariance;
  double sum_of_squares = kResidualPriorWeight * kPriorVariance;
  for (const ResidualSample& sample : samples) sum_of_squares += sample.residual * sample.residual;
  prior_variance_ = sum_of_squares / (size + kResidualPriorWeight);
  if (size == 0) return;
  lowest_ = highest_ = samples.front().at;
  for (const ResidualSample& sample : samples) {
    for (int d = 0; d < 3; ++d) {
      lowest_[d] = std::min(lowest_[d], sample.at[d]);
      highest_[d] = std::max(highest_[d], sample.at[d]);
    }
  }
  if (growths == Growths::kNotKnown) {
    for (int d = 0; d < 3; ++d) {
      const double prior = kPriorGrowthSigma[d] * kPriorGrowthSigma[d];
      const double span = highest_[d] - lowest_[d];
      growth_variance_[d] = prior / (1 + prior * span * span / (2 * kEndVariance));
    }
  }

  Fitted fitted = Fit(samples, reach, std::vector<double>(size, 0));
  // Once more, with less weight for samples that the others contradict.
  const std::vector<double> doubts = Doubts(fitted.left_out_errors);
  if (!doubts.empty()) fitted = Fit(samples, reach, doubts);
  for (size_t i = 0; i < samples.size(); ++i) {
    left_out_.emplace_back(samples[i].at, fitted.left_out_errors[i]);
  }
  Keep(samples, fitted);
  CalibrateVariance(samples, reach, fitted.left_out_errors);
}

ResidualSurface::Fitted ResidualSurface::Fit(absl::Span<const ResidualSample> samples,
                                             const Reach& reach,
                                             const std::vector<double>& doubts) const {
  const int size = static_cast<int>(samples.size());
  Eigen::MatrixXd covariance(size, size);
  Eigen::VectorXd residuals(size);
  Fitted fitted;
  fitted.variances.resize(size);
  for (int i = 0; i < size; ++i) {
    residuals(i) = samples[i].residual;
    for (int j = 0; j <= i; ++j) {
      covariance(i, j) = covariance(j, i) =
          prior_variance_ * Correlation(samples[i].at, samples[j].at, reach);
    }
    fitted.variances[i] = noise_variance_ + samples[i].variance + doubts[i];
    covariance(i, i) += fitted.variances[i];
  }
  // Sundararajan and Keerthi, "Predictive approaches for choosing hyperparameters in Gaussian
  // processes" (2001): a sample's distance from the others' prediction needs no second inversion.
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  fitted.solution = factor.solve(residuals);
  // The inverse is the product of the inverse triangle's transpose with it; only the diagonal
  // counts.
  const Eigen::MatrixXd triangle = factor.matrixL().solve(Eigen::MatrixXd::Identity(size, size));
  fitted.left_out_errors.resize(size);
  for (int i = 0; i < size; ++i) {
    fitted.left_out_errors[i] = std::abs(fitted.solution(i)) / triangle.col(i).squaredNorm();
  }
  return fitted;
}

void ResidualSurface::Keep(absl::Span<const ResidualSample> samples, const Fitted& fitted) {
  std::vector<double> solution;
  std::vector<double> trust;
  std::vector<double> weight;
  for (size_t i = 0; i < samples.size(); ++i) {
    solution.push_back(prior_variance_ * fitted.solution(static_cast<Eigen::Index>(i)));
    trust.push_back(prior_variance_ / (prior_variance_ + fitted.variances[i]));
    weight.push_back(samples[i].weight);
  }
  samples_ = {ColumnOf(solution), ColumnOf(trust), ColumnOf(weight)};
}

SampleSums ResidualSurface::SumsOver(const SampleNearness& nearness) const {
  return SumSamples(nearness.correlation.data(), samples_.solution.data(), samples_.trust.data(),
                    samples_.weight.data(), samples_.solution.size());
}

void ResidualSurface::CalibrateVariance(absl::Span<const ResidualSample> samples,
                                        const Reach& reach,
                                        const std::vector<double>& left_out_errors) {
  const size_t size = left_out_errors.size();
  std::vector<double> in_sigmas(size);
  SampleNearness nearness;
  for (size_t i = 0; i < size; ++i) {
    places_->NearnessAt(samples[i].at, reach, &nearness);
    nearness.correlation[i] = 0;
    const float explained = SumsOver(nearness).explained;
    const double variance = prior_variance_ * (1 - explained) + noise_variance_;
    in_sigmas[i] = left_out_errors[i] / std::sqrt(variance);
  }
  const auto ninetieth = in_sigmas.begin() + static_cast<std::ptrdiff_t>(size * 9 / 10);
  std::nth_element(in_sigmas.begin(), ninetieth, in_sigmas.end());
  const double seen = *ninetieth / kIntervalSigmas;
  const auto weight = static_cast<double>(size);
  const double factor = (weight * seen + kCalibrationPrior) / (weight + kCalibrationPrior);
  variance_factor_ = factor * factor;
}

ResidualSurface::Value ResidualSurface::At(const Coordinates& at,
                                           const SampleNearness& nearness) const {
  const size_t size = left_out_.size();
  Value value;
  const SampleSums sums = SumsOver(nearness);
  value.mean = sums.mean;
  value.variance = variance_factor_ * (prior_variance_ * (1 - sums.explained) + noise_variance_);
  if (size > 0) {
    double doublings = 0;
    for (int d = 0; d < 3; ++d) {
      const double beyond = std::max({0.0, lowest_[d] - at[d], at[d] - highest_[d]});
      doublings += beyond;
      value.variance += growth_variance_[d] * beyond * beyond;
    }
    value.shared_variance = kSharedDrift * kSharedDrift * doublings;
    value.variance += kOwnDrift * kOwnDrift * doublings + value.shared_variance;
  }
  value.support = sums.support;
  return value;
}

}  // namespace cox::learn
