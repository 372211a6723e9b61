#include "advise/placement/dragonfly_links.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <memory>

namespace cox::advise {

DragonflyLinks::DragonflyLinks(const std::vector<int>& dims, const std::vector<int>& places,
                               const DragonflyWidths& widths)
    : groups_(dims[0]),
      rows_(dims[1]),
      row_length_(dims[2]),
      nodes_(dims[3]),
      places_(places),
      widths_(widths),
      routers_(rows_ * row_length_),
      first_column_(groups_ * routers_ * row_length_),
      first_global_(first_column_ + groups_ * routers_ * rows_) {}

bool DragonflyLinks::AreFew(const std::vector<int>& dims) {
  const auto [groups, rows, length] = std::array<double, 3>{
      static_cast<double>(dims[0]), static_cast<double>(dims[1]), static_cast<double>(dims[2])};
  return groups * rows * length * (length + rows) + groups * groups <=
         static_cast<double>(kMaxDragonflyLinks);
}

int DragonflyLinks::AddLocal(int from, int to, std::vector<int>* route) const {
  const int64_t column = to % row_length_;
  int64_t at = from;
  if (at % row_length_ != column) {
    route->push_back(static_cast<int>(at * row_length_ + column));
    at += column - at % row_length_;
  }
  if (at != to) {
    const int64_t row = to / row_length_ % rows_;
    route->push_back(static_cast<int>(first_column_ + at * rows_ + row));
  }
  return to;
}

void DragonflyLinks::AddWay(int from, int to, std::vector<int>* route) const {
  const int64_t here = from / routers_;
  const int64_t there = to / routers_;
  if (here != there) {
    AddLocal(from, static_cast<int>(here * routers_ + there % routers_), route);
    route->push_back(static_cast<int>(first_global_ + here * groups_ + there));
    from = static_cast<int>(there * routers_ + here % routers_);
  }
  AddLocal(from, to, route);
}

double DragonflyLinks::AddRoute(int from, int to, std::vector<int>* route) const {
  const size_t before = route->size();
  AddWay(RouterOf(from), RouterOf(to), route);
  return static_cast<double>(route->size() - before) * widths_.hop_time_s;
}

EvenLoad DragonflyLinks::Evenly() const {
  return all_pairs_.Of(*this, static_cast<int>(places_.size()));
}

double DragonflyLinks::WidthOut(int router) const {
  const int64_t group = router / routers_;
  double width = static_cast<double>(row_length_ + rows_ - 2) * widths_.local;
  for (int64_t other = router % routers_; other < groups_; other += routers_) {
    if (other != group) width += widths_.global;
  }
  return width;
}

NodesInUse UseDragonfly(const std::vector<int>& dims, const std::vector<int>& places,
                        const DragonflyWidths& widths) {
  const auto links = std::make_shared<const DragonflyLinks>(dims, places, widths);
  const auto n = static_cast<double>(places.size());
  const int group_routers = dims[1] * dims[2];
  std::map<int, double> at_router;
  std::map<int, double> in_group;
  std::vector<int> routers;
  std::vector<int> groups;
  for (int node = 0; node < static_cast<int>(places.size()); ++node) {
    const int router = links->RouterOf(node);
    at_router[router] += 1;
    in_group[router / group_routers] += 1;
    routers.push_back(router);
    groups.push_back(router / group_routers);
  }
  double narrowest = 1;
  const auto cut = [&](double k, double width) {
    if (k < n) narrowest = std::min(narrowest, width / std::min(k, n - k));
  };
  double crossed = 0;  // links between routers, over all ordered pairs of nodes
  std::vector<int> route;
  for (const auto& [router, k] : at_router) {
    cut(k, links->WidthOut(router));
    for (const auto& [other, other_k] : at_router) {
      route.clear();
      links->AddWay(router, other, &route);
      crossed += k * other_k * static_cast<double>(route.size());
    }
  }
  for (const auto& [group, k] : in_group) {
    cut(k, static_cast<double>(in_group.size() - 1) * widths.global);
  }
  NodesInUse in_use;
  in_use.node_count = static_cast<int64_t>(places.size());
  in_use.switch_count = static_cast<int64_t>(at_router.size());
  if (n > 1) in_use.distance_links = 2 + crossed / (n * (n - 1));
  in_use.bisection_links = std::max(1.0, n / 2 * narrowest);
  if (at_router.size() > 1) in_use.links = links;
  for (const int64_t run : {EvenRun(routers), EvenRun(groups)}) {
    // With one router in each group both are the same.
    if (run > (in_use.unit_nodes.empty() ? int64_t{0} : in_use.unit_nodes.back())) {
      in_use.unit_nodes.push_back(run);
    }
  }
  return in_use;
}

}  // namespace cox::advise
