#include "learn/correct/default_votes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <set>
#include <utility>

#include "learn/structure.h"

namespace cox::learn {
namespace {

// Two timings of the same code differ by about this, in the logarithm, beyond their own scatter.
constexpr double kSameCodeSigma = 0.07;
// What is none of the timed algorithms: how likely beforehand, and its density per unit of the
// logarithm, for it may take any time within a factor of e either way.
constexpr double kOtherCode = 0.2;
constexpr double kOtherDensity = 0.5;
// How far a vote reaches, in doublings of (ranks, nodes, bytes): decisions change at thresholds.
constexpr Coordinates kVoteReach = {0.7, 0.7, 1.0};

// Where it was, whatever was run there.
TimedCall PlaceOf(const Cell& cell) { return TimedCallOf(cell, ""); }

double VarianceOf(const Cell& cell) { return cell.variance_log_time / cell.weight; }

// How well the times agree, as a probability density.
double Likelihood(const Cell& forced, const Cell& usual) {
  const double variance = kSameCodeSigma * kSameCodeSigma + VarianceOf(forced) + VarianceOf(usual);
  const double difference = forced.mean_log_time - usual.mean_log_time;
  return std::exp(-0.5 * difference * difference / variance) /
         std::sqrt(2 * std::numbers::pi * variance);
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
  std::set<absl::string_view> names;
  std::erase_if(defaults, [&](const PreparedCell* cell) {
    const auto beside = forced.find(PlaceOf(*cell->cell));
    if (beside == forced.end()) return true;
    for (const auto& [name, other] : beside->second) names.insert(name);
    return false;
  });

  DefaultVotes votes;
  for (const absl::string_view name : names) votes.names_.emplace_back(name);
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
    votes.places_.push_back(std::move(place));
  }
  votes.ThinOut();
  return votes;
}

// Neighbours within ever larger boxes become one place, with the mean of their shares.
void DefaultVotes::ThinOut() {
  for (double edge = 0.25; places_.size() > kMaxPlaces && edge < 64; edge *= 2) {
    std::map<Coordinates, std::pair<Place, double>> boxes;
    for (const Place& place : places_) {
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
    places_.clear();
    for (auto& [box, merged] : boxes) places_.push_back(std::move(merged.first));
  }
}

double DefaultVotes::VotesAt(const Coordinates& at, absl::Span<double> votes) const {
  std::fill(votes.begin(), votes.end(), 0.0);
  double total = 0;
  for (const Place& place : places_) {
    double squared_distance = 0;
    for (size_t d = 0; d < at.size(); ++d) {
      const double step = (at[d] - place.at[d]) / kVoteReach[d];
      squared_distance += step * step;
    }
    const double nearness = 1 / (1 + squared_distance);
    const double weight = nearness * nearness;
    total += weight;
    for (size_t i = 0; i < votes.size(); ++i) votes[i] += weight * place.shares[i];
  }
  return total;
}

}  // namespace cox::learn
