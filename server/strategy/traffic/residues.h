// Counts numbers by remainder. Under cyclic placement a rank's node is its rank modulo the number
// of nodes, and the peers of a step are a few runs of evenly spaced ranks. Pure, any thread.
#ifndef COX_STRATEGY_TRAFFIC_RESIDUES_H_
#define COX_STRATEGY_TRAFFIC_RESIDUES_H_

#include <cstdint>

#include "absl/types/span.h"

namespace cox::strategy {

// The numbers first, first + step, ... (`terms` of them). first may be negative; terms <= 0 is an
// empty run.
struct Run {
  int64_t first;
  int64_t terms;
};

// How many numbers of the run have this residue modulo `modulus`. step: a power of two. modulus >=
// 1.
int64_t CountAt(int64_t residue, const Run& run, int64_t step, int64_t modulus);

// The most numbers that the runs together have at one residue.
int64_t MostAtOne(absl::Span<const Run> runs, int64_t step, int64_t modulus);

// The same for any step >= 1, prepared once for many runs.
class Stride {
 public:
  Stride() = default;  // without a step
  Stride(int64_t step, int64_t modulus);

  int64_t step() const { return step_; }
  int64_t CountAt(int64_t residue, const Run& run) const;

 private:
  int64_t step_ = 0;
  int64_t modulus_ = 1;
  int64_t common_ = 1;   // greatest common divisor of both
  int64_t period_ = 1;   // modulus / common
  int64_t inverse_ = 0;  // of step / common modulo the period
};

// Sum over i = 0 .. terms - 1 of floor((first + i * step) / divisor), all >= 0, divisor >= 1. O(log
// divisor), by counting lattice points under a line as in Euclid's algorithm.
int64_t FloorSum(int64_t terms, int64_t first, int64_t step, int64_t divisor);

// The remainder in 0 .. modulus - 1, for negative numbers too.
inline int64_t Mod(int64_t value, int64_t modulus) {
  const int64_t rest = value % modulus;
  return rest < 0 ? rest + modulus : rest;
}

}  // namespace cox::strategy

#endif  // COX_STRATEGY_TRAFFIC_RESIDUES_H_
