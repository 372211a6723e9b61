// How a machine's nodes are connected, and the links between the nodes of a job. Pure; immutable,
// any thread.
#ifndef COX_ADVISE_PLACEMENT_NETWORK_H_
#define COX_ADVISE_PLACEMENT_NETWORK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advise/placement/sockets.h"

namespace cox::advise {

// Which up-links of switches serve a job. The links of a torus or dragonfly all serve it.
enum class UpLinks {
  kShare,  // of a switch's up-links the share that its nodes have of the nodes below: k / taper
  kAll,    // all of them, since no other job uses the switch: nodes below / taper
};

// What a link carries if each ordered pair of the job's nodes sends one byte.
struct EvenLoad {
  double link_bytes = 0;  // over the busiest link, by its width
  double latency_s = 0;   // of the longest way
};

// The links between a job's nodes, each in one direction.
class Links {
 public:
  virtual ~Links() = default;

  virtual int64_t count() const = 0;
  // Bytes that a link carries while a node's link carries one.
  virtual double width(int link) const = 0;
  // Appends the links on a message's way from one node of the job to another, both by their
  // position in the job. Returns the seconds by which this way is longer than that of neighbours.
  virtual double AddRoute(int from, int to, std::vector<int>* route) const = 0;
  virtual EvenLoad Evenly() const = 0;
};

// The nodes of a job, in the order in which ranks fill them.
struct NodesInUse {
  int64_t node_count = 0;
  int64_t switch_count = 0;    // switches that the nodes are connected to
  double distance_links = 0;   // mean number of links between two nodes; 0 for one node
  double bisection_links = 1;  // of a cut into halves, if each cut were as narrow as the narrowest
  std::shared_ptr<const Links> links;  // null: no message passes a link that others use
  // Nodes of each switch in use, where consecutive nodes of the job share one: see EvenRun(). Of
  // each level of switches that has such a number, ascending.
  std::vector<int64_t> unit_nodes;
  Sockets sockets;
};

// The length of the runs of equal numbers, if all runs but a shorter last one are equally long and
// no number begins two of them. 0 if they are not, for a single run, and for runs of one.
int64_t EvenRun(const std::vector<int>& numbers);

class Network {
 public:
  // Reads the lines of a SwitchTree (advise/placement/switch_tree.h), or the one line of a
  // GridNetwork (advise/placement/grid_network.h); beside them, one line of sockets. A line that
  // ends with a backslash goes on in the next one. `taper_ratios` and `hop_time_s` are for switches
  // whose lines have none, see SwitchTree::Complete(). Fails as those do; INVALID_ARGUMENT (field
  // "taper_ratio") for tapers of a grid.
  static absl::StatusOr<std::unique_ptr<const Network>> Parse(
      absl::string_view text, absl::Span<const double> taper_ratios = {}, double hop_time_s = 0);

  virtual ~Network() = default;

  int64_t node_count() const { return static_cast<int64_t>(place_of_.size()); }
  virtual int64_t switch_count() const = 0;
  // The text that Parse() reads, without comments.
  std::string Text() const { return sockets_.Text() + NodesText(); }

  // The nodes that a host list names, in its order. INVALID_ARGUMENT (field "node_list") for a
  // malformed list, an unknown node, a node that occurs twice, and more than kMaxRoutedNodes of a
  // grid. `count` > 0: only the first ones; fewer than that are an error. `job_nodes` > 0: the
  // number of nodes that the caller states; more in the list are an error.
  absl::StatusOr<NodesInUse> Find(absl::string_view node_list, int64_t count,
                                  UpLinks uplinks = UpLinks::kShare, int64_t job_nodes = 0) const;

 protected:
  // The text without sockets, and nodes by their places.
  virtual std::string NodesText() const = 0;
  virtual absl::StatusOr<NodesInUse> Use(const std::vector<int>& places, UpLinks uplinks) const = 0;

  absl::flat_hash_map<std::string, int> place_of_;  // of each node

 private:
  Sockets sockets_;
};

// Seconds that a hop may take, and whether `value` may be one.
inline constexpr double kMaxHopTime_s = 1;
inline bool IsHopTime(double value) { return value >= 0 && value <= kMaxHopTime_s; }

// Nodes of a job in a grid: pairs of them are routed one by one.
inline constexpr int64_t kMaxRoutedNodes = 2'048;

}  // namespace cox::advise

#endif  // COX_ADVISE_PLACEMENT_NETWORK_H_
