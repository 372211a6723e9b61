// Where the samples of residual surfaces lie, and how near a question is to each of them.
// Algorithms that were timed in the same calls share one SamplePlaces, so that a question computes
// its nearness once for all of them. Immutable once built, any thread.
#ifndef COX_LEARN_CORRECT_SURFACE_SAMPLE_PLACES_H_
#define COX_LEARN_CORRECT_SURFACE_SAMPLE_PLACES_H_

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "learn/correct/growth.h"
#include "learn/correct/surface/columns.h"

namespace cox::learn {

// (log2 ranks, log2 nodes, log2 (bytes + 1)).
using Coordinates = std::array<double, 3>;
Coordinates CoordinatesOf(const Point& point);

// How far a residual reaches, in doublings of the coordinates.
using Reach = std::array<double, 3>;

// How far residuals are smooth differs from machine to machine, and a few timings do not tell it.
// The prediction is therefore the mean of surfaces of several reaches.
inline constexpr std::array<Reach, 3> kReaches = {
    {{1.0, 1.0, 2.0}, {2.0, 2.0, 2.0}, {4.0, 4.0, 8.0}}};

// The most samples of a surface.
inline constexpr size_t kMaxSamples = 160;

// The nearness of a place to each sample under one reach: a column (columns.h) as long as the
// places' columns.
struct SampleNearness {
  static constexpr size_t kLength = ColumnLength(kMaxSamples);
  std::array<float, kLength> correlation;  // in (0, 1]
  float largest;                           // of these
};

class SamplePlaces {
 public:
  // At most kMaxSamples places.
  explicit SamplePlaces(absl::Span<const Coordinates> places);

  size_t size() const { return size_; }
  size_t column_length() const { return columns_.x.size(); }

  // Allocates nothing; O(places).
  void NearnessAt(const Coordinates& at, const Reach& reach, SampleNearness* nearness) const;

 private:
  size_t size_;
  PlaceColumns columns_;
};

// Gives equal places one SamplePlaces. One thread.
class PlacesPool {
 public:
  std::shared_ptr<const SamplePlaces> Share(const std::vector<Coordinates>& places);

 private:
  std::map<std::vector<Coordinates>, std::shared_ptr<const SamplePlaces>> shared_;
};

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_SURFACE_SAMPLE_PLACES_H_
