#include "learn/correct/correction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "domain/profile.h"
#include "learn/cells.h"
#include "learn/correct/contradiction.h"
#include "learn/correct/default_check.h"
#include "learn/correct/envelope.h"
#include "learn/correct/growth.h"
#include "learn/correct/kind_offset.h"
#include "learn/correct/model_choice.h"
#include "learn/correct/residual.h"
#include "learn/structure.h"

namespace cox::learn {
namespace {

// Structural prices are believed to be off by this much, in the logarithm, until observations say
// how far they really are off on this machine.
constexpr double kStructuralSigma = 0.7;
constexpr double kStructuralPriorWeight = 5;

// Residuals are smooth over a short way here and over a long way there, and a few timings cannot
// tell which: surfaces of all these reaches, in doublings of (ranks, nodes, bytes), speak with one
// voice each.
constexpr Reach kReaches[] = {{1.0, 1.0, 2.0}, {2.0, 2.0, 2.0}, {4.0, 4.0, 8.0}};

// The mean of surfaces of several reaches.
class Surfaces {
 public:
  explicit Surfaces(absl::Span<const ResidualSample> samples) {
    for (size_t i = 0; i < surfaces_.size(); ++i) {
      surfaces_[i] = ResidualSurface(samples, kReaches[i]);
    }
  }

  ResidualSurface::Value At(const Coordinates& at) const {
    ResidualSurface::Value mean;
    for (const ResidualSurface& surface : surfaces_) {
      const ResidualSurface::Value value = surface.At(at);
      mean.mean += value.mean / kCount;
      mean.variance += value.variance / kCount;
      mean.shared_variance += value.shared_variance / kCount;
      mean.support += value.support / kCount;
    }
    return mean;
  }

  // Of each place, the mean of the surfaces.
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
  static constexpr double kCount = std::size(kReaches);
  std::array<ResidualSurface, std::size(kReaches)> surfaces_;
};

class LearnedCorrection final : public Correction {
 public:
  LearnedCorrection(Growth growth, Surfaces surfaces, double common_variance, bool is_on_envelope)
      : growth_(growth),
        surfaces_(std::move(surfaces)),
        common_variance_(common_variance),
        is_on_envelope_(is_on_envelope) {}

  Estimate Predict(double structural_time_s, double nodes, double ppn, double ranks,
                   double block_bytes) const override {
    const Point point{nodes, ppn, ranks, block_bytes};
    Estimate estimate;
    // A trend that rests on the structure says nothing where there is none.
    if (growth_.coefficients[0] > 0 && !(structural_time_s > 0)) return estimate;
    const double trend_s = growth_.TimeAt(point, std::max(structural_time_s, 0.0));
    if (!(trend_s > 0) || !std::isfinite(trend_s)) return estimate;
    const ResidualSurface::Value residual = surfaces_.At(CoordinatesOf(point));
    estimate.known = true;
    estimate.log_time = std::log(trend_s) + residual.mean;
    const double variance = residual.variance + common_variance_;
    estimate.sigma = std::sqrt(variance);
    estimate.own_sigma = std::sqrt(variance - residual.shared_variance);
    estimate.support = residual.support;
    return estimate;
  }
  bool has_data() const override { return true; }
  bool is_on_envelope() const override { return is_on_envelope_; }
  std::vector<LeftOut> left_out() const override { return surfaces_.left_out(); }

 private:
  Growth growth_;
  Surfaces surfaces_;
  double common_variance_;  // what no place of the algorithm is free of
  bool is_on_envelope_;
};

class StructureOnly final : public Correction {
 public:
  explicit StructureOnly(double sigma) : sigma_(sigma) {}

  Estimate Predict(double structural_time_s, double /*nodes*/, double /*ppn*/, double /*ranks*/,
                   double /*block_bytes*/) const override {
    Estimate estimate;
    if (!(structural_time_s > 0) || !std::isfinite(structural_time_s)) return estimate;
    estimate.known = true;
    estimate.log_time = std::log(structural_time_s);
    estimate.sigma = sigma_;
    estimate.own_sigma = sigma_;
    return estimate;
  }
  bool has_data() const override { return false; }
  bool is_on_envelope() const override { return false; }
  std::vector<LeftOut> left_out() const override { return {}; }

 private:
  double sigma_;
};

struct Names {
  absl::string_view library;
  absl::string_view collective;
  absl::string_view algorithm;
  friend bool operator==(const Names&, const Names&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const Names& names) {
    return H::combine(std::move(state), names.library, names.collective, names.algorithm);
  }
};

class LearnedCorrections final : public Corrections {
 public:
  LearnedCorrections(std::string model, double structural_sigma)
      : model_(std::move(model)), structure_only_(structural_sigma) {}

  void Add(const Names& names, std::unique_ptr<const Correction> correction) {
    const Names kept{Keep(names.library), Keep(names.collective), Keep(names.algorithm)};
    algorithms_[{kept.library, kept.collective, {}}].push_back(kept.algorithm);
    table_.emplace(kept, std::move(correction));
  }

  void AddVotes(const Names& names, DefaultVotes votes) {
    votes_.emplace(Names{Keep(names.library), Keep(names.collective), {}}, std::move(votes));
  }

  // After the last Add().
  void SortAlgorithms() {
    for (auto& [names, algorithms] : algorithms_) std::sort(algorithms.begin(), algorithms.end());
  }

  const Correction* Find(absl::string_view library, absl::string_view collective,
                         absl::string_view algorithm) const override {
    const auto found = table_.find(Names{library, collective, algorithm});
    return found == table_.end() ? &structure_only_ : found->second.get();
  }
  absl::Span<const absl::string_view> Algorithms(absl::string_view library,
                                                 absl::string_view collective) const override {
    const auto found = algorithms_.find(Names{library, collective, {}});
    if (found == algorithms_.end()) return {};
    return found->second;
  }
  const DefaultVotes* VotesOnDefault(absl::string_view library,
                                     absl::string_view collective) const override {
    const auto found = votes_.find(Names{library, collective, {}});
    return found == votes_.end() ? nullptr : &found->second;
  }
  absl::string_view model() const override { return model_; }

 private:
  // A copy that lives as long as the table: keys are views, so that a question is looked up without
  // one.
  absl::string_view Keep(absl::string_view name) {
    return *names_.emplace(std::string(name)).first;
  }

  std::string model_;
  StructureOnly structure_only_;
  std::set<std::string> names_;  // nodes do not move
  absl::flat_hash_map<Names, std::unique_ptr<const Correction>> table_;
  absl::flat_hash_map<Names, std::vector<absl::string_view>> algorithms_;
  absl::flat_hash_map<Names, DefaultVotes> votes_;
};

using Places = std::vector<PlacedTime>;
using PlacesByNames =
    std::map<std::tuple<absl::string_view, absl::string_view, absl::string_view>, Places>;

PlacedTime PlaceOf(const PreparedCell& prepared, const KindOffsets& offsets) {
  const Cell& cell = *prepared.cell;
  PlacedTime place;
  place.point = prepared.point;
  const double variance = offsets.VarianceOf(cell);
  place.observations = cell.observations;
  place.log_time = cell.mean_log_time + offsets.For(cell);
  place.common_variance = offsets.CommonVarianceOf(cell);
  place.variance = cell.variance_log_time / cell.weight + variance - place.common_variance;
  // What timings have in common does not average out over however many there are.
  place.weight = cell.weight / (1 + cell.weight * variance / kTimingVariance);
  return place;
}

// The libraries and collectives whose default has no structure, or that of only some of the
// algorithms that it is: prices would come and go from one size to the next.
using LibraryCollective = std::pair<absl::string_view, absl::string_view>;
std::set<LibraryCollective> UnknownDefaults(absl::Span<const PreparedCell> cells) {
  std::set<LibraryCollective> unknown;
  for (const PreparedCell& prepared : cells) {
    if (prepared.algorithm == kDefaultAlgorithm && prepared.strategy == nullptr) {
      unknown.emplace(prepared.cell->library, prepared.cell->collective);
    }
  }
  return unknown;
}

bool IsUnknownDefault(const PreparedCell& prepared, const std::set<LibraryCollective>& unknown) {
  return prepared.algorithm == kDefaultAlgorithm &&
         unknown.contains({prepared.cell->library, prepared.cell->collective});
}

void MergeAll(PlacesByNames* groups) {
  for (auto& [names, places] : *groups) {
    DropContradictedPlaces(&places);
    places = MergePlaces(places, ResidualSurface::kMaxSamples);
  }
}

// All but the defaults that are unknown.
PlacesByNames PlacesOf(absl::Span<const PreparedCell> cells,
                       const std::set<LibraryCollective>& unknown_defaults,
                       const KindOffsets& offsets, const ModelError* model) {
  PlacesByNames groups;
  auto schedule = std::make_unique<model::Schedule>();
  for (const PreparedCell& prepared : cells) {
    if (IsUnknownDefault(prepared, unknown_defaults)) continue;
    PlacedTime place = PlaceOf(prepared, offsets);
    if (model != nullptr && prepared.strategy != nullptr) {
      place.structural_time_s = StructuralTime(prepared.strategy, *prepared.scenario, *model->model,
                                               model->values, schedule.get());
    }
    groups[{prepared.cell->library, prepared.cell->collective, prepared.algorithm}].push_back(
        place);
  }
  MergeAll(&groups);
  return groups;
}

// The defaults that are unknown, measured against the fastest of their library's algorithms.
PlacesByNames PlacesOnEnvelope(absl::Span<const PreparedCell> cells,
                               const std::set<LibraryCollective>& unknown_defaults,
                               const KindOffsets& offsets, const Corrections& corrections,
                               const ModelError* model) {
  PlacesByNames groups;
  auto schedule = std::make_unique<model::Schedule>();
  Pricing pricing;
  if (model != nullptr) pricing = {model->model, &model->values};
  for (const PreparedCell& prepared : cells) {
    if (!IsUnknownDefault(prepared, unknown_defaults)) continue;
    const Cell& cell = *prepared.cell;
    const Place place{cell.library, cell.collective,
                      prepared.scenario ? &*prepared.scenario : nullptr, prepared.point};
    PlacedTime timed = PlaceOf(prepared, offsets);
    timed.structural_time_s =
        EnvelopeTime(corrections, cell.library, cell.collective, [&](absl::string_view algorithm) {
          return EstimateOf(algorithm, corrections, place, pricing, schedule.get());
        });
    groups[{cell.library, cell.collective, prepared.algorithm}].push_back(timed);
  }
  MergeAll(&groups);
  return groups;
}

// How far structural prices lie from the truth on this machine: root mean square, in the logarithm.
double StructuralSigma(const PlacesByNames& groups) {
  double sum = kStructuralPriorWeight * kStructuralSigma * kStructuralSigma;
  double weight = kStructuralPriorWeight;
  for (const auto& [names, places] : groups) {
    for (const PlacedTime& place : places) {
      if (place.structural_time_s <= 0) continue;
      const double error = place.log_time - std::log(place.structural_time_s);
      sum += error * error;
      weight += 1;
    }
  }
  return std::sqrt(sum / weight);
}

Growth TrendOf(const Places& places) {
  std::vector<GrowthSample> samples;
  samples.reserve(places.size());
  for (const PlacedTime& place : places) {
    samples.push_back({place.point, place.structural_time_s, std::exp(place.log_time), 1});
  }
  return FitGrowth(samples);
}

// The part of the error that places share of which none is free: any place that is tells the others
// how far they lie off, and a benchmark's is. Nothing that places say about each other shows it.
double LeastCommonVariance(const Places& places) {
  double least = HUGE_VAL;
  for (const PlacedTime& place : places) least = std::min(least, place.common_variance);
  return places.empty() ? 0 : least;
}

// `common_variance`: what of the places' is accounted for elsewhere.
std::vector<ResidualSample> ResidualsOf(const Places& places, const Growth& trend,
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

std::unique_ptr<const Corrections> BuildCorrections(const domain::Profile& profile,
                                                    absl::Span<const Cell> cells) {
  std::vector<PreparedCell> prepared = PrepareCells(cells, profile.shape);
  DropContradictedDefaults(&prepared);
  const std::vector<ModelError> models = RankModels(profile, prepared);
  const ModelError* model = models.empty() ? nullptr : &models.front();
  const std::set<LibraryCollective> unknown_defaults = UnknownDefaults(prepared);
  const KindOffsets offsets = KindOffsets::Build(prepared);
  const PlacesByNames groups = PlacesOf(prepared, unknown_defaults, offsets, model);

  auto corrections = std::make_unique<LearnedCorrections>(
      model == nullptr ? "" : std::string(model->model->id()), StructuralSigma(groups));
  const auto learn = [&](const PlacesByNames& places_by_names, bool is_on_envelope) {
    for (const auto& [key, places] : places_by_names) {
      const Growth trend = TrendOf(places);
      const double common = LeastCommonVariance(places);
      corrections->Add(
          {std::get<0>(key), std::get<1>(key), std::get<2>(key)},
          std::make_unique<LearnedCorrection>(trend, Surfaces(ResidualsOf(places, trend, common)),
                                              common, is_on_envelope));
    }
  };
  learn(groups, false);
  learn(PlacesOnEnvelope(prepared, unknown_defaults, offsets, *corrections, model), true);
  for (const auto& [library, collective] : unknown_defaults) {
    corrections->AddVotes({library, collective, {}},
                          DefaultVotes::Build(prepared, library, collective));
  }
  corrections->SortAlgorithms();
  return corrections;
}

}  // namespace cox::learn
