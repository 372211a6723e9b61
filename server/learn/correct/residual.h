// A smooth surface through what a trend leaves unexplained, over (log2 ranks, log2 nodes, log2
// (bytes + 1)): the posterior mean of a Gaussian process (Rasmussen and Williams, "Gaussian
// Processes for Machine Learning", 2006, section 2.2) with a rational quadratic kernel, which needs
// no exponential. Immutable after Build, any thread.
#ifndef COX_LEARN_CORRECT_RESIDUAL_H_
#define COX_LEARN_CORRECT_RESIDUAL_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "learn/correct/surface/sample_places.h"

namespace cox::learn {

struct ResidualSample {
  Coordinates at{};
  double residual = 0;  // of the logarithm
  double variance = 0;  // of that residual
  double weight = 1;    // observations behind it
};

// The least variance of ln(time) between two runs of the same call.
inline constexpr double kTimingVariance = 0.05 * 0.05;

// Whether the trend's growth is that of the algorithm. Not known: the algorithm may grow faster or
// slower in each dimension, as far as its samples do not span it.
enum class Growths { kKnown, kNotKnown };

class ResidualSurface {
 public:
  struct Value {
    double mean = 0;
    double variance = 0;
    double shared_variance = 0;  // the part that all algorithms share beyond the samples' range
    double support = 0;          // weight of the samples nearby
  };

  ResidualSurface() = default;
  // At most kMaxSamples samples: callers merge places first. `places` are those of the samples, in
  // the same order. O(samples^3).
  ResidualSurface(absl::Span<const ResidualSample> samples,
                  std::shared_ptr<const SamplePlaces> places, const Reach& reach,
                  Growths growths = Growths::kKnown);

  // The prior's correlation of residuals at two places, in (0, 1].
  static double Correlation(const Coordinates& a, const Coordinates& b, const Reach& reach);

  // `nearness`: of `at` to places() under the surface's reach. O(samples), allocates nothing. The
  // variance is that given the nearest sample alone, times a
  // factor that puts nine in ten samples within 1.645 standard deviations of what the others
  // predict for them. Beyond the samples' range it grows with every doubling like a random walk's,
  // and where the growth is not known, with the squared distance.
  Value At(const Coordinates& at, const SampleNearness& nearness) const;

  const SamplePlaces& places() const { return *places_; }

  // Each sample's place and distance from what all other samples predict for it.
  const std::vector<std::pair<Coordinates, double>>& left_out() const { return left_out_; }

 private:
  // Of the samples, in columns (columns.h).
  struct Columns {
    std::vector<float> solution;  // (K + noise)^-1 residual, times the prior variance
    std::vector<float> trust;     // prior variance / (prior variance + noise of the sample)
    std::vector<float> weight;
  };
  struct Fitted;
  // `doubts`: an extra variance for each sample.
  Fitted Fit(absl::Span<const ResidualSample> samples, const Reach& reach,
             const std::vector<double>& doubts) const;
  void Keep(absl::Span<const ResidualSample> samples, const Fitted& fitted);
  SampleSums SumsOver(const SampleNearness& nearness) const;
  // Sets the factor from each sample's distance to what the others predict.
  void CalibrateVariance(absl::Span<const ResidualSample> samples, const Reach& reach,
                         const std::vector<double>& left_out_errors);

  std::shared_ptr<const SamplePlaces> places_;
  Columns samples_;
  double prior_variance_ = 0;
  double noise_variance_ = 0;
  double variance_factor_ = 1;
  std::vector<std::pair<Coordinates, double>> left_out_;
  Coordinates growth_variance_{};  // of the residual's slope, per squared doubling
  Coordinates lowest_{};
  Coordinates highest_{};
};

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_RESIDUAL_H_
