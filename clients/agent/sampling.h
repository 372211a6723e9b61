// When calls are sampled with synchronised ranks: all ranks of a communicator have to come to the
// same decision without asking each other, so it depends on the number of calls and on what an
// earlier sample has told all of them alike, never on a clock.
//
// The gaps grow geometrically to kMaxGap calls; beyond that the budget stretches them: what all
// samples cost a rank, the next one included, stays below kBudget of the time since its start.
//
// Pure; one thread at a time per schedule; cannot fail.
#ifndef COX_AGENT_SAMPLING_H_
#define COX_AGENT_SAMPLING_H_

#include <cstdint>

namespace cox::agent {

// What all ranks know after a sample, each the greatest (elapsed: the least) of all ranks.
struct SampleCosts {
  double spent_s;    // on all samples until now
  double last_s;     // on this one
  double elapsed_s;  // since sampling began
};

class SampleSchedule {
 public:
  static constexpr uint64_t kFirstCall = 2;
  static constexpr uint64_t kMaxGap = 256;
  static constexpr double kBudget = 0.005;

  // Once per call: whether this one is to be sampled.
  bool IsDue() { return ++calls_ == next_; }

  // After a call that was due: when the next one is.
  void Plan(const SampleCosts& costs);

  uint64_t calls() const { return calls_; }
  uint64_t next() const { return next_; }

 private:
  uint64_t calls_ = 0;
  uint64_t next_ = kFirstCall;
  uint64_t gap_ = 2;
};

}  // namespace cox::agent

#endif  // COX_AGENT_SAMPLING_H_
