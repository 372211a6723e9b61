#include "service/convert/nodes_in_use.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"
#include "library/fingerprint.h"
#include "service/names.h"

namespace cox::service {

absl::StatusOr<std::optional<advise::NodesInUse>> NodeFinder::Find(absl::string_view machine,
                                                                   absl::string_view node_list,
                                                                   int64_t count, bool is_idle,
                                                                   int64_t job_nodes) {
  if (node_list.empty()) {
    if (!is_idle) return std::nullopt;
    return domain::InvalidField("assume_idle_switches", "needs a node_list");
  }
  const absl::StatusOr<absl::string_view> name = ParseMachine(machine, "machine");
  if (!name.ok()) return name.status();
  if (network_ == nullptr || machine_ != *name) {
    const absl::StatusOr<std::string> text = store_->GetSwitches(*name);
    if (!text.ok()) return text.status();
    if (text->empty()) {
      return absl::FailedPreconditionError(absl::StrCat("node_list: machine ", *name,
                                                        " has no switches; store them with `cox "
                                                        "machine switches ",
                                                        *name,
                                                        " --slurm /etc/slurm/topology.conf`"));
    }
    auto network = advise::Network::Parse(*text);
    if (!network.ok()) return network.status();
    machine_ = std::string(*name);
    network_ = *std::move(network);
    network_id_ = library::Fingerprint(*text);
  }
  absl::StatusOr<advise::NodesInUse> nodes = network_->Find(
      node_list, count, is_idle ? advise::UpLinks::kAll : advise::UpLinks::kShare, job_nodes);
  if (!nodes.ok()) return nodes.status();
  return *std::move(nodes);
}

void FromNodesInUse(const advise::NodesInUse& nodes, v1::NodesInUse* message) {
  message->set_node_count(nodes.node_count);
  message->set_switch_count(nodes.switch_count);
  message->set_mean_distance_count(nodes.distance_links);
  message->set_bisection_link_count(nodes.bisection_links);
}

}  // namespace cox::service
