#include "learn/correct/trust/contradicted_places.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>

#include "absl/types/span.h"
#include "learn/correct/trust/weight_window.h"

namespace cox::learn {
namespace {

// Changes of the algorithm or the protocol by size, and overflowing buffers, are smaller. Natural
// logarithms.
const double kBeyondReason = std::log(20.0);
const double kAround = std::log(8.0);

// Jobs' ranks wait for each other within a call, so a job does not contradict a benchmark.
auto Job(const PlacedTime& place) {
  return std::make_tuple(place.point.nodes, place.point.ppn, place.point.ranks, place.kind);
}

double LogBytes(const PlacedTime& place) { return std::log(place.point.block_bytes + 1); }

// The weight in a window on one side of a place, and what contradicts the place there.
class Side {
 public:
  Side(const std::vector<double>& log_times, const std::vector<double>& log_rates)
      : times_(log_times), rates_(log_rates) {}

  void Add(size_t index, double observations) {
    total_ += observations;
    times_.Add(index, observations);
    rates_.Add(index, observations);
  }
  // Of larger blocks: much shorter times contradict, and times that grow much faster than sizes.
  double VotesOfLarger(double log_time, double log_rate) {
    return total_ -
           2 * (times_.Below(log_time - kBeyondReason) + rates_.Above(log_rate + kBeyondReason));
  }
  // Of smaller blocks: the same, seen from the other end.
  double VotesOfSmaller(double log_time, double log_rate) {
    return total_ -
           2 * (times_.Above(log_time + kBeyondReason) + rates_.Below(log_rate - kBeyondReason));
  }
  int64_t visited_count() const { return times_.visited_count() + rates_.visited_count(); }

 private:
  WeightWindow times_;
  WeightWindow rates_;
  double total_ = 0;
};

// For each of one job's places, in the order of their sizes: the observations around that agree,
// its own among them, less those that contradict. O(n log n).
std::vector<double> VotesFor(absl::Span<const PlacedTime* const> places, int64_t* visited_count) {
  const size_t count = places.size();
  std::vector<double> log_bytes(count);
  std::vector<double> log_times(count);
  std::vector<double> log_rates(count);  // of seconds per byte
  for (size_t i = 0; i < count; ++i) {
    log_bytes[i] = LogBytes(*places[i]);
    log_times[i] = places[i]->log_time;
    log_rates[i] = log_times[i] - log_bytes[i];
  }
  Side smaller(log_times, log_rates);  // [first, i)
  Side larger(log_times, log_rates);   // (i, end)
  std::vector<double> votes(count);
  size_t first = 0;
  size_t end = 0;
  for (size_t i = 0; i < count; ++i) {
    const double own = places[i]->observations;
    if (end > i) {
      larger.Add(i, -own);
    } else {
      end = i + 1;
    }
    for (; end < count && log_bytes[end] - log_bytes[i] <= kAround; ++end) {
      larger.Add(end, places[end]->observations);
    }
    for (; log_bytes[i] - log_bytes[first] > kAround; ++first) {
      smaller.Add(first, -places[first]->observations);
    }
    votes[i] = own + larger.VotesOfLarger(log_times[i], log_rates[i]) +
               smaller.VotesOfSmaller(log_times[i], log_rates[i]);
    smaller.Add(i, own);
  }
  *visited_count += smaller.visited_count() + larger.visited_count();
  return votes;
}

}  // namespace

int64_t DropContradictedPlaces(std::vector<PlacedTime>* places) {
  std::vector<const PlacedTime*> order;
  order.reserve(places->size());
  for (const PlacedTime& place : *places) order.push_back(&place);
  std::sort(order.begin(), order.end(), [](const PlacedTime* a, const PlacedTime* b) {
    return std::tuple_cat(Job(*a), std::tuple(a->point.block_bytes)) <
           std::tuple_cat(Job(*b), std::tuple(b->point.block_bytes));
  });
  std::vector<bool> is_dropped(places->size(), false);
  int64_t visited_count = 0;
  for (auto begin = order.begin(); begin != order.end();) {
    const auto end = std::find_if(
        begin, order.end(), [&](const PlacedTime* place) { return Job(*place) != Job(**begin); });
    const absl::Span<const PlacedTime* const> job(&*begin, static_cast<size_t>(end - begin));
    const std::vector<double> votes = VotesFor(job, &visited_count);
    for (size_t i = 0; i < job.size(); ++i) {
      if (votes[i] < 0) is_dropped[static_cast<size_t>(job[i] - places->data())] = true;
    }
    begin = end;
  }
  size_t kept = 0;
  for (size_t i = 0; i < places->size(); ++i) {
    if (!is_dropped[i]) (*places)[kept++] = (*places)[i];
  }
  places->resize(kept);
  return visited_count;
}

}  // namespace cox::learn
