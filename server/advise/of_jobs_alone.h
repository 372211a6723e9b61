// Whether an algorithm's times have waiting in them that nothing takes out. Pure, any thread.
#ifndef COX_ADVISE_OF_JOBS_ALONE_H_
#define COX_ADVISE_OF_JOBS_ALONE_H_

#include "absl/strings/string_view.h"
#include "learn/correct/corrections.h"

namespace cox::advise {

// Whether only jobs timed the algorithm's code, and no call was timed in both ways: ranks of jobs
// wait for each other within a call, so a benchmark's time of other code would look fast.
inline bool IsOfJobsAlone(const learn::CollectiveCorrections& learned, absl::string_view code) {
  const learn::AlgorithmTimings& timings = learned.TimingsOf(code);
  return timings.jobs && !timings.benchmark && learned.InJobs() == nullptr;
}

}  // namespace cox::advise

#endif  // COX_ADVISE_OF_JOBS_ALONE_H_
