#include "learn/drift.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "domain/cell_key.h"
#include "domain/drift.h"
#include "domain/level.h"
#include "domain/parameter.h"
#include "domain/profile.h"

namespace cox::learn {
namespace {

// Observations of a cell before anything is compared with them, and at most.
constexpr size_t kLeastReference = 5;
constexpr size_t kMostReference = 24;
// ... of one station: its first ones may be of a job that is warming up.
constexpr size_t kLeastOfStation = 12;
// What counts as slow or fast, at least, in ln(time).
constexpr double kLeastDeviation = 0.05;
// Timings that agree better than this are not taken to be better than this.
constexpr double kLeastSigma = 0.03;

constexpr int kUp = 1;
constexpr int kDown = 3;
constexpr int kThreshold = 60;
// For one reporter alone: longer than its own trouble lasts.
constexpr int kThresholdAlone = 100;
// Observations that make a reporter one.
constexpr int kFew = 10;
constexpr size_t kMaxReporters = 64;
constexpr size_t kMaxDeviations = 256;

// What is left of a cell's certainty after a drift.
constexpr double kAgedSigma = 0.3;

struct Range {
  int64_t min_bytes;
  int64_t max_bytes;
};
// A lower rate shows in large blocks, a longer latency in small ones. The widest first.
constexpr Range kRanges[] = {{0, INT64_MAX},       {1 << 10, INT64_MAX}, {1 << 15, INT64_MAX},
                             {1 << 20, INT64_MAX}, {0, (1 << 15) - 1},   {0, (1 << 10) - 1}};

double MedianOf(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

void Count(absl::string_view reporter, absl::flat_hash_map<std::string, int>& counts) {
  const auto it = counts.find(reporter);
  if (it != counts.end()) {
    ++it->second;
  } else if (counts.size() < kMaxReporters) {
    counts.emplace(reporter, 1);
  }
}

std::string KeyOf(const Cell& cell) {
  return absl::StrCat(cell.library, "\n", cell.collective, "\n", cell.algorithm, "\n", cell.nodes,
                      " ", cell.ppn, " ", cell.ranks, " ", cell.block_bytes, " ", cell.type_bytes,
                      cell.kind == domain::CellKind::kJob ? "j" : "b");
}

}  // namespace

int DriftDetector::Usual::SignOf(double log_time, size_t least) const {
  if (!Knows(least)) return 0;
  const double delta = log_time - median;
  const double limit = std::max(kLeastDeviation, sigma);
  return std::abs(delta) <= limit ? 0 : delta > 0 ? 1 : -1;
}

void DriftDetector::Usual::Learn(double log_time) {
  if (is_frozen) return;
  logs.push_back(log_time);
  std::vector<double> values = logs;
  median = MedianOf(values);
  for (double& value : values) value = std::abs(value - median);
  sigma = std::max(kLeastSigma, 1.4826 * MedianOf(values));
  if (logs.size() < kMostReference) return;
  is_frozen = true;
  std::vector<double>().swap(logs);
}

std::optional<domain::Drift> DriftDetector::Observe(int64_t id, const Cell& cell, double log_time,
                                                    absl::string_view reporter,
                                                    absl::string_view station) {
  Reference* const reference = FindReference(cell);
  if (reference == nullptr || !std::isfinite(log_time)) return std::nullopt;
  Usual& usual = reference->usual;
  const bool is_known = usual.Knows(kLeastReference);
  int sign = usual.SignOf(log_time, kLeastReference);
  double delta = log_time - usual.median;
  usual.Learn(log_time);
  if (!station.empty()) {
    Usual& own = StationUsual(cell, station);
    const int own_sign = own.SignOf(log_time, kLeastOfStation);
    if (own_sign != 0) {
      delta = log_time - own.median;
      sign = own_sign;
    }
    own.Learn(log_time);
  }
  if (!is_known) return std::nullopt;

  const Deviation deviation{reference, log_time, delta};
  // That of all first: a drift of the machine is not one of each collective.
  for (const std::string& key :
       {std::string(), absl::StrCat(cell.library, "\n", cell.collective)}) {
    auto it = streams_.find(key);
    if (it == streams_.end()) {
      if (streams_.size() >= kMaxStreams) continue;
      it = streams_.try_emplace(key).first;
      for (const domain::Level level : {domain::Level::kNode, domain::Level::kNetwork}) {
        for (const Range& range : kRanges) {
          Stream stream;
          stream.scope = {.library = key.empty() ? "" : cell.library,
                          .collective = key.empty() ? "" : cell.collective,
                          .level = level,
                          .min_block_bytes = range.min_bytes,
                          .max_block_bytes = range.max_bytes};
          it->second.push_back(std::move(stream));
        }
      }
    }
    for (Stream& stream : it->second) {
      if (!stream.scope.Holds(cell.library, cell.collective, cell.nodes, cell.block_bytes)) {
        continue;
      }
      std::optional<domain::Drift> drift = Watch(stream, id, deviation, sign, reporter);
      if (!drift) continue;
      StartAnew(*drift, drift->log_factor > 0 ? stream.slow.deviations : stream.fast.deviations);
      return drift;
    }
  }
  return std::nullopt;
}

DriftDetector::Reference* DriftDetector::FindReference(const Cell& cell) {
  std::string key = KeyOf(cell);
  const auto it = references_.find(key);
  if (it != references_.end()) return &it->second;
  if (references_.size() >= kMaxCells) return nullptr;
  Reference& reference = references_[std::move(key)];
  reference.key = cell;
  return &reference;
}

DriftDetector::Usual& DriftDetector::StationUsual(const Cell& cell, absl::string_view station) {
  std::string key = absl::StrCat(station, "\n", KeyOf(cell));
  if (stations_.size() >= kMaxStations && !stations_.contains(key)) stations_.clear();
  return stations_[std::move(key)];
}

std::optional<domain::Drift> DriftDetector::Watch(Stream& stream, int64_t id,
                                                  const Deviation& deviation, int sign,
                                                  absl::string_view reporter) {
  const bool was_quiet = stream.slow.score == 0 && stream.fast.score == 0;
  if (sign == 0 && was_quiet) Count(reporter, stream.ordinary);
  std::optional<domain::Drift> slow =
      Advance(stream, stream.slow, id, deviation, sign > 0, reporter);
  std::optional<domain::Drift> fast =
      Advance(stream, stream.fast, id, deviation, sign < 0, reporter);
  return slow ? slow : fast;
}

std::optional<domain::Drift> DriftDetector::Advance(const Stream& stream, Run& run, int64_t id,
                                                    const Deviation& deviation, bool deviates,
                                                    absl::string_view reporter) {
  if (!deviates) {
    run.score = std::max(0, run.score - kDown);
    if (run.score == 0) run = Run{};
    return std::nullopt;
  }
  if (run.score == 0) run.first_id = id;
  // No higher: what comes after an unconfirmed one can bring it down as fast.
  run.score = std::min(kThresholdAlone, run.score + kUp);
  ++run.count;
  if (run.deviations.size() < kMaxDeviations) run.deviations.push_back(deviation);
  Count(reporter, run.by_reporter);
  if (run.score < kThreshold || !IsConfirmed(stream, run)) return std::nullopt;
  return Describe(stream, run, id);
}

bool DriftDetector::IsConfirmed(const Stream& stream, const Run& run) {
  if (stream.scope.library.empty()) {
    // Of one collective alone it is not a drift of the machine.
    const Cell& first = run.deviations.front().reference->key;
    const bool same = std::all_of(
        run.deviations.begin(), run.deviations.end(), [&first](const Deviation& deviation) {
          const Cell& key = deviation.reference->key;
          return key.library == first.library && key.collective == first.collective;
        });
    if (same) return false;
  }
  int reporters = 0;
  bool was_ordinary = false;
  for (const auto& [reporter, count] : run.by_reporter) {
    if (count < kFew) continue;
    ++reporters;
    const auto before = stream.ordinary.find(reporter);
    was_ordinary |= before != stream.ordinary.end() && before->second >= kFew;
  }
  return reporters >= 2 || (was_ordinary && run.score >= kThresholdAlone);
}

domain::Drift DriftDetector::Describe(const Stream& stream, const Run& run, int64_t id) {
  domain::Drift drift;
  drift.scope = stream.scope;
  drift.first_id = run.first_id;
  drift.last_id = id;
  drift.observation_count = run.count;
  std::vector<double> deltas;
  std::map<std::string, std::pair<const Reference*, std::vector<double>>> cells;
  for (const Deviation& deviation : run.deviations) {
    deltas.push_back(deviation.delta);
    auto& [reference, of_cell] = cells[KeyOf(deviation.reference->key)];
    reference = deviation.reference;
    of_cell.push_back(deviation.delta);
  }
  drift.log_factor = MedianOf(deltas);
  for (auto& [key, cell] : cells) {
    const auto count = static_cast<int64_t>(cell.second.size());
    drift.evidence.push_back({cell.first->key, MedianOf(cell.second), count});
  }
  std::stable_sort(drift.evidence.begin(), drift.evidence.end(),
                   [](const domain::DriftEvidence& a, const domain::DriftEvidence& b) {
                     return a.observation_count > b.observation_count;
                   });
  if (drift.evidence.size() > kMaxEvidence) drift.evidence.resize(kMaxEvidence);
  return drift;
}

void DriftDetector::StartAnew(const domain::Drift& drift,
                              const std::vector<Deviation>& deviations) {
  std::vector<std::pair<Cell, double>> seen;
  seen.reserve(deviations.size());
  for (const Deviation& deviation : deviations) {
    seen.emplace_back(deviation.reference->key, deviation.log_time);
  }
  streams_.clear();
  stations_.clear();
  for (auto& [key, reference] : references_) {
    const Cell& cell = reference.key;
    if (!drift.scope.Holds(cell.library, cell.collective, cell.nodes, cell.block_bytes)) continue;
    reference.usual = Usual{};
  }
  // Too few of a cell to be compared with: they only begin its reference.
  for (const auto& [cell, log_time] : seen) {
    std::vector<double>& logs = references_.at(KeyOf(cell)).usual.logs;
    if (logs.size() + 1 < kLeastReference) logs.push_back(log_time);
  }
}

Cell AgedBy(double log_factor, Cell cell) {
  cell.mean_log_time += log_factor;
  cell.variance_log_time += kAgedSigma * kAgedSigma;
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
