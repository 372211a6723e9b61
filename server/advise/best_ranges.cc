#include "advise/best_ranges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace cox::advise {
namespace {

// Shorter intervals of any shape are cut into single bytes.
constexpr int64_t kShortest = 64;
// A curve is smooth if the slope in its middle agrees with its five samples up to this share.
// Curves with steps are far from that.
constexpr double kSlopeShare = 1e-5;
// Between samples a smooth curve may bend this many times as far as at them.
constexpr double kBendMargin = 4;

// Samples of a curve on an interval: at both ends, the quarters, and beside the middle.
struct Shape {
  std::array<double, 5> at{};  // low, low + quarter, ..., low + 4 quarter
  bool smooth = false;
};

// The largest distance of the samples of f - g from its chord.
double Bend(const Shape& f, const Shape& g) {
  const double first = f.at[0] - g.at[0];
  const double rise = (f.at[4] - g.at[4]) - first;
  double bend = 0;
  for (size_t i = 1; i < 4; ++i) {
    const double chord = first + rise * static_cast<double>(i) / 4;
    bend = std::max(bend, std::fabs(f.at[i] - g.at[i] - chord));
  }
  return bend;
}

// The amounts of all curves at one size; infinite for curves that are ruled out.
using Amounts = std::vector<double>;

class Follower {
 public:
  Follower(size_t curves, absl::FunctionRef<double(size_t, int64_t)> amount_at,
           const RangeLimits& limits)
      : curves_(curves), amount_at_(amount_at), limits_(limits) {}

  // `stops` ascend; the last one is the end.
  BestRanges Follow(int64_t min, const std::vector<int64_t>& stops) {
    BestRanges result;
    for (size_t i = 0; i < curves_; ++i) all_.push_back(i);
    int64_t at = passed_ = min;
    Amounts low = AmountsOf(all_, min);
    best_ = Least(low);
    result.ranges.push_back({min, best_, low[best_], 0});
    for (const int64_t stop : stops) {
      while (at < stop) {
        Amounts high = AmountsOf(all_, stop);
        const int64_t change = FirstBeaten({at, stop, &low, &high, stop - at}, all_);
        if (IsExhausted() || (change >= 0 && result.ranges.size() >= limits_.ranges)) {
          result.through = passed_;
          return result;
        }
        at = change >= 0 ? change : stop;
        passed_ = at;
        low = change >= 0 ? AmountsOf(all_, at) : std::move(high);
        if (change < 0) continue;
        const double previous = low[best_];
        best_ = Least(low);
        result.ranges.push_back({at, best_, low[best_], previous});
      }
    }
    result.through = at;
    return result;
  }

 private:
  struct Interval {
    int64_t low;
    int64_t high;
    const Amounts* at_low;
    const Amounts* at_high;
    // Smoothness is tested only up to this width. A curve that is not smooth here is rarely smooth
    // on a half.
    int64_t widest_to_ask;
    int64_t width() const { return high - low; }
  };

  bool IsExhausted() const { return evaluations_ > limits_.evaluations; }

  double At(size_t curve, int64_t size) {
    ++evaluations_;
    return amount_at_(curve, size);
  }

  Amounts AmountsOf(const std::vector<size_t>& which, int64_t size) {
    Amounts amounts(curves_, std::numeric_limits<double>::infinity());
    for (const size_t i : which) amounts[i] = At(i, size);
    return amounts;
  }

  static double LeastAmount(const Amounts& amounts) {
    return *std::min_element(amounts.begin(), amounts.end());
  }
  static size_t Least(const Amounts& amounts) {
    const double least = LeastAmount(amounts);
    size_t i = 0;
    while (amounts[i] * (1 - kTieShare) > least) ++i;
    return i;
  }
  // Another curve replaces the current one if it is below this.
  double Bar(const Amounts& amounts) const { return amounts[best_] * (1 - kTieShare); }
  bool IsBeaten(const Amounts& amounts) const { return Bar(amounts) > LeastAmount(amounts); }

  // The first size in (low, high] at which another curve replaces the current one; -1 for none.
  // None does at the low end.
  int64_t FirstBeaten(const Interval& interval, const std::vector<size_t>& which) {
    if (IsExhausted()) return -1;
    // Curves do not fall: inside, every curve is at least its amount at the low end, and the
    // current one at most its amount at the high end.
    std::vector<size_t> rivals;
    for (const size_t i : which) {
      if (i != best_ && (*interval.at_low)[i] < Bar(*interval.at_high)) rivals.push_back(i);
    }
    const bool is_beaten = IsBeaten(*interval.at_high);
    if (interval.width() == 1 && is_beaten) return interval.high;
    const bool asks = !is_beaten && interval.width() <= interval.widest_to_ask;
    const bool is_skipped = !limits_.looks_between && !is_beaten;
    if (is_skipped || interval.width() == 1 || rivals.empty() ||
        (asks && IsSmoothlyBelow(interval, rivals))) {
      passed_ = interval.high;
      return -1;
    }
    const int64_t widest_to_ask = asks ? interval.width() / 8 : interval.widest_to_ask;
    rivals.push_back(best_);
    const int64_t middle = MiddleOf(interval);
    const Amounts at_middle = AmountsOf(rivals, middle);
    const int64_t found =
        FirstBeaten({interval.low, middle, interval.at_low, &at_middle, widest_to_ask}, rivals);
    if (found >= 0) return found;
    return FirstBeaten({middle, interval.high, &at_middle, interval.at_high, widest_to_ask},
                       rivals);
  }

  // Where to cut: the first part has four equal quarters, later ones are halved.
  static int64_t MiddleOf(const Interval& interval) {
    const int64_t odd = interval.width() % 4;
    if (interval.width() >= kShortest && odd != 0) return interval.high - odd;
    return interval.low + interval.width() / 2;
  }

  Shape ShapeOf(size_t curve, const Interval& interval) {
    const int64_t quarter = interval.width() / 4;
    const int64_t middle = interval.low + 2 * quarter;
    Shape shape;
    shape.at = {(*interval.at_low)[curve], At(curve, middle - quarter), At(curve, middle),
                At(curve, middle + quarter), (*interval.at_high)[curve]};
    const double slope = (shape.at[0] - 8 * shape.at[1] + 8 * shape.at[3] - shape.at[4]) /
                         (12 * static_cast<double>(quarter));
    const double beside = (At(curve, middle + 1) - At(curve, middle - 1)) / 2;
    const double rounding = 8 * std::numeric_limits<double>::epsilon() * shape.at[4];
    shape.smooth = std::fabs(beside - slope) <= kSlopeShare * std::fabs(slope) + rounding;
    return shape;
  }

  // Whether all curves are smooth here, and the current one is so far below the others at both ends
  // that it cannot meet one in between.
  bool IsSmoothlyBelow(const Interval& interval, const std::vector<size_t>& rivals) {
    if (interval.width() < kShortest || interval.width() % 4 != 0) return false;
    const Shape mine = ShapeOf(best_, interval);
    if (!mine.smooth) return false;
    return std::all_of(rivals.begin(), rivals.end(), [&](size_t rival) {
      const double below = std::min((*interval.at_low)[rival] - Bar(*interval.at_low),
                                    (*interval.at_high)[rival] - Bar(*interval.at_high));
      const Shape other = ShapeOf(rival, interval);
      return other.smooth && below >= kBendMargin * Bend(mine, other);
    });
  }

  const size_t curves_;
  const absl::FunctionRef<double(size_t, int64_t)> amount_at_;
  const RangeLimits limits_;
  std::vector<size_t> all_;
  size_t best_ = 0;          // the current curve
  int64_t evaluations_ = 0;  // so far
  int64_t passed_ = 0;       // the current curve is the least up to this size
};

}  // namespace

BestRanges FollowBest(size_t curves, absl::FunctionRef<double(size_t, int64_t)> amount_at,
                      int64_t min, int64_t max, absl::Span<const int64_t> knees,
                      const RangeLimits& limits) {
  if (curves == 0) return {{}, max};
  std::vector<int64_t> stops = {max};
  const auto stop_at = [&](int64_t size) {
    if (size > min && size < max) stops.push_back(size);
  };
  // Also the last size before a knee, so that no curve falls between two stops.
  for (const int64_t knee : knees) {
    stop_at(knee - 1);
    stop_at(knee);
  }
  for (int shift = 0; shift < 62; ++shift) stop_at(int64_t{1} << shift);
  std::sort(stops.begin(), stops.end());
  stops.erase(std::unique(stops.begin(), stops.end()), stops.end());
  return Follower(curves, amount_at, limits).Follow(min, stops);
}

}  // namespace cox::advise
