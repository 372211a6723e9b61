#include "learn/correct/surface/asked_point.h"

namespace cox::learn {

const std::array<SampleNearness, kReaches.size()>& AskedPoint::NearnessTo(
    const SamplePlaces& places) {
  for (size_t i = 0; i < kRemembered; ++i) {
    if (places_[i] == &places) return nearness_[i];
  }
  const size_t slot = count_++ % kRemembered;
  places_[slot] = &places;
  for (size_t i = 0; i < kReaches.size(); ++i) {
    places.NearnessAt(at_, kReaches[i], &nearness_[slot][i]);
  }
  return nearness_[slot];
}

}  // namespace cox::learn
