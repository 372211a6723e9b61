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
  static constexpr double kBudget = 0.005;
  static constexpr uint64_t kMaxGap = 256;
  // Of MPI_COMM_WORLD, and of others: a program may make any number of these, and the question
  // whether they are to be sampled costs about as much as a call.
  static constexpr uint64_t kFirstOfWorld = 2;
  static constexpr uint64_t kFirstOfOthers = 200;

  explicit SampleSchedule(uint64_t first) : next_(first) {}

  // Once per call: whether this one is to be sampled.
  bool IsDue() { return ++calls_ == next_; }

  // Whether a rank that has spent so much since so long can afford any more.
  static bool Affords(double spent_s, double elapsed_s) { return spent_s <= kBudget * elapsed_s; }

  // After a call that was due and that some rank cannot afford.
  void Postpone() { next_ = calls_ * 4; }

  // After a call that was due and that was sampled: when the next one is.
  void Plan(const SampleCosts& costs);

  uint64_t calls() const { return calls_; }
  uint64_t next() const { return next_; }

 private:
  uint64_t calls_ = 0;
  uint64_t next_;
  uint64_t gap_ = 2;
};

}  // namespace cox::agent

#endif  // COX_AGENT_SAMPLING_H_
