// A question's place, with everything that depends on the place alone: computed once for all
// algorithms of the question. One thread.
#ifndef COX_LEARN_CORRECT_SURFACE_ASKED_POINT_H_
#define COX_LEARN_CORRECT_SURFACE_ASKED_POINT_H_

#include <array>
#include <cstddef>

#include "learn/correct/growth.h"
#include "learn/correct/surface/sample_places.h"

namespace cox::learn {

class AskedPoint {
 public:
  explicit AskedPoint(const Point& point)
      : point_(point), at_(CoordinatesOf(point)), terms_(TermsAt(point, 0)) {}

  const Point& point() const { return point_; }
  const Coordinates& at() const { return at_; }
  // With 0 as the structural price.
  const GrowthTerms& terms() const { return terms_; }

  // The nearness to these places, a member for each of kReaches, until the next call. The places
  // outlive this object. It remembers the last kRemembered places.
  const std::array<SampleNearness, kReaches.size()>& NearnessTo(const SamplePlaces& places);

 private:
  // Algorithms that need a certain number of ranks or elements were timed in fewer calls. So a
  // collective's algorithms have a few different sets of places.
  static constexpr size_t kRemembered = 4;

  Point point_;
  Coordinates at_;
  GrowthTerms terms_;
  size_t count_ = 0;  // of computed sets
  std::array<const SamplePlaces*, kRemembered> places_{};
  std::array<std::array<SampleNearness, kReaches.size()>, kRemembered> nearness_;
};

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_SURFACE_ASKED_POINT_H_
