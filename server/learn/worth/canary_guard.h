// Guards decisions: compares chosen algorithms with canaries, and says when an algorithm is slower.
// Canaries are calls of the same jobs that ran the library's default at random.
//
// Each canary has a peer: another call of the same block of calls, also drawn at random, that runs
// the chosen algorithm. So both have equally many timings, of the same calls at the same time. If
// both algorithms take equally long, chance alone says which mean is greater. This holds for every
// distribution of times, and if a drift or a neighbour slows both. A pair is the sign of
// ln(chosen / default) - kTolerance, from
// - one job's canaries and peers within at least kPairUs: one pair, however many nodes report;
// - else a whole canary job, and the last job before it that ran the algorithm.
// A job counts as over when it has not reported the call for kOverUs. What slows a job as a whole
// slows all its calls. So a whole job adds at most one pair to a test, however many sizes and types
// it uses: that of the first of them that is over.
// Pairs of one shape and size class make one sequential test (learn/worth/lasting_sign_test.h). The
// guard withdraws an algorithm that takes longer than the default by more than kTolerance, also one
// that did not for long. It withdraws at most a share kError of the algorithms that do not, however
// long they run. After a drift begin with a new guard: the evidence was about another machine.
//
// Claims of jobs cannot exceed these bounds of memory: kMostScenarios, kMostOpen and kMostNames.
// The guard ignores what is beyond. Pure; one thread.
#ifndef COX_LEARN_WORTH_CANARY_GUARD_H_
#define COX_LEARN_WORTH_CANARY_GUARD_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "domain/canary_arm.h"
#include "domain/cell_key.h"
#include "domain/withdrawal.h"
#include "learn/worth/lasting_sign_test.h"

namespace cox::learn {

class CanaryGuard {
 public:
  static constexpr int64_t kPairUs = 10'000'000;
  static constexpr int64_t kOverUs = 60'000'000;
  static constexpr double kTolerance = 0.03;  // of ln(time): less is not worth a decision
  static constexpr double kError = 0.01;
  static constexpr size_t kMostScenarios = 20'000;
  static constexpr size_t kMostOpen = 50'000;    // scenarios of jobs that are not over
  static constexpr size_t kMostNames = 200'000;  // of jobs that are over

  // A timing of a working job: of the default for canaries, else of another algorithm.
  struct Timing {
    int64_t id = 0;  // ascending
    const domain::ScenarioKey* scenario = nullptr;
    std::string job;  // the whole job, not one node's part
    int64_t at_us = 0;
    double time_s = 0;  // > 0
    double calls = 1;   // behind it, > 0
    domain::CanaryArm arm = domain::CanaryArm::kTuned;
  };

  // Takes the next timing. Returns the algorithms that it shows to be slower. Their tests start
  // again, so jobs that still run them may show it again.
  std::vector<domain::Withdrawal> Observe(const Timing& timing);

  // What the pairs so far show, in the order of calls.
  std::vector<domain::Comparison> Comparisons() const;

  // Scenarios of jobs that are not over, at most kMostOpen.
  size_t open_count() const { return open_count_; }

 private:
  // Of ln(time), weighed by calls.
  struct Mean {
    double sum = 0;
    double weight = 0;
    void Add(double value, double calls) {
      sum += value * calls;
      weight += calls;
    }
    double value() const { return sum / weight; }
  };
  // Library and algorithm: libcoxcoll may run beside the job's own library.
  using Chosen = std::pair<std::string, std::string>;
  // One job's timings of one scenario since its last pair.
  struct Open {
    int64_t begin_us = 0;
    int64_t last_us = 0;
    int64_t first_id = 0;
    std::string canary_library;
    Mean canary;
    std::map<Chosen, Mean> peers;
    std::map<Chosen, Mean> tuned;
    bool has_pairs() const { return canary.weight > 0 && !peers.empty(); }
  };
  // The last job that ran an algorithm throughout.
  struct WholeJob {
    std::string job;
    int64_t first_id = 0;
    double log_time = 0;
  };
  struct Scenario {
    std::map<std::string, Open> open;  // by job
    std::map<Chosen, WholeJob> whole;  // since the last canary job
  };
  // Pairs that a test may show something by.
  struct Pairs {
    double log_factors = 0;  // sum
    int64_t count = 0;
    std::set<std::string> jobs;
    int64_t first_id = 0;
  };
  // The test of one algorithm and size class.
  struct Guarded {
    LastingSignTest test;
    Pairs pairs;
    // The last whole jobs that were paired, with canaries or tuned: each once.
    std::set<std::string> whole_jobs;
    std::deque<std::string> whole_jobs_by_age;
  };

  // Makes what pairs it can of the scenario's open timings.
  void CloseOpen(const domain::ScenarioKey& key, int64_t now_us, Scenario* scenario);
  // The same of all scenarios, now and then: it takes a while.
  void CloseOver(int64_t now_us);
  // Adds a name. False if it is there, or there are too many.
  bool Name(const std::string& job, size_t most, std::set<std::string>* jobs);
  void DropNames(std::set<std::string>* jobs);
  // The same of a paired whole job, in place of the oldest.
  void NameWholeJob(const std::string& job, Guarded* guarded);
  void AddWholeJob(const domain::ScenarioKey& key, const std::string& job, const Open& open,
                   Scenario* scenario);
  void AddPair(const domain::ScenarioKey& key, const Chosen& chosen, const std::string& job,
               int64_t first_id, double log_factor);
  domain::Comparison ComparisonOf(const domain::ComparedCalls& calls, const Guarded& guarded) const;

  absl::flat_hash_map<domain::ScenarioKey, Scenario> scenarios_;  // without library and algorithm
  std::map<domain::ComparedCalls, Guarded> guarded_;
  std::set<domain::ComparedCalls> changed_;  // tests with a new value
  size_t open_count_ = 0;
  size_t name_count_ = 0;  // in all tests
  size_t timings_until_close_ = 0;
};

}  // namespace cox::learn

#endif  // COX_LEARN_WORTH_CANARY_GUARD_H_
