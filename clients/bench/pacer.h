// Shares a budget of time among the cells (collective and size, or level and size) of a run, and
// says how many samples to take next.
//
// Reads no clock: the caller passes the time in seconds. One thread. Later cells get the time that
// a cell leaves.
#ifndef COX_BENCH_PACER_H_
#define COX_BENCH_PACER_H_

#include <vector>

#include "bench/statistics.h"

namespace cox::bench {

class Pacer {
 public:
  Pacer(double now_s, double budget_s, int cells);

  void StartCell(double now_s);

  // Number of samples that the cell should take next, given its previous ones; 0: enough. Every
  // cell gets at least kLeast samples, even beyond the budget.
  int NextBatch(double now_s, const std::vector<double>& times_s) const;

  void FinishCell(const Summary& summary);

  int cells() const { return cells_; }
  int finished() const { return finished_; }
  int unsettled() const { return unsettled_; }

  // Upper bound of the remaining time.
  double LeftSeconds(double now_s) const;

  static constexpr int kLeast = 3;
  static constexpr int kMost = 2000;

 private:
  double start_s_;
  double end_s_;
  double cell_start_s_;
  double cell_end_s_;
  int cells_;
  int finished_ = 0;
  int unsettled_ = 0;
};

}  // namespace cox::bench

#endif  // COX_BENCH_PACER_H_
