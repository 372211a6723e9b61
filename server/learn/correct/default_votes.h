// Which of its library's algorithms a default runs, as far as timings tell. Probably it runs the
// one that takes as long as the default in the same call. Immutable after Build, any thread.
#ifndef COX_LEARN_CORRECT_DEFAULT_VOTES_H_
#define COX_LEARN_CORRECT_DEFAULT_VOTES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "learn/correct/surface/columns.h"
#include "learn/correct/surface/sample_places.h"
#include "learn/prepared_cells.h"

namespace cox::learn {

class DefaultVotes {
 public:
  static constexpr size_t kMaxPlaces = 160;
  static constexpr size_t kMaxNames = 64;

  // From the timings of (library, collective) among `cells`; others are ignored. Keeps at most
  // kMaxPlaces places, by merging neighbours, and kMaxNames names, those timed at the most places.
  // O(n log n) for n cells.
  static DefaultVotes Build(absl::Span<const PreparedCell> cells, absl::string_view library,
                            absl::string_view collective);

  // The algorithms that were timed in calls in which the default was, in the order of their names.
  absl::Span<const std::string> names() const { return names_; }

  // The total weight of the votes near `at`. A place weighs 1 at its own coordinates, less the
  // farther it is away; 0 without places. votes[i] becomes the part of names()[i]. The remainder
  // counts as "other". votes.size() == names().size(). O(places x names), allocates nothing.
  double VotesAt(const Coordinates& at, absl::Span<double> votes) const;

 private:
  struct Place {
    Coordinates at{};
    std::vector<double> shares;  // of each of names_; at most 1 together
  };

  static void ThinOut(std::vector<Place>* places);
  void Keep(const std::vector<Place>& places);

  std::vector<std::string> names_;
  // In columns (columns.h).
  size_t place_count_ = 0;
  PlaceColumns places_;
  std::vector<std::vector<float>> shares_;  // of each of names_, at each place
};

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_DEFAULT_VOTES_H_
