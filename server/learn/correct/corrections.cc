#include "learn/correct/corrections.h"

#include <algorithm>
#include <utility>

namespace cox::learn {

const Correction* CollectiveCorrections::Find(absl::string_view algorithm) const {
  const auto found = by_algorithm_.find(algorithm);
  return found == by_algorithm_.end() ? structure_alone_ : found->second.get();
}

const AlgorithmTimings& CollectiveCorrections::TimingsOf(absl::string_view algorithm) const {
  static const auto* const kNone = new AlgorithmTimings();
  const auto found = timings_.find(algorithm);
  return found == timings_.end() ? *kNone : found->second;
}

const CollectiveCorrections& Corrections::Of(absl::string_view library,
                                             absl::string_view collective) const {
  const auto found = collectives_.find(LibraryCollective(library, collective));
  return found == collectives_.end() ? nothing_ : *found->second;
}

CollectiveCorrections& Corrections::At(absl::string_view library, absl::string_view collective) {
  const auto found = collectives_.find(LibraryCollective(library, collective));
  if (found != collectives_.end()) return *found->second;
  auto added = std::make_unique<CollectiveCorrections>(structure_alone_.get());
  return *collectives_.emplace(LibraryCollective(Keep(library), Keep(collective)), std::move(added))
              .first->second;
}

void Corrections::Add(const Names& names, std::unique_ptr<const Correction> correction,
                      size_t place_count) {
  libraries_.insert(Keep(names.library));
  CollectiveCorrections& learned = At(names.library, names.collective);
  const absl::string_view algorithm = Keep(names.algorithm);
  learned.observed_.emplace_back(place_count, algorithm);
  learned.by_algorithm_.emplace(algorithm, std::move(correction));
}

void Corrections::AddVotes(absl::string_view library, absl::string_view collective,
                           DefaultVotes votes) {
  At(library, collective).votes_ = std::move(votes);
}

void Corrections::AddJobFactor(absl::string_view library, absl::string_view collective,
                               const JobFactor& factor) {
  At(library, collective).job_factor_ = factor;
}

void Corrections::AddMissedGains(absl::string_view library, absl::string_view collective,
                                 MissedGains missed_gains) {
  At(library, collective).missed_gains_ = std::move(missed_gains);
}

void Corrections::AddBehind(absl::string_view library, absl::string_view collective,
                            Behind behind) {
  At(library, collective).behind_ = std::move(behind);
}

void Corrections::AddCommonTime(absl::string_view library, absl::string_view collective,
                                std::unique_ptr<const Correction> common_time) {
  At(library, collective).common_time_ = std::move(common_time);
}

void Corrections::AddTimings(const Names& names, const Cell& cell) {
  AlgorithmTimings& timings = At(names.library, names.collective).timings_[Keep(names.algorithm)];
  (cell.kind == domain::CellKind::kBenchmark ? timings.benchmark : timings.jobs) = true;
  timings.reporters.Add(cell, cell.only_reporter);
}

void Corrections::SortAlgorithms() {
  for (auto& [names, learned] : collectives_) {
    auto& observed = learned->observed_;
    std::sort(observed.begin(), observed.end(), [](const auto& a, const auto& b) {
      return std::pair(b.first, a.second) < std::pair(a.first, b.second);
    });
    std::vector<absl::string_view>& algorithms = learned->algorithms_;
    algorithms.clear();
    for (const auto& [place_count, name] : observed) {
      if (algorithms.size() < kMaxAlgorithms) algorithms.push_back(name);
    }
    std::sort(algorithms.begin(), algorithms.end());
  }
}

absl::string_view Corrections::Keep(absl::string_view name) {
  return *names_.emplace(std::string(name)).first;
}

}  // namespace cox::learn
