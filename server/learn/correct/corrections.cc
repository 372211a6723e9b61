#include "learn/correct/corrections.h"

#include <algorithm>

namespace cox::learn {

void Corrections::Add(const Names& names, std::unique_ptr<const Correction> correction,
                      size_t place_count) {
  const Names kept{Keep(names.library), Keep(names.collective), Keep(names.algorithm)};
  libraries_.insert(kept.library);
  observed_[{kept.library, kept.collective, {}}].emplace_back(place_count, kept.algorithm);
  table_.emplace(kept, std::move(correction));
}

void Corrections::AddVotes(absl::string_view library, absl::string_view collective,
                           DefaultVotes votes) {
  votes_.emplace(Names{Keep(library), Keep(collective), {}}, std::move(votes));
}

void Corrections::AddJobFactor(absl::string_view library, absl::string_view collective,
                               const JobFactor& factor) {
  job_factors_.emplace(Names{Keep(library), Keep(collective), {}}, factor);
}

void Corrections::AddMissedGains(absl::string_view library, absl::string_view collective,
                                 MissedGains missed_gains) {
  missed_gains_.emplace(Names{Keep(library), Keep(collective), {}}, std::move(missed_gains));
}

void Corrections::AddCommonTime(absl::string_view library, absl::string_view collective,
                                std::unique_ptr<const Correction> common_time) {
  common_times_.emplace(Names{Keep(library), Keep(collective), {}}, std::move(common_time));
}

const Correction* Corrections::CommonTime(absl::string_view library,
                                          absl::string_view collective) const {
  const auto found = common_times_.find(Names{library, collective, {}});
  return found == common_times_.end() ? nullptr : found->second.get();
}

void Corrections::AddKind(const Names& names, domain::CellKind kind) {
  auto found = kinds_.find(names);
  if (found == kinds_.end()) {
    const Names kept{Keep(names.library), Keep(names.collective), Keep(names.algorithm)};
    found = kinds_.emplace(kept, TimedKinds()).first;
  }
  (kind == domain::CellKind::kBenchmark ? found->second.benchmark : found->second.jobs) = true;
}

TimedKinds Corrections::KindsOf(absl::string_view library, absl::string_view collective,
                                absl::string_view algorithm) const {
  const auto found = kinds_.find(Names{library, collective, algorithm});
  return found == kinds_.end() ? TimedKinds() : found->second;
}

void Corrections::SortAlgorithms() {
  for (auto& [names, observed] : observed_) {
    std::sort(observed.begin(), observed.end(), [](const auto& a, const auto& b) {
      return std::pair(b.first, a.second) < std::pair(a.first, b.second);
    });
    std::vector<absl::string_view>& algorithms = algorithms_[names];
    algorithms.clear();
    for (const auto& [place_count, name] : observed) {
      if (algorithms.size() < kMaxAlgorithms) algorithms.push_back(name);
    }
    std::sort(algorithms.begin(), algorithms.end());
  }
}

const Correction* Corrections::Find(absl::string_view library, absl::string_view collective,
                                    absl::string_view algorithm) const {
  const auto found = table_.find(Names{library, collective, algorithm});
  return found == table_.end() ? structure_alone_.get() : found->second.get();
}

absl::Span<const absl::string_view> Corrections::Algorithms(absl::string_view library,
                                                            absl::string_view collective) const {
  const auto found = algorithms_.find(Names{library, collective, {}});
  if (found == algorithms_.end()) return {};
  return found->second;
}

const DefaultVotes* Corrections::VotesOnDefault(absl::string_view library,
                                                absl::string_view collective) const {
  const auto found = votes_.find(Names{library, collective, {}});
  return found == votes_.end() ? nullptr : &found->second;
}

const JobFactor* Corrections::InJobs(absl::string_view library,
                                     absl::string_view collective) const {
  const auto found = job_factors_.find(Names{library, collective, {}});
  return found == job_factors_.end() ? nullptr : &found->second;
}

const MissedGains* Corrections::GainsMissed(absl::string_view library,
                                            absl::string_view collective) const {
  const auto found = missed_gains_.find(Names{library, collective, {}});
  return found == missed_gains_.end() ? nullptr : &found->second;
}

absl::string_view Corrections::Keep(absl::string_view name) {
  return *names_.emplace(std::string(name)).first;
}

}  // namespace cox::learn
