#include "learn/correct/surface/sample_places.h"

#include <algorithm>
#include <cmath>

namespace cox::learn {
namespace {

std::vector<float> ColumnAlong(absl::Span<const Coordinates> places, size_t dimension) {
  std::vector<double> column;
  column.reserve(places.size());
  for (const Coordinates& place : places) column.push_back(place[dimension]);
  return ColumnOf(column);
}

}  // namespace

Coordinates CoordinatesOf(const Point& point) {
  return {std::log2(point.ranks), std::log2(point.nodes), std::log2(point.block_bytes + 1)};
}

SamplePlaces::SamplePlaces(absl::Span<const Coordinates> places)
    : size_(places.size()),
      columns_{ColumnAlong(places, 0), ColumnAlong(places, 1), ColumnAlong(places, 2)} {}

void SamplePlaces::NearnessAt(const Coordinates& at, const Reach& reach,
                              SampleNearness* nearness) const {
  std::array<float, 3> place;
  std::array<float, 3> scale;
  for (size_t d = 0; d < place.size(); ++d) {
    place[d] = static_cast<float>(at[d]);
    scale[d] = static_cast<float>(0.5 / (reach[d] * reach[d]));
  }
  float* correlation = nearness->correlation.data();
  KernelAt(columns_, place, scale, correlation);
  std::fill(correlation + size_, correlation + column_length(), 0.0F);
  nearness->largest = Largest(correlation, column_length());
}

std::shared_ptr<const SamplePlaces> PlacesPool::Share(const std::vector<Coordinates>& places) {
  std::shared_ptr<const SamplePlaces>& shared = shared_[places];
  if (shared == nullptr) shared = std::make_shared<const SamplePlaces>(places);
  return shared;
}

}  // namespace cox::learn
