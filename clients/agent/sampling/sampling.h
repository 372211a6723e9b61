// Decides which calls are sampled with synchronised ranks. All ranks of a communicator must decide
// alike without communicating. So the decision depends on the number of calls and on exchanged
// values, never on a clock.
//
// For each collective the gaps between samples grow geometrically to kMaxGap calls. A call that is
// due waits until the budget allows a sample: the samples of all collectives and communicators
// together stay below a share of the time. Only a rank itself knows what it has spent. So the ranks
// exchange how long the rank with the smallest budget must wait, and convert this time to a number
// of calls by the pace so far. The pace is a guess, so they ask again before they spend. A question
// costs time, too: after a refusal a rank waits twice as long before the next one. A rank that
// spends keeps enough for one sample of each other communicator.
//
// Pure. Any thread may use a SampleAccount, one at a time a SampleSchedule. Cannot fail.
#ifndef COX_AGENT_SAMPLING_SAMPLING_H_
#define COX_AGENT_SAMPLING_SAMPLING_H_

#include <atomic>
#include <cstdint>

#include "agent/timing/collectives.h"
#include "domain/collective.h"

namespace cox::agent {

// Counts the time that one rank has spent on samples, with questions, reductions and waits.
class SampleAccount {
 public:
  static constexpr double kShare = 0.005;  // of the time since it was opened

  void Spend(double cost_s);
  // Adds a cost that no later sample will have, so the next sample is not assumed to cost as much.
  void SpendOnce(double cost_s);

  // Seconds until the budget allows the next sample; <= 0: it does now. The sample is assumed to
  // cost `cost_s`, or as much as the dearest so far; `others` times `cost_s` must be left after it.
  double Lacks(double elapsed_s, double share, double cost_s, int others) const;

  double spent_s() const { return spent_s_.load(std::memory_order_relaxed); }
  double dearest_s() const { return dearest_s_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> spent_s_{0};
  std::atomic<double> dearest_s_{0};
};

// What the ranks of a communicator can afford, as they have exchanged it. Not averages.
struct SampleBudget {
  double lacks_s;    // maximum of SampleAccount::Lacks over the ranks
  double elapsed_s;  // since sampling began, minimum over the ranks
};

// The calls on one communicator.
class SampleSchedule {
 public:
  static constexpr uint32_t kMaxGap = 256;
  // The first sampled call, on MPI_COMM_WORLD and on others. Others may be many, and the first
  // question on each costs about one or two calls, even when the answer is no.
  static constexpr uint32_t kFirstOfWorld = 2;
  static constexpr uint32_t kFirstOfOthers = 400;

  explicit SampleSchedule(uint32_t first);

  // Call once per call: whether to sample this one if the budget allows.
  bool IsDue(domain::Collective collective);

  // Call after a call that was due: PutOff when a rank cannot afford the sample, else Sampled.
  void PutOff(const SampleBudget& budget);
  void Sampled(domain::Collective collective, const SampleBudget& budget);

  uint64_t calls() const { return calls_; }
  uint64_t open_at() const { return open_at_; }

 private:
  struct Own {  // one collective's state
    uint64_t calls;
    uint64_t next;
    uint32_t gap;
    uint32_t samples;
  };

  // Closes the account for as many calls as the savings need, at least `least_calls`.
  void Save(const SampleBudget& budget, uint64_t least_calls);
  // The fewest samples of any collective that was called lately.
  uint32_t Fewest() const;

  uint64_t calls_ = 0;    // of all collectives
  uint64_t open_at_ = 0;  // the account opens at this call
  uint64_t wait_ = 0;     // calls that it was closed for
  // At the last exchange, for the pace since then.
  uint64_t exchange_calls_ = 0;
  double exchange_elapsed_s_ = 0;
  // Bit sets of the collectives called since the account was last closed, and in the period before.
  uint32_t called_ = 0;
  uint32_t called_before_ = 0;
  Own own_[domain::kCollectiveCount];
};

}  // namespace cox::agent

#endif  // COX_AGENT_SAMPLING_SAMPLING_H_
