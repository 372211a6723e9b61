// How many steps of an exchange run at once. Pure, one thread.
#ifndef COX_COLLECTIVES_ENGINE_WINDOW_H_
#define COX_COLLECTIVES_ENGINE_WINDOW_H_

#include <algorithm>
#include <cstdint>

namespace cox::collectives {

// Steps 1 .. steps begin in this order; at most `width` of them run at once. steps >= 0; width 0:
// all at once.
class Window {
 public:
  Window(int steps, int64_t width)
      : steps_(steps),
        width_(static_cast<int>(width == 0 ? steps : std::min<int64_t>(width, steps))) {}

  // True if a step is left and the window has room for it.
  bool CanBegin() const { return begun_ < steps_ && under_way_ < width_; }
  // Begins the next step. Only if CanBegin().
  int Begin() {
    ++under_way_;
    return ++begun_;
  }
  // One running step has ended.
  void End() { --under_way_; }
  bool all_begun() const { return begun_ >= steps_; }
  int under_way() const { return under_way_; }

 private:
  int steps_;
  int width_;
  int begun_ = 0;
  int under_way_ = 0;
};

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_WINDOW_H_
