// What a job is to run of one collective, size by size: an algorithm of its library, or of the
// second library that may run in its place. Pure; one thread at a time.
#ifndef COX_ADVISE_TUNING_JOB_ADVICE_H_
#define COX_ADVISE_TUNING_JOB_ADVICE_H_

#include <cstdint>
#include <optional>

#include "advise/machine_view.h"
#include "advise/recommend.h"
#include "advise/tuning/tuning.h"
#include "domain/collective.h"
#include "strategy/scenario.h"

namespace cox::advise {

class JobAdvice {
 public:
  // The machine outlives it. The question is valid.
  JobAdvice(const MachineView& machine, const TuningQuestion& question,
            domain::Collective collective);

  // At this block size. The second library's fastest algorithm, of those that were timed near the
  // question, is chosen where a switch to it from what the job's own library would do best clears
  // the rule of choice.h: a price alone does not know what two implementations differ by. `ranked`
  // is about both libraries, those of the second behind the others.
  //
  // Where the job's library is our own, which has no default that is always the same, that of its
  // algorithms that were timed near the question is chosen whose 90 % interval ends first; where
  // none was timed, the default.
  Answer At(int64_t block_bytes, bool with_ranked);

 private:
  const MachineView& machine_;
  Question asked_;
  std::optional<Question> second_;  // what the second library is asked; none: it has no part
};

}  // namespace cox::advise

#endif  // COX_ADVISE_TUNING_JOB_ADVICE_H_
