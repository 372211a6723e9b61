#include "learn/worth/canary_guard.h"

#include <algorithm>
#include <cmath>

#include "learn/structure.h"
#include "topology/powers_of_two.h"

namespace cox::learn {
namespace {

constexpr size_t kMostOpenJobs = 256;
constexpr size_t kMostWholeJobs = 2'000;
constexpr size_t kMostNamedJobs = 1'000;
constexpr size_t kTimingsBetweenCloses = 10'000;

// The class of sizes of a test, as trials have it: from a power of two to the next.
domain::ComparedCalls CallsOf(const domain::ScenarioKey& key, const std::string& library,
                              const std::string& algorithm) {
  const int64_t from = key.block_bytes == 0 ? 0 : topology::LargestPowerOfTwo(key.block_bytes);
  return {.library = library,
          .collective = key.collective,
          .algorithm = algorithm,
          .nodes = key.nodes,
          .ppn = key.ppn,
          .ranks = key.ranks,
          .min_block_bytes = from,
          .max_block_bytes = from == 0 ? 0 : from + (from - 1)};
}

}  // namespace

std::vector<domain::Withdrawal> CanaryGuard::Observe(const Timing& timing) {
  const bool is_default = timing.scenario->algorithm == kDefaultAlgorithm;
  // What the default takes in jobs that do not draw canaries is another time and other jobs.
  if (is_default != (timing.arm == domain::CanaryArm::kCanary)) return {};
  domain::ScenarioKey key = *timing.scenario;
  key.library.clear();
  key.algorithm.clear();
  const auto known = scenarios_.find(key);
  if (known == scenarios_.end() && scenarios_.size() >= kMostScenarios) return {};
  Scenario& scenario = known == scenarios_.end() ? scenarios_[key] : known->second;

  changed_.clear();
  CloseOpen(key, timing.at_us, &scenario);
  if (scenario.open.size() >= kMostOpenJobs && !scenario.open.contains(timing.job)) {
    scenario.open.erase(std::min_element(
        scenario.open.begin(), scenario.open.end(),
        [](const auto& a, const auto& b) { return a.second.last_us < b.second.last_us; }));
    --open_count_;
  }
  if (open_count_ >= kMostOpen && !scenario.open.contains(timing.job)) CloseOver(timing.at_us);
  if (open_count_ >= kMostOpen && !scenario.open.contains(timing.job)) return {};
  const auto [place, is_new] = scenario.open.try_emplace(timing.job);
  Open& open = place->second;
  if (is_new) {
    ++open_count_;
    open.begin_us = timing.at_us;
    open.first_id = timing.id;
  }
  open.last_us = std::max(open.last_us, timing.at_us);
  const double log_time = std::log(timing.time_s);
  if (is_default) {
    open.canary_library = timing.scenario->library;
    open.canary.Add(log_time, timing.calls);
  } else {
    auto& means = timing.arm == domain::CanaryArm::kPeer ? open.peers : open.tuned;
    means[{timing.scenario->library, timing.scenario->algorithm}].Add(log_time, timing.calls);
  }

  std::vector<domain::Withdrawal> withdrawals;
  for (const domain::ComparedCalls& calls : changed_) {
    const auto guarded = guarded_.find(calls);
    if (!guarded->second.test.IsSlower(kError)) continue;
    domain::Withdrawal& withdrawal = withdrawals.emplace_back();
    withdrawal.machine = timing.scenario->machine;
    withdrawal.evidence = ComparisonOf(calls, guarded->second);
    withdrawal.first_id = guarded->second.pairs.first_id;
    withdrawal.last_id = timing.id;
    DropNames(&guarded->second.pairs.jobs);
    DropNames(&guarded->second.whole_jobs);
    guarded_.erase(guarded);
  }
  return withdrawals;
}

void CanaryGuard::CloseOpen(const domain::ScenarioKey& key, int64_t now_us, Scenario* scenario) {
  for (auto it = scenario->open.begin(); it != scenario->open.end();) {
    const auto& [job, open] = *it;
    const bool pairs = open.has_pairs() && now_us - open.begin_us >= kPairUs;
    const bool is_over = now_us - open.last_us >= kOverUs;
    if (!pairs && !is_over) {
      ++it;
      continue;
    }
    if (open.has_pairs()) {
      for (const auto& [chosen, mean] : open.peers) {
        AddPair(key, chosen, job, open.first_id, mean.value() - open.canary.value());
      }
    } else if (open.peers.empty() && (open.canary.weight > 0) == open.tuned.empty()) {
      AddWholeJob(key, job, open, scenario);
    }
    it = scenario->open.erase(it);
    --open_count_;
  }
}

void CanaryGuard::CloseOver(int64_t now_us) {
  if (timings_until_close_ > 0) {
    --timings_until_close_;
    return;
  }
  timings_until_close_ = kTimingsBetweenCloses;
  for (auto& [key, scenario] : scenarios_) CloseOpen(key, now_us, &scenario);
}

bool CanaryGuard::Name(const std::string& job, size_t most, std::set<std::string>* jobs) {
  if (jobs->size() >= most || name_count_ >= kMostNames || !jobs->insert(job).second) return false;
  ++name_count_;
  return true;
}

void CanaryGuard::DropNames(std::set<std::string>* jobs) {
  name_count_ -= jobs->size();
  jobs->clear();
}

void CanaryGuard::NameWholeJob(const std::string& job, Guarded* guarded) {
  if (!Name(job, kMostWholeJobs + 1, &guarded->whole_jobs)) return;
  guarded->whole_jobs_by_age.push_back(job);
  if (guarded->whole_jobs_by_age.size() > kMostWholeJobs) {
    name_count_ -= guarded->whole_jobs.erase(guarded->whole_jobs_by_age.front());
    guarded->whole_jobs_by_age.pop_front();
  }
}

void CanaryGuard::AddWholeJob(const domain::ScenarioKey& key, const std::string& job,
                              const Open& open, Scenario* scenario) {
  for (const auto& [chosen, mean] : open.tuned) {
    scenario->whole[chosen] = {job, open.first_id, mean.value()};
  }
  if (!open.tuned.empty()) return;
  for (auto it = scenario->whole.begin(); it != scenario->whole.end();) {
    const auto& [chosen, whole] = *it;
    // Without their names, jobs might count again.
    if (chosen.first != open.canary_library || name_count_ + 2 > kMostNames) {
      ++it;
      continue;
    }
    Guarded& guarded = guarded_[CallsOf(key, chosen.first, chosen.second)];
    // A canary job counts once, however long it is. The tuned job waits for the next one.
    if (guarded.whole_jobs.contains(job)) {
      ++it;
      continue;
    }
    if (!guarded.whole_jobs.contains(whole.job)) {
      NameWholeJob(job, &guarded);
      NameWholeJob(whole.job, &guarded);
      AddPair(key, chosen, job, std::min(whole.first_id, open.first_id),
              whole.log_time - open.canary.value());
    }
    it = scenario->whole.erase(it);
  }
}

void CanaryGuard::AddPair(const domain::ScenarioKey& key, const Chosen& chosen,
                          const std::string& job, int64_t first_id, double log_factor) {
  const domain::ComparedCalls calls = CallsOf(key, chosen.first, chosen.second);
  Guarded& guarded = guarded_[calls];
  Pairs& pairs = guarded.pairs;
  if (guarded.test.Add(log_factor > kTolerance)) {
    DropNames(&pairs.jobs);
    pairs = {};
  }
  if (pairs.count == 0 || first_id < pairs.first_id) pairs.first_id = first_id;
  ++pairs.count;
  pairs.log_factors += log_factor;
  Name(job, kMostNamedJobs, &pairs.jobs);
  changed_.insert(calls);
}

domain::Comparison CanaryGuard::ComparisonOf(const domain::ComparedCalls& calls,
                                             const Guarded& guarded) const {
  return {.calls = calls,
          .log_factor = guarded.pairs.log_factors / static_cast<double>(guarded.pairs.count),
          .pair_count = guarded.pairs.count,
          .job_count = static_cast<int64_t>(guarded.pairs.jobs.size())};
}

std::vector<domain::Comparison> CanaryGuard::Comparisons() const {
  std::vector<domain::Comparison> comparisons;
  comparisons.reserve(guarded_.size());
  for (const auto& [calls, guarded] : guarded_) {
    comparisons.push_back(ComparisonOf(calls, guarded));
  }
  return comparisons;
}

}  // namespace cox::learn
