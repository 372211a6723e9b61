#include "learn/residual.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace cox::learn {
namespace {

// What two runs of the same thing differ by at least, in the logarithm, and what a trend is
// believed to leave over before anything is known, worth two samples.
constexpr double kNoiseVariance = 0.04 * 0.04;
constexpr double kPriorVariance = 0.3 * 0.3;
constexpr double kPriorWeight = 2;

double Kernel(double squared_distance) { return 1 / (1 + 0.5 * squared_distance); }

}  // namespace

Coordinates CoordinatesOf(const Point& point) {
  return {std::log2(point.ranks), std::log2(point.nodes), std::log2(point.block_bytes + 1)};
}

ResidualSurface::ResidualSurface(absl::Span<const ResidualSample> samples, const Reach& reach) {
  const int size = static_cast<int>(samples.size());
  for (int d = 0; d < 3; ++d) inverse_reach_[d] = static_cast<float>(1 / reach[d]);
  noise_variance_ = kNoiseVariance;
  double sum_of_squares = kPriorWeight * kPriorVariance;
  for (const ResidualSample& sample : samples) sum_of_squares += sample.residual * sample.residual;
  prior_variance_ = sum_of_squares / (size + kPriorWeight);
  if (size == 0) return;

  Eigen::MatrixXd covariance(size, size);
  Eigen::VectorXd residuals(size);
  for (int i = 0; i < size; ++i) {
    residuals(i) = samples[i].residual;
    for (int j = 0; j <= i; ++j) {
      double squared_distance = 0;
      for (int d = 0; d < 3; ++d) {
        const double step = (samples[i].at[d] - samples[j].at[d]) / reach[d];
        squared_distance += step * step;
      }
      covariance(i, j) = covariance(j, i) = prior_variance_ * Kernel(squared_distance);
    }
    covariance(i, i) += noise_variance_ + samples[i].variance;
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  const Eigen::VectorXd solution = factor.solve(residuals);
  log_likelihood_ = -0.5 * residuals.dot(solution);
  for (int i = 0; i < size; ++i) log_likelihood_ -= std::log(factor.matrixL()(i, i));

  nodes_.resize(size);
  for (int i = 0; i < size; ++i) {
    Node& node = nodes_[i];
    for (int d = 0; d < 3; ++d) node.at[d] = static_cast<float>(samples[i].at[d] / reach[d]);
    node.solution = static_cast<float>(prior_variance_ * solution(i));
    node.trust = static_cast<float>(prior_variance_ /
                                    (prior_variance_ + noise_variance_ + samples[i].variance));
    node.weight = static_cast<float>(samples[i].weight);
  }
}

ResidualSurface::Value ResidualSurface::At(const Coordinates& at) const {
  const float x = static_cast<float>(at[0]) * inverse_reach_[0];
  const float y = static_cast<float>(at[1]) * inverse_reach_[1];
  const float z = static_cast<float>(at[2]) * inverse_reach_[2];
  float mean = 0;
  float support = 0;
  float explained = 0;
  for (const Node& node : nodes_) {
    const float dx = x - node.at[0];
    const float dy = y - node.at[1];
    const float dz = z - node.at[2];
    const float kernel = 1 / (1 + 0.5F * (dx * dx + dy * dy + dz * dz));
    mean += kernel * node.solution;
    const float square = kernel * kernel;
    support += square * node.weight;
    explained = std::max(explained, square * node.trust);
  }
  Value value;
  value.mean = mean;
  value.variance = prior_variance_ * (1 - explained) + noise_variance_;
  value.support = support;
  return value;
}

}  // namespace cox::learn
