// What no parameter explains: how far observed times lie from a model's price, per
// (library, collective, algorithm), near the question in (ranks, nodes, bytes); and, for algorithms
// without a known structure, the observed times themselves. Immutable after Build, any thread.
#ifndef COX_LEARN_CORRECT_CORRECTION_H_
#define COX_LEARN_CORRECT_CORRECTION_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/profile.h"
#include "learn/correct/default_votes.h"
#include "learn/samples.h"
#include "model/profile.h"

namespace cox::learn {

// A prediction in the logarithm: time = exp(log_time), 90 % of truths within +- 1.645 * sigma.
struct Estimate {
  bool known = false;  // false: neither structure nor data say anything
  double log_time = 0;
  double sigma = 0;
  // The part of sigma that is this algorithm's own: what moves all algorithms of the machine alike
  // does not change which of two is faster.
  double own_sigma = 0;
  // Of the observations near the question: the sum of their weights, each the less the farther it
  // lies. A benchmark's timings weigh 1 each; those of jobs, where benchmarks timed the same calls
  // too, together at most what their common error leaves (kind_offset.h). 0: structure alone.
  double support = 0;
};

// How far a place lies from what is said of it by all that was learned from the others.
struct LeftOut {
  double block_bytes = 0;
  double error = 0;  // >= 0, in the logarithm
};

// Where to look: one (library, collective, algorithm) of a machine.
class Correction {
 public:
  virtual ~Correction() = default;

  // structural_time_s: the model's price for the question, or <= 0 where the algorithm has no known
  // structure. Allocates nothing; O(cells of that algorithm).
  virtual Estimate Predict(double structural_time_s, double nodes, double ppn, double ranks,
                           double block_bytes) const = 0;
  // Whether any observation is behind it.
  virtual bool has_data() const = 0;
  // Whether its structural_time_s is not the price of a structure but EnvelopeTime(): so it is for
  // a library's default whose decision is not known.
  virtual bool is_on_envelope() const = 0;
  // Of each place behind it (neighbours may be merged). The trend has seen them all.
  virtual std::vector<LeftOut> left_out() const = 0;
};

// The corrections of a machine: built from its cells, its profile and the model that speaks for it.
class Corrections {
 public:
  virtual ~Corrections() = default;

  // Never null; an algorithm without data has a correction that returns the structural price with
  // the uncertainty that such prices have on this machine.
  virtual const Correction* Find(absl::string_view library, absl::string_view collective,
                                 absl::string_view algorithm) const = 0;

  // The algorithms of a (library, collective) that observations are about, by the name of the code
  // that really ran. In the order of their names.
  virtual absl::Span<const absl::string_view> Algorithms(absl::string_view library,
                                                         absl::string_view collective) const = 0;

  // What timings tell about the algorithm that a default of unknown decision runs. Null where
  // nothing was timed, and where the library's own decision is known and not contradicted.
  virtual const DefaultVotes* VotesOnDefault(absl::string_view library,
                                             absl::string_view collective) const = 0;

  // The id of the model with the least median error |T_m - T_p| / min(T_m, T_p) over the cells,
  // among those that the profile can price; "" where it can price none.
  virtual absl::string_view model() const = 0;
};

std::unique_ptr<const Corrections> BuildCorrections(const domain::Profile& profile,
                                                    absl::Span<const Cell> cells);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_CORRECTION_H_
