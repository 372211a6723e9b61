// Sums the sketches of a node's ranks until they are reported: every kWindowsHeld windows, because
// a sketch changes little from window to window, and at the end.
//
// One thread. Bounded: phases beyond kMaxSketches kinds and sizes of communicators are left out.
#ifndef COX_AGENT_STREAM_SKETCH_WINDOW_H_
#define COX_AGENT_STREAM_SKETCH_WINDOW_H_

#include <cstddef>
#include <map>
#include <vector>

#include "agent/job/stream.h"
#include "domain/pattern/sketch.h"

namespace cox::agent {

class SketchWindow {
 public:
  static constexpr size_t kMaxSketches = 128;
  static constexpr int kWindowsHeld = 10;

  // `job`: machine, application, nodes and ranks per node of all sketches.
  explicit SketchWindow(domain::PatternKey job) : job_(std::move(job)) {}

  void Add(const CoxStreamSketch& row);

  // Ends a window. Returns the sketches if they are due, or `all`; else none.
  std::vector<domain::PatternSketch> Take(bool all);

 private:
  const domain::PatternKey job_;
  std::map<domain::PatternKey, domain::PatternSketch> sketches_;
  int windows_held_ = 0;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_SKETCH_WINDOW_H_
