#include "learn/correct/correction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "learn/correct/growth.h"
#include "learn/correct/residual.h"

namespace cox::learn {
namespace {

// The part of a residual's variance over the common time that comparisons leave out: the common
// time is an estimate too, and its error is in the residuals of all algorithms.
constexpr double kSharedOverCommonTime = 0.5;

class Surfaces {
 public:
  Surfaces(absl::Span<const ResidualSample> samples, Growths growths, PlacesPool* pool) {
    std::vector<Coordinates> at;
    at.reserve(samples.size());
    for (const ResidualSample& sample : samples) at.push_back(sample.at);
    const std::shared_ptr<const SamplePlaces> places = pool->Share(at);
    for (size_t i = 0; i < surfaces_.size(); ++i) {
      surfaces_[i] = ResidualSurface(samples, places, kReaches[i], growths);
    }
  }

  ResidualSurface::Value At(AskedPoint* asked) const {
    const auto& nearness = asked->NearnessTo(surfaces_.front().places());
    ResidualSurface::Value mean;
    for (size_t i = 0; i < surfaces_.size(); ++i) {
      const ResidualSurface::Value value = surfaces_[i].At(asked->at(), nearness[i]);
      mean.mean += value.mean / kCount;
      mean.variance += value.variance / kCount;
      mean.shared_variance += value.shared_variance / kCount;
      mean.support += value.support / kCount;
    }
    return mean;
  }

  // The squared correlation with the nearest sample under the shortest reach.
  double NearnessOf(AskedPoint* asked) const {
    const double largest = asked->NearnessTo(surfaces_.front().places()).front().largest;
    return largest * largest;
  }

  // For each place the mean of the surfaces.
  std::vector<LeftOut> left_out() const {
    std::vector<LeftOut> errors;
    for (const ResidualSurface& surface : surfaces_) {
      for (size_t i = 0; i < surface.left_out().size(); ++i) {
        const auto& [at, error] = surface.left_out()[i];
        if (i == errors.size()) errors.push_back({std::exp2(at[2]) - 1, 0});
        errors[i].error += error / kCount;
      }
    }
    return errors;
  }

 private:
  static constexpr double kCount = kReaches.size();
  std::array<ResidualSurface, kReaches.size()> surfaces_;
};

// Times of collectives grow with a power of ranks between 0 and 2: its standard deviation, if every
// power is as likely, 2 / sqrt(12).
constexpr double kGrowthSigma = 0.58;

class LearnedCorrection final : public Correction {
 public:
  LearnedCorrection(Growth growth, Surfaces surfaces, double common_variance, double lone_ranks,
                    Base base)
      : growth_(growth),
        surfaces_(std::move(surfaces)),
        common_variance_(common_variance),
        lone_ranks_(lone_ranks),
        base_(base) {}

  Estimate Predict(double structural_time_s, AskedPoint* asked) const override {
    Estimate estimate;
    // A trend with a structural term says nothing where there is no structure.
    if (growth_.coefficients[0] > 0 && !(structural_time_s > 0)) return estimate;
    const double trend_s = growth_.TimeAt(asked->terms(), std::max(structural_time_s, 0.0));
    if (!(trend_s > 0) || !std::isfinite(trend_s)) return estimate;
    const ResidualSurface::Value residual = surfaces_.At(asked);
    estimate.known = true;
    estimate.log_time = std::log(trend_s) + residual.mean;
    const double further_variance = common_variance_ + GrowthVariance(asked->point().ranks);
    estimate.sigma = std::sqrt(residual.variance + further_variance);
    const double own_part = base_ == Base::kCommonTime ? 1 - kSharedOverCommonTime : 1;
    const double own_variance = own_part * (residual.variance - residual.shared_variance);
    estimate.own_sigma = std::sqrt(own_variance + further_variance);
    estimate.support = residual.support;
    estimate.nearness = surfaces_.NearnessOf(asked);
    return estimate;
  }
  bool has_data() const override { return true; }
  Base base() const override { return base_; }
  std::vector<LeftOut> left_out() const override { return surfaces_.left_out(); }

 private:
  // Without a structure, one number of ranks says nothing about how the time grows with ranks.
  double GrowthVariance(double ranks) const {
    if (growth_.coefficients[0] > 0 || lone_ranks_ == 0) return 0;
    const double sigma = kGrowthSigma * std::log(ranks / lone_ranks_);
    return sigma * sigma;
  }

  Growth growth_;
  Surfaces surfaces_;
  double common_variance_;  // of an error that all places share
  double lone_ranks_;       // of all places; 0: they differ
  Base base_;
};

class StructureOnly final : public Correction {
 public:
  explicit StructureOnly(double sigma) : sigma_(sigma) {}

  Estimate Predict(double structural_time_s, AskedPoint* /*asked*/) const override {
    Estimate estimate;
    if (!(structural_time_s > 0) || !std::isfinite(structural_time_s)) return estimate;
    estimate.known = true;
    estimate.log_time = std::log(structural_time_s);
    estimate.sigma = sigma_;
    estimate.own_sigma = sigma_;
    return estimate;
  }
  bool has_data() const override { return false; }
  Base base() const override { return Base::kStructure; }
  std::vector<LeftOut> left_out() const override { return {}; }

 private:
  double sigma_;
};

Growth TrendOf(absl::Span<const PlacedTime> places, Base base) {
  std::vector<GrowthSample> samples;
  samples.reserve(places.size());
  for (const PlacedTime& place : places) {
    samples.push_back({place.point, place.structural_time_s, std::exp(place.log_time), 1});
  }
  const bool is_borrowed = base == Base::kCommonTime || base == Base::kUsualTime;
  return FitGrowth(samples, is_borrowed ? kBorrowedForm : kKnownForm);
}

// The variance of the error that all places share. Comparing places does not show it. A place with
// less of it, as a benchmark's, shows the others how far they are off, so the least counts.
double LeastCommonVariance(absl::Span<const PlacedTime> places) {
  double least = HUGE_VAL;
  for (const PlacedTime& place : places) least = std::min(least, place.common_variance);
  return places.empty() ? 0 : least;
}

// The number of ranks of all places; 0 if they differ.
double LoneRanks(absl::Span<const PlacedTime> places) {
  const bool is_lone = std::all_of(places.begin(), places.end(), [&](const PlacedTime& place) {
    return place.point.ranks == places.front().point.ranks;
  });
  return is_lone && !places.empty() ? places.front().point.ranks : 0;
}

// `common_variance` of the places is accounted for elsewhere.
std::vector<ResidualSample> ResidualsOf(absl::Span<const PlacedTime> places, const Growth& trend,
                                        double common_variance) {
  std::vector<ResidualSample> residuals;
  residuals.reserve(places.size());
  for (const PlacedTime& place : places) {
    const double trend_s = trend.TimeAt(place.point, place.structural_time_s);
    if (!(trend_s > 0)) continue;
    residuals.push_back({CoordinatesOf(place.point), place.log_time - std::log(trend_s),
                         place.variance + place.common_variance - common_variance, place.weight});
  }
  return residuals;
}

}  // namespace

std::unique_ptr<const Correction> LearnCorrection(absl::Span<const PlacedTime> places, Base base,
                                                  PlacesPool* pool) {
  const Growth trend = TrendOf(places, base);
  const double common = LeastCommonVariance(places);
  const Growths growths = base == Base::kCommonTime ? Growths::kNotKnown : Growths::kKnown;
  const std::vector<ResidualSample> residuals = ResidualsOf(places, trend, common);
  return std::make_unique<LearnedCorrection>(trend, Surfaces(residuals, growths, pool), common,
                                             LoneRanks(places), base);
}

std::unique_ptr<const Correction> StructureAlone(double sigma) {
  return std::make_unique<StructureOnly>(sigma);
}

}  // namespace cox::learn
