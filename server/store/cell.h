// The sums over all observations of a scenario, and how they grow and shrink: weighted mean and
// squared deviations of log(time), by the pairwise form of Welford's method (Chan, Golub, LeVeque:
// Updating formulae and a pairwise algorithm for computing sample variances, 1979, equation 2.1).
// Plain arithmetic.
//
// Thread rule: pure. Failure rule: cannot fail.
#ifndef COX_STORE_CELL_H_
#define COX_STORE_CELL_H_

#include <cstdint>

namespace cox::store {

struct Cell {
  double weight = 0;
  double mean_log_time = 0;
  double m2_log_time = 0;
  int64_t observation_count = 0;
};

// Of one observation: time_s > 0, timing_count >= 1 (weighs at most Store::kMaxCellWeight).
Cell CellOf(double time_s, int64_t timing_count);

void Add(const Cell& part, Cell& whole);

// Takes out what was added. Exactly nothing is left after the last observation. Until then the
// relative error of what is left is about 1e-16 times (weight before / weight left).
void Remove(const Cell& part, Cell& whole);

}  // namespace cox::store

#endif  // COX_STORE_CELL_H_
