// Shows people, or a program that drives cox-bench, the progress of the run and the time left.
//
// Writes to stderr only: a bar that repaints itself on a terminal; with --progress elsewhere a line
// for each cell, "progress 3/12 41 s left: alltoall 4 KiB"; else nothing. On rank 0. One thread.
#ifndef COX_BENCH_PROGRESS_H_
#define COX_BENCH_PROGRESS_H_

#include <string>

#include "bench/pacer.h"

namespace cox::bench {

class Progress {
 public:
  explicit Progress(bool forced);

  // Before a cell: shows what comes next.
  void Show(const Pacer& pacer, double now_s, const std::string& what);

  // After the last cell and before any other message: removes the bar.
  void Clear();

 private:
  enum class Form { kNone, kBar, kLines };
  Form form_;
  bool painted_ = false;
};

}  // namespace cox::bench

#endif  // COX_BENCH_PROGRESS_H_
