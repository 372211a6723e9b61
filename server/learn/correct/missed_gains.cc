#include "learn/correct/missed_gains.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <tuple>

#include "domain/cell_key.h"
#include "learn/drift_limits.h"
#include "learn/structure.h"

namespace cox::learn {
namespace {

// A benchmark's size counts for a job's size up to this distance, in doublings.
constexpr double kSameSize = 1;
// A job's timing with fewer repetitions tells nothing.
constexpr double kEnoughTimings = 3;
// A smaller gain is no promise: no decision rests on it.
constexpr double kLeastPromise = 0.03;
// How far a place reaches, in doublings of (ranks, nodes, bytes), and how near an algorithm's own
// place must be to tell more than the others.
constexpr Coordinates kPlaceReach = {1, 1, 2};
constexpr double kNear = 0.5;

// Gains promised by benchmarks either hold in jobs, or are off by kMissingSigma, in the logarithm.
// Before jobs timed any, the second is this likely.
constexpr double kDoubt = 0.2;
constexpr double kMissingSigma = 0.5;
// By how much algorithms differ in this, and by how much two jobs differ.
constexpr double kBetweenAlgorithms = 0.1;
constexpr double kBetweenJobs = 0.1;

double Squared(double value) { return value * value; }

struct Time {
  double log_time = 0;
  double variance = 0;  // without what a drift added
  double timings = 0;   // 0: none
  bool is_aged = false;
  double drift_log_factor = 0;
};
struct CodeTimes {
  Time now;
  Time before;  // the last drift
};
// Times of one call by the name of the code.
using Times = std::map<absl::string_view, CodeTimes>;
// The call without algorithm, size and element: library, collective, nodes, ppn, ranks.
using ShapeOfCall = std::tuple<absl::string_view, absl::string_view, int64_t, int64_t, int64_t>;
using TimesBySize = std::map<ShapeOfCall, std::map<int64_t, Times>>;

ShapeOfCall ShapeOf(const Cell& cell) {
  return {cell.library, cell.collective, cell.nodes, cell.ppn, cell.ranks};
}

TimesBySize TimesOf(absl::Span<const PreparedCell> cells, domain::CellKind kind) {
  TimesBySize times;
  for (const PreparedCell& prepared : cells) {
    const Cell& cell = *prepared.cell;
    if (cell.kind != kind || prepared.algorithm == kSelectionFile) continue;
    CodeTimes& of_code = times[ShapeOf(cell)][cell.block_bytes][prepared.algorithm];
    const bool is_aged = cell.timings_before_drift > 0;
    Time& time = is_aged ? of_code.before : of_code.now;
    const double timings = is_aged ? cell.timings_before_drift : cell.weight;
    if (timings <= time.timings) continue;
    const double added = is_aged ? Squared(kAgedSigma) : 0;
    time = {cell.mean_log_time, std::max(0.0, cell.variance_log_time - added) / timings, timings,
            is_aged, cell.drift_log_factor};
  }
  return times;
}

// How much faster than the default, in the logarithm.
struct Gain {
  bool is_known = false;
  double log_gain = 0;
  double variance = 0;
  double timings = 0;
  bool is_aged = false;
  bool spans_drift = false;
};

// From at least `least` timings of both.
Gain GainOf(const Times& times, absl::string_view algorithm, double least) {
  const auto the_default = times.find(kDefaultAlgorithm);
  const auto other = times.find(algorithm);
  if (the_default == times.end() || other == times.end()) return {};
  const CodeTimes& a = the_default->second;
  const CodeTimes& b = other->second;
  // Best are two times from the same side of the last drift.
  for (const auto& [of_default, of_other] :
       {std::pair(&a.now, &b.now), std::pair(&a.before, &b.before), std::pair(&a.now, &b.before),
        std::pair(&a.before, &b.now)}) {
    const double timings = std::min(of_default->timings, of_other->timings);
    if (timings == 0 || timings < least) continue;
    const bool spans_drift = of_default->is_aged != of_other->is_aged ||
                             of_default->drift_log_factor != of_other->drift_log_factor;
    return {.is_known = true,
            .log_gain = of_default->log_time - of_other->log_time,
            .variance =
                of_default->variance + of_other->variance + (spans_drift ? Squared(kAgedSigma) : 0),
            .timings = timings,
            .is_aged = of_default->is_aged || of_other->is_aged,
            .spans_drift = spans_drift};
  }
  return {};
}

double Doublings(int64_t a, int64_t b) {
  return std::abs(std::log2(static_cast<double>(a) + 1) - std::log2(static_cast<double>(b) + 1));
}

// At the nearest of the sizes; not known where none is near.
Gain GainNear(const std::map<int64_t, Times>& by_size, int64_t bytes, absl::string_view algorithm) {
  Gain nearest;
  double distance = kSameSize;
  const auto after = by_size.lower_bound(bytes);
  const auto look = [&](std::map<int64_t, Times>::const_iterator size) {
    const Gain gain = GainOf(size->second, algorithm, 0);
    if (!gain.is_known || Doublings(size->first, bytes) > distance) return;
    distance = Doublings(size->first, bytes);
    nearest = gain;
  };
  if (after != by_size.end()) look(after);
  if (after != by_size.begin()) look(std::prev(after));
  return nearest;
}

double Nearness(const Coordinates& a, const Coordinates& b) {
  double squared_distance = 0;
  for (size_t i = 0; i < a.size(); ++i) squared_distance += Squared((a[i] - b[i]) / kPlaceReach[i]);
  return 1 / Squared(1 + squared_distance);
}

// What places tell: the mean of what is missing, and the inverse of its variance.
struct PlaceEvidence {
  double mean = 0;
  double precision = 0;
};

// Of the places of one algorithm. More of its places do not make it another algorithm.
PlaceEvidence EvidenceOf(absl::Span<const MissedGains::Place> places, const Coordinates& at) {
  double weight = 0;
  double missing = 0;
  double variance = 0;
  double nearest = 0;
  for (const MissedGains::Place& place : places) {
    const double nearness = Nearness(place.at, at);
    weight += nearness;
    missing += nearness * place.missing;
    variance += nearness * place.variance;
    nearest = std::max(nearest, nearness);
  }
  const double spread = Squared(kBetweenAlgorithms) + Squared(kBetweenJobs) + variance / weight;
  return {missing / weight, nearest / spread};
}

// The gains hold, or they are off by kMissingSigma: a mixture of the two.
Shortfall Posterior(const PlaceEvidence& evidence) {
  if (!(evidence.mean > 0) || !(evidence.precision > 0)) return {};
  const double squared = Squared(evidence.mean);
  const double variance = Squared(kMissingSigma) + 1 / evidence.precision;
  const double if_they_hold =
      std::sqrt(evidence.precision) * std::exp(-0.5 * squared * evidence.precision);
  const double if_not = std::exp(-0.5 * squared / variance) / std::sqrt(variance);
  const double doubt = kDoubt * if_not / (kDoubt * if_not + (1 - kDoubt) * if_they_hold);
  // The share of the variance that the evidence explains: far from all places, nothing.
  const double known = Squared(kMissingSigma) / variance;
  const double mean = known * evidence.mean;
  const double rest = Squared(kBetweenAlgorithms) + Squared(kMissingSigma) * (1 - known);
  return {doubt * mean, known * (doubt * rest + doubt * (1 - doubt) * Squared(mean))};
}

}  // namespace

MissedGains::MissedGains(std::vector<Place> places) : places_(std::move(places)) {
  std::stable_sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
    return a.is_aged == b.is_aged ? a.timings > b.timings : b.is_aged;
  });
  if (places_.size() > kMaxPlaces) places_.resize(kMaxPlaces);
  std::stable_sort(places_.begin(), places_.end(),
                   [](const Place& a, const Place& b) { return a.algorithm < b.algorithm; });
}

Shortfall MissedGains::At(const Coordinates& at, absl::string_view algorithm) const {
  PlaceEvidence all;
  for (auto from = places_.begin(); from != places_.end();) {
    const auto to = std::find_if(from, places_.end(), [&](const Place& place) {
      return place.algorithm != from->algorithm;
    });
    const auto own = absl::MakeConstSpan(places_).subspan(
        static_cast<size_t>(from - places_.begin()), static_cast<size_t>(to - from));
    const PlaceEvidence evidence = EvidenceOf(own, at);
    const bool is_near = std::any_of(own.begin(), own.end(), [&](const Place& place) {
      return !place.spans_drift && Nearness(place.at, at) >= kNear;
    });
    if (from->algorithm == algorithm && is_near) return Posterior(evidence);
    const double precision = all.precision + evidence.precision;
    all.mean = (all.mean * all.precision + evidence.mean * evidence.precision) / precision;
    all.precision = precision;
    from = to;
  }
  return Posterior(all);
}

std::map<std::pair<absl::string_view, absl::string_view>, MissedGains> FindMissedGains(
    absl::Span<const PreparedCell> cells) {
  const TimesBySize benchmarks = TimesOf(cells, domain::CellKind::kBenchmark);
  std::map<std::pair<absl::string_view, absl::string_view>, std::vector<MissedGains::Place>> places;
  for (const auto& [shape, by_size] : TimesOf(cells, domain::CellKind::kJob)) {
    const auto promised_by = benchmarks.find(shape);
    if (promised_by == benchmarks.end()) continue;
    const auto& [library, collective, nodes, ppn, ranks] = shape;
    for (const auto& [bytes, times] : by_size) {
      for (const auto& [algorithm, time] : times) {
        if (algorithm == kDefaultAlgorithm) continue;
        const Gain found = GainOf(times, algorithm, kEnoughTimings);
        if (!found.is_known) continue;
        const Gain promised = GainNear(promised_by->second, bytes, algorithm);
        if (!promised.is_known || promised.log_gain < kLeastPromise) continue;
        const Point point{static_cast<double>(nodes), static_cast<double>(ppn),
                          static_cast<double>(ranks), static_cast<double>(bytes)};
        places[{library, collective}].push_back(
            {.at = CoordinatesOf(point),
             .algorithm = std::string(algorithm),
             .missing = promised.log_gain - found.log_gain,
             .variance = promised.variance + found.variance,
             .timings = found.timings,
             .is_aged = found.is_aged,
             .spans_drift = promised.spans_drift || found.spans_drift});
      }
    }
  }
  std::map<std::pair<absl::string_view, absl::string_view>, MissedGains> missed;
  for (auto& [names, of_collective] : places) {
    missed.emplace(names, MissedGains(std::move(of_collective)));
  }
  return missed;
}

}  // namespace cox::learn
