// The switches of a machine as a tree, and the nodes that a job uses of it. Pure; immutable, any
// thread.
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

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace cox::advise {

// Levels of switches; networks have two to five.
inline constexpr int kMaxSwitchLevels = 16;

// A switch that a job uses.
struct UsedSwitch {
  int parent = -1;         // index into NodesInUse::switches; -1: all nodes of the job are below
  int64_t node_count = 0;  // of the job, below
  // Of the up-links, those for the job, in links of a node. 0: no parent.
  double uplinks_count = 0;
  double hop_time_s = 0;  // what the way through an up-link adds to a message's latency
};

// Which up-links serve a job.
enum class UpLinks {
  kShare,  // of a switch's up-links the share that its nodes have of the nodes below: k / taper
  kAll,    // all of them, since no other job uses the switch: nodes below / taper
};

// The nodes of a job, in the order in which ranks fill them.
struct NodesInUse {
  std::vector<UsedSwitch> switches;  // parents before children
  std::vector<int> switch_of;        // of each node: the index of its switch
  int64_t leaf_count = 0;            // switches that nodes of the job are connected to

  int64_t node_count() const { return static_cast<int64_t>(switch_of.size()); }

  // Mean number of links between two nodes: each switch's up-links lie between the k nodes below it
  // and the n - k others, so 2 + 2 sum k (n - k) / (n (n - 1)). 0 for one node.
  double distance_links() const;
  // Links of a cut into halves if every cut were as narrow as the narrowest one: n / 2 times the
  // least of 1 and of a switch's uplinks_count / min(k, n - k). At least 1.
  double bisection_links() const;
};

class SwitchTree {
 public:
  // Reads the text form. Ignores Slurm's LinkSpeed, and comments. INVALID_ARGUMENT (field
  // "switches") with the line for an unknown key, a name of other characters than letters, digits
  // and -._:, a switch or node that occurs twice, a switch without nodes and switches, a Taper that
  // is not above 0, a HopTime that is not 0 to 1, an unknown switch, a loop, more than one switch
  // at the top, and more than kMaxSwitchLevels levels. O(n log n) for n nodes.
  static absl::StatusOr<SwitchTree> Parse(absl::string_view text);

  int64_t node_count() const { return static_cast<int64_t>(switch_of_.size()); }
  int64_t switch_count() const { return static_cast<int64_t>(switches_.size()); }
  // The text form, a line for each switch in the order in which they were read. Without comments.
  std::string Text() const;

  // Sets what lines do not say. `by_height`: the tapers of switches with nodes only, then of those
  // above them, and so on; switches above the last one have the last one. INVALID_ARGUMENT (field
  // "taper_ratio[i]" or "hop_time_s") out of the ranges of the text form.
  absl::Status Complete(absl::Span<const double> by_height, double hop_time_s);

  // The nodes that a host list names, in its order. INVALID_ARGUMENT (field "node_list") for a
  // malformed list, an unknown node, and a node that occurs twice. `count` > 0: only the first
  // ones; fewer than that are an error.
  absl::StatusOr<NodesInUse> Find(absl::string_view node_list, int64_t count,
                                  UpLinks uplinks = UpLinks::kShare) const;

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

  std::vector<Switch> switches_;
  absl::flat_hash_map<std::string, int> switch_of_;  // of each node
};

}  // namespace cox::advise

#endif  // COX_ADVISE_PLACEMENT_SWITCH_TREE_H_
