#include "advise/placement/job_links.h"

#include <algorithm>
#include <cmath>

namespace cox::advise {

int JobLinks::count() const {
  if (nodes_.sockets.count == 1) return between_nodes_;
  // Out of each socket and into it.
  return between_nodes_ + 2 * static_cast<int>(nodes_.node_count) * nodes_.sockets.count;
}

double JobLinks::ByteTime(int link) const {
  if (IsBetweenNodes(link)) return prices_.network_byte_s / nodes_.links->width(link);
  return prices_.socket_byte_s / SocketWidth();
}

double JobLinks::AddRoute(int64_t source, int64_t destination, std::vector<int>* route) const {
  const auto from = static_cast<int>(scenario_.NodeOf(source));
  const auto to = static_cast<int>(scenario_.NodeOf(destination));
  if (from != to) return between_nodes_ == 0 ? 0 : nodes_.links->AddRoute(from, to, route);
  const int here = SocketOf(source);
  const int there = SocketOf(destination);
  if (here == there) return 0;
  const int first = between_nodes_ + 2 * from * nodes_.sockets.count;
  route->push_back(first + 2 * here);
  route->push_back(first + 2 * there + 1);
  return prices_.socket_hop_s;
}

JobLinks::Even JobLinks::Evenly(const model::Traffic& traffic) const {
  Even even;
  const auto n = static_cast<double>(nodes_.node_count);
  const auto ppn = static_cast<double>(scenario_.ppn);
  if (between_nodes_ > 0 && traffic.network.messages_count > 0) {
    const EvenLoad load = nodes_.links->Evenly();
    even.switch_s =
        traffic.network.volume_bytes / (n * (n - 1)) * load.link_bytes * prices_.network_byte_s;
    even.latency_s = load.latency_s;
  }
  if (nodes_.sockets.count > 1 && ppn > 1 && traffic.node.messages_count > 0) {
    const double ranks = RanksOfSocket();
    const double bytes = traffic.node.volume_bytes / (n * ppn * (ppn - 1)) * ranks * (ppn - ranks);
    even.socket_s = bytes * prices_.socket_byte_s / SocketWidth();
    even.latency_s = std::max(even.latency_s, prices_.socket_hop_s);
  }
  return even;
}

int JobLinks::SocketOf(int64_t rank) const {
  const bool in_blocks = scenario_.placement == strategy::Placement::kBlock;
  const int64_t slot = in_blocks ? rank % scenario_.ppn : rank / scenario_.node_count();
  return nodes_.sockets.Of(slot, scenario_.ppn);
}

double JobLinks::CrossingShare() const {
  if (!HaveSockets(nodes_, scenario_)) return 0;
  const auto ppn = static_cast<double>(scenario_.ppn);
  // Of the rank that sends most to other sockets: at the one with the fewest ranks.
  const double fewest = std::max(1.0, std::floor(ppn / nodes_.sockets.count));
  return (ppn - fewest) / (ppn - 1);
}

double JobLinks::RanksOfSocket() const {
  return std::ceil(static_cast<double>(scenario_.ppn) / nodes_.sockets.count);
}

double JobLinks::SocketWidth() const { return RanksOfSocket() / nodes_.sockets.taper; }

}  // namespace cox::advise
