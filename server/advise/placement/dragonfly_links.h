// The links between a job's nodes in a dragonfly. Pure; any thread.
#ifndef COX_ADVISE_PLACEMENT_DRAGONFLY_LINKS_H_
#define COX_ADVISE_PLACEMENT_DRAGONFLY_LINKS_H_

#include <cstdint>
#include <vector>

#include "advise/placement/network.h"
#include "advise/placement/routed_links.h"

namespace cox::advise {

inline constexpr int64_t kMaxDragonflyLinks = 4'000'000;

struct DragonflyWidths {
  double local = 1;       // of a link between routers of a group, in links of a node
  double global = 1;      // of a link between groups
  double hop_time_s = 0;  // of each link between routers
};

// The links between routers; a node's own link is the model's. `dims`: groups, rows, routers in a
// row, nodes at a router.
class DragonflyLinks final : public Links {
 public:
  DragonflyLinks(const std::vector<int>& dims, const std::vector<int>& places,
                 const DragonflyWidths& widths);

  // Whether the machine has at most kMaxDragonflyLinks places for links.
  static bool AreFew(const std::vector<int>& dims);

  int64_t count() const override { return first_global_ + groups_ * groups_; }
  double width(int link) const override {
    return link < first_global_ ? widths_.local : widths_.global;
  }
  double AddRoute(int from, int to, std::vector<int>* route) const override;
  EvenLoad Evenly() const override;

  // Routers, and links of a message between them.
  int RouterOf(int node) const { return places_[static_cast<size_t>(node)] / nodes_; }
  void AddWay(int from, int to, std::vector<int>* route) const;
  // Links of all kinds that leave a router.
  double WidthOut(int router) const;

 private:
  // Along the row, then to another row. Returns the router that it comes to.
  int AddLocal(int from, int to, std::vector<int>* route) const;

  const int64_t groups_;
  const int64_t rows_;
  const int64_t row_length_;
  const int nodes_;  // at a router
  const std::vector<int> places_;
  const DragonflyWidths widths_;
  const int64_t routers_;       // of a group
  const int64_t first_column_;  // index of the first link between rows
  const int64_t first_global_;
  const AllPairs all_pairs_;
};

// distance_links counts the two links of nodes, too. bisection_links: cuts are around a router and
// around a group, to the groups in use.
NodesInUse UseDragonfly(const std::vector<int>& dims, const std::vector<int>& places,
                        const DragonflyWidths& widths);

}  // namespace cox::advise

#endif  // COX_ADVISE_PLACEMENT_DRAGONFLY_LINKS_H_
