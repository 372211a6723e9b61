// When calls are sampled with synchronised ranks: all ranks of a communicator have to come to the
// same decision without asking each other, so it depends on the number of calls and on what they
// have told one another, never on a clock.
//
// For each collective the gaps grow geometrically to kMaxGap calls. Whatever is due then has to
// wait until the communicator's account is open: all samples together, of all collectives and
// communicators, stay below a share of the time. What one rank has spent, only that one knows; so
// the ranks tell one another how long the poorest has still to save, and turn that into a number of
// calls by the pace of the calls until then. That pace is a guess, so they ask again before they
// spend. A question costs the account, too; so who was put off waits twice as long before the next
// one, and who spends leaves enough for one sample of each other communicator.
//
// Pure. A SampleAccount is for any thread, a SampleSchedule for one at a time. Cannot fail.
#ifndef COX_AGENT_SAMPLING_SAMPLING_H_
#define COX_AGENT_SAMPLING_SAMPLING_H_

#include <atomic>
#include <cstdint>

#include "agent/timing/collectives.h"
#include "domain/collective.h"

namespace cox::agent {

// What one rank has spent on all that is done for samples.
class SampleAccount {
 public:
  static constexpr double kShare = 0.005;  // of the time since it was opened

  void Spend(double cost_s);

  // How long this rank has to save until it can afford the next thing, which is taken to cost
  // `cost_s`, or what the dearest one has cost if that is more, and has `others` times `cost_s`
  // left after that; <= 0: it can now.
  double Lacks(double elapsed_s, double share, double cost_s, int others) const;

  double spent_s() const { return spent_s_.load(std::memory_order_relaxed); }
  double dearest_s() const { return dearest_s_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> spent_s_{0};
  std::atomic<double> dearest_s_{0};
};

// What all ranks of a communicator know after they have told one another.
struct SampleMeans {
  double lacks_s;    // SampleAccount::Lacks, the greatest of all ranks
  double elapsed_s;  // since sampling began, the least
};

// The calls on one communicator.
class SampleSchedule {
 public:
  static constexpr uint32_t kMaxGap = 256;
  // Of MPI_COMM_WORLD, and of others: a program may make any number of these, and the first
  // question on one costs about as much as one or two calls, whether or not it can be afforded.
  static constexpr uint32_t kFirstOfWorld = 2;
  static constexpr uint32_t kFirstOfOthers = 400;

  explicit SampleSchedule(uint32_t first);

  // Once per call: whether this one is to be sampled, if it can be afforded.
  bool IsDue(domain::Collective collective);

  // After a call that was due: some rank cannot afford it; it was sampled.
  void PutOff(const SampleMeans& means);
  void Sampled(domain::Collective collective, const SampleMeans& means);

  uint64_t calls() const { return calls_; }
  uint64_t open_at() const { return open_at_; }

 private:
  struct Own {  // a collective's
    uint64_t calls;
    uint64_t next;
    uint32_t gap;
    uint32_t samples;
  };

  // At least `least_calls`, where they are not too many.
  void Save(const SampleMeans& means, uint64_t least_calls);
  // The fewest samples of any collective that is called these days.
  uint32_t Fewest() const;

  uint64_t calls_ = 0;    // of all collectives
  uint64_t open_at_ = 0;  // the call from which on the account is open
  uint64_t wait_ = 0;     // how many calls it was closed for
  // When it was last told of, for the pace since then.
  uint64_t told_calls_ = 0;
  double told_elapsed_s_ = 0;
  // The collectives called since the account was last closed, and in the time before: bits.
  uint32_t called_ = 0;
  uint32_t called_before_ = 0;
  Own own_[domain::kCollectiveCount];
};

}  // namespace cox::agent

#endif  // COX_AGENT_SAMPLING_SAMPLING_H_
