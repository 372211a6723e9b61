#include "learn/drift_stream.h"

#include <algorithm>
#include <map>

#include "learn/drift_limits.h"
#include "learn/drift_reference.h"

namespace cox::learn {
namespace {

constexpr size_t kMaxReporters = 64;
constexpr size_t kMaxDeviations = 256;

bool AreOfOneCollective(const std::vector<Deviation>& deviations) {
  const domain::ScenarioKey& first = deviations.front().cell->scenario;
  return std::all_of(deviations.begin(), deviations.end(), [&](const Deviation& deviation) {
    const domain::ScenarioKey& key = deviation.cell->scenario;
    return key.library == first.library && key.collective == first.collective;
  });
}

// A part for each cell, the most observed ones first.
std::vector<domain::DriftEvidence> EvidenceOf(const std::vector<Deviation>& deviations) {
  std::map<domain::CellKey, std::vector<double>> deltas;
  for (const Deviation& deviation : deviations) {
    deltas[*deviation.cell].push_back(deviation.delta);
  }
  std::vector<domain::DriftEvidence> evidence;
  for (auto& [cell, of_cell] : deltas) {
    const auto count = static_cast<int64_t>(of_cell.size());
    evidence.push_back({cell.scenario, MiddleOf(of_cell), count});
  }
  std::stable_sort(evidence.begin(), evidence.end(),
                   [](const domain::DriftEvidence& a, const domain::DriftEvidence& b) {
                     return a.observation_count > b.observation_count;
                   });
  if (evidence.size() > DriftStream::kMaxEvidence) evidence.resize(DriftStream::kMaxEvidence);
  return evidence;
}

}  // namespace

void DriftStream::CountOne(absl::string_view reporter, Counts& counts) {
  const auto it = counts.find(reporter);
  if (it != counts.end()) {
    ++it->second;
  } else if (counts.size() < kMaxReporters) {
    counts.emplace(reporter, 1);
  }
}

std::optional<domain::Drift> DriftStream::Watch(int64_t id, const Deviation& deviation, int sign,
                                                absl::string_view reporter) {
  const bool was_quiet = slow_.score == 0 && fast_.score == 0;
  if (sign == 0 && was_quiet) CountOne(reporter, ordinary_);
  std::optional<domain::Drift> slow = Advance(slow_, id, deviation, sign > 0, reporter);
  std::optional<domain::Drift> fast = Advance(fast_, id, deviation, sign < 0, reporter);
  return slow ? slow : fast;
}

std::optional<domain::Drift> DriftStream::Advance(Run& run, int64_t id, const Deviation& deviation,
                                                  bool deviates, absl::string_view reporter) const {
  if (!deviates) {
    run.score = std::max(0, run.score - kDriftDown);
    if (run.score == 0) run = Run{};
    return std::nullopt;
  }
  if (run.score == 0) run.first_id = id;
  // The limit lets the sum of an unconfirmed drift fall quickly once the deviations end.
  run.score = std::min(kDriftThresholdAlone, run.score + kDriftUp);
  ++run.count;
  if (run.deviations.size() < kMaxDeviations) run.deviations.push_back(deviation);
  CountOne(reporter, run.by_reporter);
  if (run.score < kDriftThreshold || !IsConfirmed(run)) return std::nullopt;
  return Describe(run, id);
}

bool DriftStream::IsConfirmed(const Run& run) const {
  // A drift of the machine shows in several collectives.
  if (scope_.library.empty() && AreOfOneCollective(run.deviations)) return false;
  int reporters = 0;
  bool was_ordinary = false;
  for (const auto& [reporter, count] : run.by_reporter) {
    if (count < kFewOfReporter) continue;
    ++reporters;
    const auto before = ordinary_.find(reporter);
    was_ordinary |= before != ordinary_.end() && before->second >= kFewOfReporter;
  }
  return reporters >= 2 || (was_ordinary && run.score >= kDriftThresholdAlone);
}

domain::Drift DriftStream::Describe(const Run& run, int64_t id) const {
  std::vector<double> deltas;
  deltas.reserve(run.deviations.size());
  for (const Deviation& deviation : run.deviations) deltas.push_back(deviation.delta);
  domain::Drift drift;
  drift.scope = scope_;
  drift.first_id = run.first_id;
  drift.last_id = id;
  drift.observation_count = run.count;
  drift.log_factor = MiddleOf(deltas);
  drift.evidence = EvidenceOf(run.deviations);
  return drift;
}

}  // namespace cox::learn
