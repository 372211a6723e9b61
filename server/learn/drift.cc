#include "learn/drift.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "domain/level.h"
#include "domain/parameter.h"
#include "learn/drift_limits.h"

namespace cox::learn {
namespace {

struct Range {
  int64_t min_bytes;
  int64_t max_bytes;
};
// A lower rate shows in large blocks, a longer latency in small ones. The widest first.
constexpr Range kRanges[] = {{0, INT64_MAX},       {1 << 10, INT64_MAX}, {1 << 15, INT64_MAX},
                             {1 << 20, INT64_MAX}, {0, (1 << 15) - 1},   {0, (1 << 10) - 1}};

}  // namespace

std::optional<domain::Drift> DriftDetector::Observe(int64_t id, const Cell& cell, double log_time,
                                                    absl::string_view reporter,
                                                    absl::string_view station) {
  References::value_type* const entry = FindCell(cell);
  if (entry == nullptr || !std::isfinite(log_time)) return std::nullopt;
  auto& [key, reference] = *entry;
  const uint64_t who = std::hash<std::string_view>()({reporter.data(), reporter.size()});
  const bool is_known = reference.IsKnown();
  int sign = reference.SignOf(log_time, who);
  double delta = log_time - reference.median();
  reference.Learn(log_time, who);
  if (!station.empty()) {
    DriftReference& own = StationReference(key, station);
    const int own_sign = own.SignOf(log_time, kLeastOfStation);
    if (own_sign != 0) {
      delta = log_time - own.median();
      sign = own_sign;
    }
    own.Learn(log_time);
  }
  if (!is_known) return std::nullopt;

  const Deviation deviation{&key, log_time, delta, who};
  // The machine's streams come first: a drift of the machine is not one of each collective.
  std::optional<domain::Drift> drift = Watch(StreamsOf("", ""), id, deviation, sign, reporter);
  if (drift) return drift;
  return Watch(StreamsOf(cell.library, cell.collective), id, deviation, sign, reporter);
}

DriftDetector::References::value_type* DriftDetector::FindCell(const Cell& cell) {
  domain::CellKey key{cell, cell.kind};
  const auto it = references_.find(key);
  if (it != references_.end()) return &*it;
  if (references_.size() >= kMaxCells) return nullptr;
  return &*references_.emplace(std::move(key), CellReference()).first;
}

DriftReference& DriftDetector::StationReference(const domain::CellKey& cell,
                                                absl::string_view station) {
  std::pair<std::string, domain::CellKey> key(station, cell);
  if (stations_.size() >= kMaxStations && !stations_.contains(key)) stations_.clear();
  return stations_[std::move(key)];
}

// Null where no more streams are watched.
DriftDetector::Streams* DriftDetector::StreamsOf(const std::string& library,
                                                 const std::string& collective) {
  const std::pair key(library, collective);
  const auto it = streams_.find(key);
  if (it != streams_.end()) return &it->second;
  if (streams_.size() >= kMaxStreams) return nullptr;
  Streams& streams = streams_[key];
  for (const domain::Level level : {domain::Level::kNode, domain::Level::kNetwork}) {
    for (const Range& range : kRanges) {
      streams.emplace_back(domain::DriftScope{.library = library,
                                              .collective = collective,
                                              .level = level,
                                              .min_block_bytes = range.min_bytes,
                                              .max_block_bytes = range.max_bytes});
    }
  }
  return &streams;
}

std::optional<domain::Drift> DriftDetector::Watch(Streams* streams, int64_t id,
                                                  const Deviation& deviation, int sign,
                                                  absl::string_view reporter) {
  if (streams == nullptr) return std::nullopt;
  const domain::ScenarioKey& key = deviation.cell->scenario;
  for (DriftStream& stream : *streams) {
    if (!stream.scope().Holds(key.library, key.collective, key.nodes, key.block_bytes)) continue;
    std::optional<domain::Drift> drift = stream.Watch(id, deviation, sign, reporter);
    if (!drift) continue;
    // A copy: the stream ends here.
    const std::vector<Deviation> deviations = stream.DeviationsOf(*drift);
    StartAnew(drift->scope, deviations);
    return drift;
  }
  return std::nullopt;
}

void DriftDetector::StartAnew(const domain::DriftScope& scope,
                              const std::vector<Deviation>& deviations) {
  streams_.clear();
  stations_.clear();
  for (auto& [cell, reference] : references_) {
    const domain::ScenarioKey& key = cell.scenario;
    if (!scope.Holds(key.library, key.collective, key.nodes, key.block_bytes)) continue;
    reference = CellReference();
  }
  // Too few per cell to be compared with: they only begin its reference.
  for (const Deviation& deviation : deviations) {
    references_.at(*deviation.cell).Seed(deviation.log_time, deviation.reporter);
  }
}

Cell AgedBy(double log_factor, Cell cell) {
  cell.mean_log_time += log_factor;
  cell.variance_log_time += kAgedSigma * kAgedSigma;
  cell.timings_before_drift = std::max(cell.timings_before_drift, cell.weight);
  cell.drift_log_factor += log_factor;
  cell.weight = std::min(cell.weight, 1.0);
  return cell;
}

void Widen(const domain::Drift& drift, domain::Profile* profile) {
  const double sigma = std::max(kAgedSigma, std::abs(drift.log_factor));
  for (domain::Parameter& parameter : profile->parameters) {
    const bool is_network = parameter.level == domain::Level::kNetwork;
    if (is_network != (drift.scope.level == domain::Level::kNetwork)) continue;
    if (!(parameter.stderr_ > 0)) continue;
    parameter.stderr_ = std::max(parameter.stderr_, sigma * parameter.value);
  }
}

}  // namespace cox::learn
