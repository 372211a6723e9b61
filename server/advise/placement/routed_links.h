// The even load of links whose routes are known pair by pair. Pure.
#ifndef COX_ADVISE_PLACEMENT_ROUTED_LINKS_H_
#define COX_ADVISE_PLACEMENT_ROUTED_LINKS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "advise/placement/network.h"

namespace cox::advise {

// Routes a byte between each ordered pair of `node_count` nodes: O(n^2) routes.
inline EvenLoad RouteAllPairs(const Links& links, int node_count) {
  std::vector<double> loads(static_cast<size_t>(links.count()), 0);
  std::vector<int> route;
  EvenLoad even;
  for (int from = 0; from < node_count; ++from) {
    for (int to = 0; to < node_count; ++to) {
      if (from == to) continue;
      route.clear();
      even.latency_s = std::max(even.latency_s, links.AddRoute(from, to, &route));
      for (const int link : route) loads[static_cast<size_t>(link)] += 1;
    }
  }
  for (int64_t link = 0; link < links.count(); ++link) {
    const double bytes = loads[static_cast<size_t>(link)];
    if (bytes > 0) {
      even.link_bytes = std::max(even.link_bytes, bytes / links.width(static_cast<int>(link)));
    }
  }
  return even;
}

// Remembers the load of all pairs, since routing them takes long. Any thread.
class AllPairs {
 public:
  EvenLoad Of(const Links& links, int node_count) const {
    std::call_once(once_, [&] { even_ = RouteAllPairs(links, node_count); });
    return even_;
  }

 private:
  mutable std::once_flag once_;
  mutable EvenLoad even_;
};

}  // namespace cox::advise

#endif  // COX_ADVISE_PLACEMENT_ROUTED_LINKS_H_
