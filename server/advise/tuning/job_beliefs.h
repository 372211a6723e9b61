// What is believed of one collective's algorithms at the sizes that a job uses, and what a trial of
// one is worth to later jobs of the same shape: the estimate that also ranks suggested measurements
// (measure/worth.h). Pure; one thread at a time.
#ifndef COX_ADVISE_TUNING_JOB_BELIEFS_H_
#define COX_ADVISE_TUNING_JOB_BELIEFS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advise/measure/worth.h"
#include "advise/recommend.h"
#include "advise/tuning/job_advice.h"
#include "learn/correct/surface/sample_places.h"

namespace cox::advise {

// An algorithm's or code's name, prefixed by its library where that is not the job's.
std::string FullName(absl::string_view library, absl::string_view name);

// Block sizes [from, to); to = 0: no end.
struct SizeRange {
  int64_t from_bytes = 0;
  int64_t to_bytes = 0;

  bool Holds(int64_t bytes) const {
    return bytes >= from_bytes && (to_bytes == 0 || bytes < to_bytes);
  }
};

// The most sizes between a power of two and the next that are weighed.
inline constexpr int kMaxSizesPerDoubling = 8;

class JobBeliefs {
 public:
  struct Size {
    int64_t bytes = 0;
    double spent_s = 0;  // by the job's calls of this size, and of sizes that it stands for
    Answer answer;
    std::string chosen;  // FullName() of the answer
    learn::Coordinates at{};
    std::map<std::string, Belief> beliefs;  // by FullName()
  };

  // `spent_s`: seconds that the job spends at each block size. `nodes`, `ranks` and ppn of the job.
  //
  // Between a power of two and the next, the kMaxSizesPerDoubling sizes of the most seconds are
  // weighed. Each stands for the other sizes that are the nearest to it. So the work is bounded,
  // however many sizes a job has.
  JobBeliefs(JobAdvice* advice, const std::map<int64_t, double>& spent_s, int64_t nodes,
             int64_t ppn, int64_t ranks);

  // The weighed sizes, ascending.
  absl::Span<const Size> sizes() const { return sizes_; }

  // The seconds by which a trial of the algorithm at the job's sizes in the range reduces the
  // expected loss of a later job's decisions, at all of the job's sizes.
  double WorthOf(const std::string& algorithm, const SizeRange& range) const;

  // Believes that the trial was made and said what is expected of it.
  void Take(const std::string& algorithm, const SizeRange& range);

 private:
  // Where a trial of the algorithm in the range times it, and what is believed there.
  std::vector<std::pair<learn::Coordinates, Belief>> TimedIn(const std::string& algorithm,
                                                             const SizeRange& range) const;

  std::vector<Size> sizes_;
};

}  // namespace cox::advise

#endif  // COX_ADVISE_TUNING_JOB_BELIEFS_H_
