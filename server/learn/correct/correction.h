// What no parameter explains about one algorithm: how far its observed times lie from the selected
// model's price near a question in (ranks, nodes, bytes). Of an algorithm without a known
// structure: the observed times themselves. Immutable, any thread, never fails.
#ifndef COX_LEARN_CORRECT_CORRECTION_H_
#define COX_LEARN_CORRECT_CORRECTION_H_

#include <cmath>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "learn/correct/surface/asked_point.h"
#include "learn/correct/surface/sample_places.h"
#include "learn/prepared_cells.h"

namespace cox::learn {

// A prediction of ln(time in seconds): 90 % of true times lie within +- kIntervalSigmas * sigma of
// log_time.
struct Estimate {
  bool known = false;  // false: neither a structure nor observations tell the time
  double log_time = 0;
  double sigma = 0;
  // The part of sigma that the machine's other algorithms do not share. An error that all share
  // does not change which of two is faster.
  double own_sigma = 0;
  // The part of own_sigma that models disagree about, because nobody timed such messages
  // (model_spread.h). 0: somebody did, or this algorithm.
  double unseen_sigma = 0;
  // The sum of the weights of the observations near the question; a weight falls with the distance.
  // A benchmark's timing weighs 1. Jobs' timings together weigh at most what their common error
  // leaves where benchmarks timed the same calls (kind_offset.h). 0: the structure alone.
  double support = 0;
  // How near the nearest observation is: the squared correlation of residuals there under the
  // shortest reach (sample_places.h), in [0, 1], whatever the observation's error. 1: an
  // observation of this very call. 0: the structure alone.
  double nearness = 0;
};

// Widens the estimate by the models' spread about messages that nobody timed.
inline void Widen(double unseen_sigma, Estimate* estimate) {
  estimate->sigma = std::hypot(estimate->sigma, unseen_sigma);
  estimate->own_sigma = std::hypot(estimate->own_sigma, unseen_sigma);
  estimate->unseen_sigma = unseen_sigma;
}

// How far a place lies from the prediction that all other places give for it.
struct LeftOut {
  double block_bytes = 0;
  double error = 0;  // >= 0, of ln(time)
};

// The time that a correction multiplies.
enum class Base {
  kStructure,   // the model's price; 0 where no structure is known
  kEnvelope,    // EnvelopeTime(): of a library's default whose decision is not known
  kCommonTime,  // of the collective's algorithms (common_time.h); its own error comes on top
  kUsualTime,   // of any collective on the machine (usual_time.h)
};

// The correction of one (library, collective, algorithm) of a machine.
class Correction {
 public:
  virtual ~Correction() = default;

  // structural_time_s: the model's price for the question, in seconds; <= 0 where the algorithm has
  // no known structure. `asked` remembers what other corrections need, too; it must not outlive
  // this correction. Allocates nothing; O(places), at most kMaxSamples.
  virtual Estimate Predict(double structural_time_s, AskedPoint* asked) const = 0;
  // Whether it was learned from any observation.
  virtual bool has_data() const = 0;
  // What structural_time_s has to be.
  virtual Base base() const = 0;
  // One entry for each place that it was learned from, neighbours merged. The trend has seen all
  // places.
  virtual std::vector<LeftOut> left_out() const = 0;
};

// Learns from the merged places of one algorithm, 1 to kMaxSamples of them: O(places^3). `pool`: of
// all corrections that a question may ask.
std::unique_ptr<const Correction> LearnCorrection(absl::Span<const PlacedTime> places, Base base,
                                                  PlacesPool* pool);

// The correction of an algorithm without observations: the structural price with this standard
// deviation of its logarithm.
std::unique_ptr<const Correction> StructureAlone(double sigma);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_CORRECTION_H_
