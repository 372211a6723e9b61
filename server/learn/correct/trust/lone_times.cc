#include "learn/correct/trust/lone_times.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>

namespace cox::learn {
namespace {

// Natural logarithms.
const double kBeyondDoubt = std::log(1.5);
const double kNextTo = std::log(8.0);

bool IsLone(const PlacedTime& place) { return place.only_reporter != 0; }

// Places that differ in nothing but their size.
auto GroupOf(const PlacedTime& place) {
  return std::make_tuple(place.point.nodes, place.point.ppn, place.point.ranks, place.kind);
}

// By how much the larger block's time is too long (> 0) or too short (< 0) beside the smaller
// one's. 0: it is in order, or they are too far from each other to tell.
double Excess(const PlacedTime& smaller, const PlacedTime& larger) {
  const double ratio = std::log1p(larger.point.block_bytes) - std::log1p(smaller.point.block_bytes);
  if (ratio > kNextTo) return 0;
  const double growth = larger.log_time - smaller.log_time;
  return std::max(0.0, growth - ratio - kBeyondDoubt) + std::min(0.0, growth + kBeyondDoubt);
}

// Of the places in order, per place the next one in the walk's direction that is not lone; null:
// its group has none there.
template <typename Iterator>
std::vector<const PlacedTime*> NextOfOthers(Iterator begin, Iterator end) {
  std::vector<const PlacedTime*> next;
  const PlacedTime* others = nullptr;
  for (; begin != end; ++begin) {
    const PlacedTime& place = **begin;
    next.push_back(others != nullptr && GroupOf(*others) == GroupOf(place) ? others : nullptr);
    if (!IsLone(place)) others = &place;
  }
  return next;
}

}  // namespace

void DropLoneTimesThatStickOut(std::vector<PlacedTime>* places) {
  if (std::none_of(places->begin(), places->end(), IsLone)) return;
  std::vector<const PlacedTime*> order;
  order.reserve(places->size());
  for (const PlacedTime& place : *places) order.push_back(&place);
  std::stable_sort(order.begin(), order.end(), [](const PlacedTime* a, const PlacedTime* b) {
    return std::tuple_cat(GroupOf(*a), std::tuple(a->point.block_bytes)) <
           std::tuple_cat(GroupOf(*b), std::tuple(b->point.block_bytes));
  });
  const std::vector<const PlacedTime*> smaller = NextOfOthers(order.begin(), order.end());
  const std::vector<const PlacedTime*> larger = NextOfOthers(order.rbegin(), order.rend());
  std::vector<bool> sticks_out(places->size(), false);
  for (size_t i = 0; i < order.size(); ++i) {
    const PlacedTime* const below = smaller[i];
    const PlacedTime* const above = larger[order.size() - 1 - i];
    if (!IsLone(*order[i]) || below == nullptr || above == nullptr) continue;
    const double over_below = Excess(*below, *order[i]);
    const double under_above = Excess(*order[i], *above);
    // Too long beside the smaller block, and the larger block's time too short beside it; or the
    // other way round.
    sticks_out[static_cast<size_t>(order[i] - places->data())] = over_below * under_above < 0;
  }
  size_t kept = 0;
  for (size_t i = 0; i < places->size(); ++i) {
    if (!sticks_out[i]) (*places)[kept++] = (*places)[i];
  }
  places->resize(kept);
}

}  // namespace cox::learn
