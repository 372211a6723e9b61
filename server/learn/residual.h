// A smooth surface through what a trend leaves unexplained, over (log2 ranks, log2 nodes, log2
// (bytes + 1)): the posterior mean of a Gaussian process (Rasmussen and Williams, "Gaussian
// Processes for Machine Learning", 2006, section 2.2) with a rational quadratic kernel, which needs
// no exponential. Immutable after Build, any thread.
#ifndef COX_LEARN_RESIDUAL_H_
#define COX_LEARN_RESIDUAL_H_

#include <array>
#include <vector>

#include "absl/types/span.h"
#include "learn/growth.h"

namespace cox::learn {

using Coordinates = std::array<double, 3>;
Coordinates CoordinatesOf(const Point& point);

struct ResidualSample {
  Coordinates at{};
  double residual = 0;  // of the logarithm
  double variance = 0;  // of that residual
  double weight = 1;    // observations behind it
};

// How far a residual reaches, in doublings.
using Reach = std::array<double, 3>;

class ResidualSurface {
 public:
  struct Value {
    double mean = 0;
    double variance = 0;
    double support = 0;  // weight of the samples around
  };

  ResidualSurface() = default;
  // At most kMaxSamples samples (the caller merges), O(samples^3).
  ResidualSurface(absl::Span<const ResidualSample> samples, const Reach& reach);

  static constexpr size_t kMaxSamples = 160;

  // O(samples), no allocation. The variance is the one given the nearest sample alone: never less
  // than the full posterior's, and equal to the prior's far away from all samples.
  Value At(const Coordinates& at) const;

  // log p(residuals | reach), for choosing the reach.
  double log_likelihood() const { return log_likelihood_; }

 private:
  struct Node {
    float at[3];     // coordinates divided by the reach
    float solution;  // (K + noise)^-1 residual, times the prior variance
    float trust;     // prior variance / (prior variance + noise of the sample)
    float weight;
  };
  std::vector<Node> nodes_;
  std::array<float, 3> inverse_reach_{};
  double prior_variance_ = 0;
  double noise_variance_ = 0;
  double log_likelihood_ = 0;
};

}  // namespace cox::learn

#endif  // COX_LEARN_RESIDUAL_H_
