// The switches of a machine as a tree. Pure; immutable, any thread.
//
// The text form is Slurm's topology.conf, a line for each switch, with two keys of our own:
//
//   SwitchName=leaf1 Nodes=n[1-16] Taper=2 HopTime=1e-7
//   SwitchName=top   Switches=leaf[1-4]
#ifndef COX_ADVISE_PLACEMENT_SWITCH_TREE_H_
#define COX_ADVISE_PLACEMENT_SWITCH_TREE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advise/placement/network.h"

namespace cox::advise {

// Levels of switches; networks have two to five.
inline constexpr int kMaxSwitchLevels = 16;

// Of n nodes in use, k of them below a switch:
// - distance_links: each switch's up-links lie between the k nodes and the n - k others, so
//   2 + 2 sum k (n - k) / (n (n - 1)).
// - bisection_links: n / 2 times the least of 1 and of a switch's up-links by min(k, n - k), at
//   least 1.
class SwitchTree final : public Network {
 public:
  // Reads the text form. Ignores Slurm's LinkSpeed, and comments. INVALID_ARGUMENT (field
  // "switches") with the line for an unknown key, a name of other characters than letters, digits
  // and -._:, a switch or node that occurs twice, a switch without nodes and switches, a Taper that
  // is not above 0, a HopTime that is not 0 to 1, an unknown switch, a loop, more than one switch
  // at the top, and more than kMaxSwitchLevels levels. O(n log n) for n nodes.
  static absl::StatusOr<SwitchTree> Parse(absl::string_view text);

  int64_t switch_count() const override { return static_cast<int64_t>(switches_.size()); }

  // Sets what lines do not say. `by_height`: the tapers of switches with nodes only, then of those
  // above them, and so on; switches above the last one have the last one. INVALID_ARGUMENT (field
  // "taper_ratio[i]" or "hop_time_s") out of the ranges of the text form.
  absl::Status Complete(absl::Span<const double> by_height, double hop_time_s);

 private:
  friend class SwitchReader;

  struct Switch {
    std::string name;
    int parent = -1;
    int depth = 0;           // 0: the top
    int height = 0;          // 0: no switches below
    int64_t node_count = 0;  // below
    double taper = 1;
    double hop_time_s = 0;
    bool has_taper = false;  // the line says it
    bool has_hop_time = false;
    std::string nodes;  // host lists, as the line has them
    std::string below;
  };

  // A line for each switch in the order in which they were read.
  std::string NodesText() const override;
  // The place of a node is the index of its switch.
  absl::StatusOr<NodesInUse> Use(const std::vector<int>& places, UpLinks uplinks) const override;

  std::vector<Switch> switches_;
};

}  // namespace cox::advise

#endif  // COX_ADVISE_PLACEMENT_SWITCH_TREE_H_
