// How much of the gains that benchmarks promise over the library's default is missing in jobs.
// Benchmarks of one collective share what they do not see (caches, late ranks) and the time of the
// default that they compare with. So a gain that jobs did not find makes the promises about other
// algorithms doubtful, too. Immutable once built, any thread.
#ifndef COX_LEARN_CORRECT_MISSED_GAINS_H_
#define COX_LEARN_CORRECT_MISSED_GAINS_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "learn/correct/residual.h"
#include "learn/prepared_cells.h"

namespace cox::learn {

// What a promised gain lacks in jobs.
struct Shortfall {
  double log_gain = 0;  // expected, natural logarithm of the time, >= 0
  double variance = 0;  // of log_gain
};

// Of one (library, collective).
class MissedGains {
 public:
  static constexpr size_t kMaxPlaces = 64;

  // A call with an algorithm that a benchmark found faster than the default.
  struct Place {
    Coordinates at{};
    std::string algorithm;
    double missing = 0;    // of the logarithm of the gain; < 0: jobs gained more
    double variance = 0;   // of `missing`, from the scatter of the timings
    double timings = 0;    // by jobs
    bool is_aged = false;  // of timings from before a drift
    // Compares timings from before a drift with timings from after it.
    bool spans_drift = false;
  };

  // Keeps at most kMaxPlaces: those from after the last drift, then those with the most timings.
  explicit MissedGains(std::vector<Place> places);

  // What to expect of a promise about `algorithm`. Its own places tell where one is near that does
  // not span a drift, else the places of all algorithms. Zeros far from all places, and where jobs
  // found what was promised. O(places), allocates nothing.
  Shortfall At(const Coordinates& at, absl::string_view algorithm) const;

 private:
  std::vector<Place> places_;  // by algorithm
};

// The missed gains by (library, collective). They come from calls that jobs timed at least three
// times with the default and with another algorithm. A benchmark must have timed both at about this
// size, with elements of any type. Timings from before a drift count where there are too few from
// after it: a drift moves both times of a ratio alike. Names live as long as those of `cells`.
// O(n log n).
std::map<std::pair<absl::string_view, absl::string_view>, MissedGains> FindMissedGains(
    absl::Span<const PreparedCell> cells);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_MISSED_GAINS_H_
