// Networks whose nodes have places in a grid: torus and dragonfly. Pure; immutable, any thread.
//
// The text form is one line; the node list fills the places in order, the first number of a torus
// and the last number of a dragonfly changing fastest:
//
//   Torus=4x4x2 Nodes=n[0-31] HopTime=1e-7
//   Dragonfly=4x1x4x4 Nodes=n[0-63] LocalWidth=1 GlobalWidth=2 HopTime=1e-7
//
// Torus: messages go along the first dimension, then the next one, in each the shorter way, and in
// the direction of rising numbers if both are as long. Dragonfly: groups, rows of routers in a
// group, routers in a row, nodes at a router (Kim, Dally, Scott, Abts, Technology-driven,
// highly-scalable dragonfly topology, 2008; with rows as Faanes et al., Cray Cascade, 2012). The
// routers of a row are linked in pairs, and so are those at the same position of rows. Router g of
// a group leads to group g (modulo the routers of a group). Messages take the shortest way: within
// a group along the row first, and one link to another group.
#ifndef COX_ADVISE_PLACEMENT_GRID_NETWORK_H_
#define COX_ADVISE_PLACEMENT_GRID_NETWORK_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advise/placement/network.h"

namespace cox::advise {

class GridNetwork final : public Network {
 public:
  enum class Kind { kTorus, kDragonfly };

  // Whether a line begins as that of a grid.
  static bool IsLine(absl::string_view line);

  // INVALID_ARGUMENT (field "switches") with the line for more than one line, an unknown key, a
  // torus of more than 6 dimensions or with a number above 128, a dragonfly of other than 4
  // numbers, a number below 1, a node list of another length than the product of the numbers, a
  // node that occurs twice, a width that is not above 0, and a HopTime that is not 0 to 1.
  static absl::StatusOr<GridNetwork> Parse(absl::string_view text);

  // Sets the hop time if the line has none. INVALID_ARGUMENT (field "taper_ratio") for tapers,
  // (field "hop_time_s") out of range.
  absl::Status Complete(absl::Span<const double> taper_ratios, double hop_time_s);

  // A torus has a router in each node.
  int64_t switch_count() const override;

 private:
  friend class GridNetworkReader;
  std::string NodesText() const override;
  absl::StatusOr<NodesInUse> Use(const std::vector<int>& places, UpLinks uplinks) const override;

  Kind kind_ = Kind::kTorus;
  std::vector<int> dims_;
  std::string nodes_;  // as the line has them
  double local_width_ = 1;
  double global_width_ = 1;
  double hop_time_s_ = 0;
  bool has_hop_time_ = false;
};

}  // namespace cox::advise

#endif  // COX_ADVISE_PLACEMENT_GRID_NETWORK_H_
