// Tells people, or a program that drives cox-bench, how far the run is and how long it will take.
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

  // Before a cell: what comes now.
  void Show(const Pacer& pacer, double now_s, const std::string& what);

  // After the last cell, and before any other message: ends the bar's line.
  void Clear();

 private:
  enum class Form { kNone, kBar, kLines };
  Form form_;
  bool painted_ = false;
};

}  // namespace cox::bench

#endif  // COX_BENCH_PROGRESS_H_
