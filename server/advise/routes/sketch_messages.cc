#include "advise/routes/sketch_messages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

#include "absl/strings/str_format.h"
#include "domain/pattern/classes.h"

namespace cox::advise {
namespace {

using domain::PatternCounts;

// Counts that belong together make fewer messages.
constexpr int64_t kMostMadeMessages = 2 * kMostSketchMessages;

// A value for each class: all lie at the same place between the least and the greatest number of
// their class.
class ClassValues {
 public:
  // The place where the values of `counts` add up to `total`, as nearly as the classes allow.
  // `most`: no value is greater.
  ClassValues(const PatternCounts& counts, double total, double most) : most_(most) {
    double least_sum = 0;
    double spread_sum = 0;
    for (int i = 0; i < domain::kPatternClasses; ++i) {
      const auto count = static_cast<double>(counts[static_cast<size_t>(i)]);
      least_sum += count * Least(i);
      spread_sum += count * (Greatest(i) - Least(i));
    }
    place_ = spread_sum > 0 ? std::clamp((total - least_sum) / spread_sum, 0.0, 1.0) : 0;
  }
  double operator()(int pattern_class) const {
    const double least = Least(pattern_class);
    return least + place_ * (Greatest(pattern_class) - least);
  }

 private:
  double Least(int pattern_class) const {
    return std::min(static_cast<double>(domain::LeastOfPatternClass(pattern_class)), most_);
  }
  double Greatest(int pattern_class) const {
    if (pattern_class == 0) return 0;
    return std::min(2 * static_cast<double>(domain::LeastOfPatternClass(pattern_class)) - 1, most_);
  }

  double most_;
  double place_ = 0;
};

// The unit interval, divided among the classes in the shares of `counts`.
class ClassShares {
 public:
  explicit ClassShares(const PatternCounts& counts) {
    const auto total = static_cast<double>(domain::TotalOf(counts));
    double sum = 0;
    for (size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      sum += static_cast<double>(counts[i]);
      ends_.emplace_back(sum / total, static_cast<int>(i));
    }
    if (!ends_.empty()) ends_.back().first = 1;
  }
  // 0 <= place < 1. There is a count.
  int At(double place) const {
    for (const auto& [end, pattern_class] : ends_) {
      if (place < end) return pattern_class;
    }
    return ends_.back().second;
  }

 private:
  std::vector<std::pair<double, int>> ends_;
};

// Places in the unit interval. Those of any stretch are spread evenly: they go round it in steps of
// the golden ratio.
class GoldenPlaces {
 public:
  double Next() {
    constexpr double kGolden = 0.6180339887498949;
    place_ += kGolden;
    if (place_ >= 1) place_ -= 1;
    return place_;
  }

 private:
  double place_ = 0.5;
};

// A step through `count` numbers that visits each once, near the golden ratio of them.
int64_t StepThrough(int64_t count) {
  int64_t step = std::max<int64_t>(1, static_cast<int64_t>(0.618 * static_cast<double>(count)));
  while (std::gcd(step, count) != 1) ++step;
  return step;
}

// How many of `count` destinations have each class of distance: in the sketch's shares, and no more
// than there are ranks at that distance.
std::array<int64_t, domain::kPatternClasses> Share(
    int64_t count, const PatternCounts& distances,
    const std::array<std::vector<int64_t>, domain::kPatternClasses>& offsets) {
  std::array<int64_t, domain::kPatternClasses> shares{};
  const auto total = static_cast<double>(domain::TotalOf(distances));
  double owed = 0;
  int64_t given = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    owed += static_cast<double>(count) * static_cast<double>(distances[i]) / total;
    const auto room = static_cast<int64_t>(offsets[i].size());
    shares[i] = std::clamp<int64_t>(std::llround(owed) - given, 0, room);
    given += shares[i];
  }
  // What did not fit goes to the nearest free ranks.
  for (size_t i = 0; i < shares.size() && given < count; ++i) {
    const auto more = std::min(count - given, static_cast<int64_t>(offsets[i].size()) - shares[i]);
    shares[i] += more;
    given += more;
  }
  return shares;
}

// All offsets 1 .. ranks - 1, ascending, by the class of their distance.
std::array<std::vector<int64_t>, domain::kPatternClasses> OffsetsOf(int64_t ranks) {
  std::array<std::vector<int64_t>, domain::kPatternClasses> offsets;
  for (int64_t offset = 1; offset < ranks; ++offset) {
    const int64_t distance = domain::RingDistance(0, offset, ranks);
    offsets[static_cast<size_t>(domain::PatternClassOf(distance))].push_back(offset);
  }
  return offsets;
}

// The offsets of `count` destinations, evenly in each class.
std::vector<int64_t> DestinationsOf(
    int64_t count, const PatternCounts& distances,
    const std::array<std::vector<int64_t>, domain::kPatternClasses>& offsets) {
  const auto shares = Share(count, distances, offsets);
  std::vector<int64_t> destinations;
  for (size_t i = 0; i < shares.size(); ++i) {
    const auto room = static_cast<int64_t>(offsets[i].size());
    for (int64_t k = 0; k < shares[i]; ++k) {
      destinations.push_back(offsets[i][static_cast<size_t>((2 * k + 1) * room / (2 * shares[i]))]);
    }
  }
  return destinations;
}

}  // namespace

SketchMeans MeansOf(const domain::PatternSketch& sketch) {
  const auto samples = static_cast<double>(domain::TotalOf(sketch.destination_counts));
  if (!(samples > 0)) return {};
  return {.destinations = static_cast<double>(domain::TotalOf(sketch.distance_counts)) / samples,
          .messages = static_cast<double>(domain::TotalOf(sketch.size_counts)) / samples,
          .bytes = sketch.total_bytes / samples};
}

double PhaseMessages(const domain::PatternSketch& sketch) {
  return std::max(1.0, MeansOf(sketch).messages) * static_cast<double>(sketch.key.ranks);
}

absl::StatusOr<std::vector<model::Transfer>> MessagesOf(const domain::PatternSketch& sketch) {
  const SketchMeans means = MeansOf(sketch);
  const int64_t ranks = sketch.key.ranks;
  if (ranks < 2 || !(means.destinations > 0)) {
    return absl::FailedPreconditionError("no sampled phase has messages to other ranks");
  }
  if (const double count = PhaseMessages(sketch);
      count > static_cast<double>(kMostSketchMessages)) {
    return absl::ResourceExhaustedError(absl::StrFormat(
        "a phase has about %.6g messages; at most %d are priced", count, kMostSketchMessages));
  }
  const ClassValues destinations(sketch.destination_counts,
                                 static_cast<double>(domain::TotalOf(sketch.distance_counts)),
                                 static_cast<double>(ranks - 1));
  const ClassValues bytes(sketch.size_counts, sketch.total_bytes,
                          static_cast<double>(int64_t{1} << 62));
  const auto offsets = OffsetsOf(ranks);
  const ClassShares destination_classes(sketch.destination_counts);
  const ClassShares size_classes(sketch.size_counts);
  GoldenPlaces size_places;
  const int64_t step = StepThrough(ranks);
  // A rank that alternates between destinations counts them again.
  const double messages_per_destination =
      means.messages / std::min(means.destinations, static_cast<double>(ranks - 1));
  std::map<int64_t, std::vector<int64_t>> known;  // offsets by number of destinations
  std::vector<model::Transfer> messages;
  double owed_messages = 0;
  int64_t given_messages = 0;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    // Each rank has a place of its own, so that each class has its share of the ranks.
    const double place =
        (static_cast<double>(rank * step % ranks) + 0.5) / static_cast<double>(ranks);
    const auto count =
        static_cast<int64_t>(std::llround(destinations(destination_classes.At(place))));
    if (count == 0) continue;
    owed_messages += static_cast<double>(count) * messages_per_destination;
    if (count > kMostMadeMessages - given_messages ||
        owed_messages > static_cast<double>(kMostMadeMessages)) {
      return absl::FailedPreconditionError(
          "the counts of destinations, distances and messages contradict each other");
    }
    std::vector<int64_t>& to = known[count];
    if (to.empty()) to = DestinationsOf(count, sketch.distance_counts, offsets);
    const int64_t own =
        std::max(count, static_cast<int64_t>(std::llround(owed_messages)) - given_messages);
    given_messages += own;
    for (int64_t i = 0; i < own; ++i) {
      const int64_t offset = to[static_cast<size_t>(i % count)];
      messages.push_back(
          {rank, (rank + offset) % ranks, bytes(size_classes.At(size_places.Next()))});
    }
  }
  return messages;
}

}  // namespace cox::advise
