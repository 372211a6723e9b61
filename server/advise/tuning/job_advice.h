// What a job should run of one collective at each size: an algorithm of its own library, or of a
// second library that can replace it. Pure; one thread at a time.
#ifndef COX_ADVISE_TUNING_JOB_ADVICE_H_
#define COX_ADVISE_TUNING_JOB_ADVICE_H_

#include <cstdint>
#include <optional>

#include "advise/machine_view.h"
#include "advise/recommend.h"
#include "advise/tuning/tuning.h"
#include "domain/collective.h"
#include "learn/correct/missed_gains.h"
#include "strategy/scenario.h"

namespace cox::advise {

class JobAdvice {
 public:
  // The machine outlives it. The question is valid.
  JobAdvice(const MachineView& machine, const TuningQuestion& question,
            domain::Collective collective);

  // The advice for this block size. It chooses the second library's fastest algorithm that was
  // timed near the question, if a switch to it from the own library's choice is worth it
  // (IsWorthSwitching()). A price alone cannot compare two implementations. If jobs missed gains
  // that benchmarks promised over the own library's default (missed_gains.h), benchmarks of the
  // second library are believed less, too. `ranked` has the second library's algorithms behind the
  // others.
  //
  // A job of libcoxcoll, whose default differs from call to call, gets the algorithm timed near the
  // question whose 90 % interval has the least upper end; the default where none was timed. Where
  // the answer rests on assumptions (caveats.h), the default stays.
  Answer At(int64_t block_bytes, bool with_ranked);

 private:
  // Both of the question at hand.
  bool IsWorthIt(const Answer& own, const Candidate& second) const;
  // Of the gain of a switch from the own library's choice to the second library's algorithm.
  learn::Shortfall ShortfallOf(const Candidate& own, const Candidate& second) const;

  const MachineView& machine_;
  Question asked_;
  std::optional<Question> second_;  // to the second library; none: it has no part
  bool rests_on_assumptions_;
};

}  // namespace cox::advise

#endif  // COX_ADVISE_TUNING_JOB_ADVICE_H_
