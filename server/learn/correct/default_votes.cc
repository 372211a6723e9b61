#include "learn/correct/default_votes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <set>
#include <utility>

#include "learn/structure.h"

namespace cox::learn {
namespace {

// Two timings of the same code differ by about this, in ln(time), beyond their own scatter.
constexpr double kSameCodeSigma = 0.07;
// Prior probability that the default runs none of the timed algorithms. Its time may then be any
// within a factor of e either way: the density per unit of ln(time).
constexpr double kOtherCode = 0.2;
constexpr double kOtherDensity = 0.5;
// How far a vote reaches, in doublings of (ranks, nodes, bytes). Decisions change at thresholds, so
// not far.
constexpr Coordinates kVoteReach = {0.7, 0.7, 1.0};

// The call without its algorithm.
TimedCall PlaceOf(const Cell& cell) { return TimedCallOf(cell, ""); }

double VarianceOf(const Cell& cell) { return cell.variance_log_time / cell.weight; }

// The probability density of the difference if both ran the same code.
double Likelihood(const Cell& forced, const Cell& default_cell) {
  const double variance =
      kSameCodeSigma * kSameCodeSigma + VarianceOf(forced) + VarianceOf(default_cell);
  const double difference = forced.mean_log_time - default_cell.mean_log_time;
  return std::exp(-0.5 * difference * difference / variance) /
         std::sqrt(2 * std::numbers::pi * variance);
}

// The `limit` most frequent names, in order.
std::vector<std::string> MostFrequent(const std::map<absl::string_view, size_t>& counts,
                                      size_t limit) {
  std::vector<std::pair<absl::string_view, size_t>> names(counts.begin(), counts.end());
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (names.size() > limit) names.resize(limit);
  std::sort(names.begin(), names.end());
  std::vector<std::string> kept;
  kept.reserve(names.size());
  for (const auto& [name, count] : names) kept.emplace_back(name);
  return kept;
}

}  // namespace

DefaultVotes DefaultVotes::Build(absl::Span<const PreparedCell> cells, absl::string_view library,
                                 absl::string_view collective) {
  std::map<TimedCall, std::map<absl::string_view, const Cell*>> forced;
  std::vector<const PreparedCell*> defaults;
  for (const PreparedCell& cell : cells) {
    if (cell.cell->library != library || cell.cell->collective != collective) continue;
    if (cell.algorithm == kDefaultAlgorithm) {
      defaults.push_back(&cell);
    } else if (cell.algorithm != kSelectionFile) {
      forced[PlaceOf(*cell.cell)][cell.algorithm] = cell.cell;
    }
  }
  std::map<absl::string_view, size_t> names;  // with the number of the default's places beside
  std::erase_if(defaults, [&](const PreparedCell* cell) {
    const auto beside = forced.find(PlaceOf(*cell->cell));
    if (beside == forced.end()) return true;
    for (const auto& [name, other] : beside->second) ++names[name];
    return false;
  });

  DefaultVotes votes;
  votes.names_ = MostFrequent(names, kMaxNames);
  std::vector<Place> places;
  for (const PreparedCell* cell : defaults) {
    const auto& beside = forced[PlaceOf(*cell->cell)];
    const double each = (1 - kOtherCode) / static_cast<double>(beside.size());
    Place place{CoordinatesOf(cell->point), std::vector<double>(votes.names_.size(), 0)};
    double sum = kOtherCode * kOtherDensity;
    for (size_t i = 0; i < votes.names_.size(); ++i) {
      const auto other = beside.find(votes.names_[i]);
      if (other == beside.end()) continue;
      place.shares[i] = each * Likelihood(*other->second, *cell->cell);
      sum += place.shares[i];
    }
    for (double& share : place.shares) share /= sum;
    places.push_back(std::move(place));
  }
  ThinOut(&places);
  votes.Keep(places);
  return votes;
}

// Merges neighbours within ever larger boxes into one place with the mean of their shares.
void DefaultVotes::ThinOut(std::vector<Place>* places) {
  for (double edge = 0.25; places->size() > kMaxPlaces && edge < 64; edge *= 2) {
    std::map<Coordinates, std::pair<Place, double>> boxes;
    for (const Place& place : *places) {
      Coordinates box;
      for (size_t d = 0; d < box.size(); ++d) box[d] = std::floor(place.at[d] / edge + 0.5);
      auto [found, is_new] = boxes.try_emplace(box, place, 1);
      if (is_new) continue;
      auto& [mean, count] = found->second;
      count += 1;
      for (size_t d = 0; d < box.size(); ++d) mean.at[d] += (place.at[d] - mean.at[d]) / count;
      for (size_t i = 0; i < mean.shares.size(); ++i) {
        mean.shares[i] += (place.shares[i] - mean.shares[i]) / count;
      }
    }
    places->clear();
    for (auto& [box, merged] : boxes) places->push_back(std::move(merged.first));
  }
}

void DefaultVotes::Keep(const std::vector<Place>& places) {
  const auto column = [&](const auto& value_of) {
    std::vector<double> values;
    values.reserve(places.size());
    for (const Place& place : places) values.push_back(value_of(place));
    return ColumnOf(values);
  };
  place_count_ = places.size();
  places_ = {column([](const Place& place) { return place.at[0]; }),
             column([](const Place& place) { return place.at[1]; }),
             column([](const Place& place) { return place.at[2]; })};
  for (size_t i = 0; i < names_.size(); ++i) {
    shares_.push_back(column([i](const Place& place) { return place.shares[i]; }));
  }
}

double DefaultVotes::VotesAt(const Coordinates& at, absl::Span<double> votes) const {
  std::array<float, 3> place;
  std::array<float, 3> scale;
  for (size_t d = 0; d < at.size(); ++d) {
    place[d] = static_cast<float>(at[d]);
    scale[d] = static_cast<float>(1 / (kVoteReach[d] * kVoteReach[d]));
  }
  std::array<float, ColumnLength(kMaxPlaces)> weights;
  const size_t length = places_.x.size();
  KernelAt(places_, place, scale, weights.data());
  std::fill(weights.data() + place_count_, weights.data() + length, 0.0F);
  const double total = SumOfProducts(weights.data(), weights.data(), length);
  Square(weights.data(), length);
  for (size_t i = 0; i < votes.size(); ++i) {
    votes[i] = SumOfProducts(weights.data(), shares_[i].data(), length);
  }
  return total;
}

}  // namespace cox::learn
