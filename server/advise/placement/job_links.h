// All links that a job's messages pass: those between nodes, and those between the sockets of a
// node. Pure; any thread.
#ifndef COX_ADVISE_PLACEMENT_JOB_LINKS_H_
#define COX_ADVISE_PLACEMENT_JOB_LINKS_H_

#include <cstdint>
#include <vector>

#include "advise/placement/network.h"
#include "model/schedule.h"
#include "strategy/scenario.h"

namespace cox::advise {

// What a model, or the machine's description, says of messages between two ranks alone.
struct LinkPrices {
  double network_byte_s = 0;
  double socket_byte_s = 0;  // between sockets of a node
  double socket_hop_s = 0;   // that a message between sockets takes longer
};

class JobLinks {
 public:
  // Keeps references.
  JobLinks(const NodesInUse& nodes, const strategy::Scenario& scenario, const LinkPrices& prices)
      : nodes_(nodes),
        scenario_(scenario),
        prices_(prices),
        between_nodes_(nodes.links == nullptr ? 0 : static_cast<int>(nodes.links->count())) {}

  // Whether there is any; whether there are some between sockets.
  static bool Exist(const NodesInUse& nodes, const strategy::Scenario& scenario) {
    return nodes.links != nullptr || HaveSockets(nodes, scenario);
  }
  static bool HaveSockets(const NodesInUse& nodes, const strategy::Scenario& scenario) {
    return nodes.sockets.count > 1 && scenario.ppn > 1;
  }

  int count() const;
  // Else it is between sockets.
  bool IsBetweenNodes(int link) const { return link < between_nodes_; }
  // Seconds of a byte over a node's own link, which is not among these.
  double node_byte_s() const { return prices_.network_byte_s; }
  // Seconds of a byte over a link.
  double ByteTime(int link) const;
  // Appends the links on the way between two ranks. Returns the seconds by which this way is longer
  // than that of neighbours.
  double AddRoute(int64_t source, int64_t destination, std::vector<int>* route) const;

  // Whether two ranks are at two sockets of one node.
  bool CrossesSockets(int64_t source, int64_t destination) const {
    return scenario_.NodeOf(source) == scenario_.NodeOf(destination) &&
           SocketOf(source) != SocketOf(destination);
  }
  // Of a node's other ranks the share that is at other sockets, for the rank where it is largest.
  double CrossingShare() const;

  // Seconds of the busiest link between nodes and between sockets, and the longest way, if all
  // pairs of nodes share the network's bytes, and all pairs of ranks of a node the node's. Messages
  // without bytes have the longest way, too.
  struct Even {
    double switch_s = 0;
    double socket_s = 0;
    double latency_s = 0;
  };
  Even Evenly(const model::Traffic& traffic) const;

 private:
  int SocketOf(int64_t rank) const;
  // Most ranks of a job's node at one socket.
  double RanksOfSocket() const;
  // Links of a rank in its node that lead from a socket to others.
  double SocketWidth() const;

  const NodesInUse& nodes_;
  const strategy::Scenario& scenario_;
  const LinkPrices prices_;
  const int between_nodes_;  // the number of these links, which come first
};

}  // namespace cox::advise

#endif  // COX_ADVISE_PLACEMENT_JOB_LINKS_H_
