#include "model/models/narrow_network.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace cox::model {
namespace {

constexpr double kWorthSaying = 1.25;

}  // namespace

double LinkSlowdown(const Schedule& schedule) {
  double slowdown = 0;
  for (const Phase& phase : schedule) {
    const LevelTraffic& network = phase.traffic.network;
    const double node_bytes = std::max(
        {network.node_out_bytes, network.node_in_bytes, network.out_bytes, network.in_bytes});
    if (phase.submachine.processors_count > 0 || !(node_bytes > 0)) continue;
    const double link_bytes = network.volume_bytes / 2 / schedule.whole().bisection_links;
    slowdown = std::max(slowdown, link_bytes / node_bytes);
  }
  return slowdown;
}

std::string NarrowNetworkCaveat(const Schedule& schedule) {
  const double slowdown = LinkSlowdown(schedule);
  // Without a stated network there is nothing to compare with.
  if (schedule.whole().processors_count == 0 || slowdown < kWorthSaying) return "";
  return absl::StrFormat(
      "links are not priced: if half of the bytes cross the middle of the network (%.6g links), a "
      "phase takes up to %.3g times as long (see c3)",
      schedule.whole().bisection_links, slowdown);
}

}  // namespace cox::model
