// Which of its library's algorithms a default runs, as far as timings tell: where it took as long
// as one of them at the same place, it probably was that one. Immutable after Build, any thread.
#ifndef COX_LEARN_CORRECT_DEFAULT_VOTES_H_
#define COX_LEARN_CORRECT_DEFAULT_VOTES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "learn/cells.h"
#include "learn/correct/residual.h"

namespace cox::learn {

class DefaultVotes {
 public:
  // From the timings of (library, collective) among `cells`; those of others are passed over.
  // Bounded: many places are thinned out to kMaxPlaces. O(cells log cells).
  static DefaultVotes Build(absl::Span<const PreparedCell> cells, absl::string_view library,
                            absl::string_view collective);

  static constexpr size_t kMaxPlaces = 160;

  // The algorithms that were timed where the default was, in the order of their names.
  absl::Span<const std::string> names() const { return names_; }

  // The weight of the votes near `at`, all together: one at a place that was timed, less the
  // farther it is away, 0 where there are none. votes[i], for names()[i], is its part; what the
  // parts lack of the whole are votes for something else. O(places x names), allocates nothing.
  // votes.size()
  // == names().size().
  double VotesAt(const Coordinates& at, absl::Span<double> votes) const;

 private:
  struct Place {
    Coordinates at{};
    std::vector<double> shares;  // of each of names_; at most 1 together
  };

  void ThinOut();

  std::vector<std::string> names_;
  std::vector<Place> places_;
};

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_DEFAULT_VOTES_H_
