// Where a job's nodes are: stored switches and a host list in, nodes in use out. Any thread; waits
// for the store.
#ifndef COX_SERVICE_CONVERT_NODES_IN_USE_H_
#define COX_SERVICE_CONVERT_NODES_IN_USE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advise/placement/network.h"
#include "cox/v1/machine.pb.h"
#include "store/store.h"

namespace cox::service {

// Remembers the last machine's network, for a batch about one machine. One thread.
class NodeFinder {
 public:
  explicit NodeFinder(store::Store* store) : store_(store) {}

  // The first `count` nodes of the list; nullopt for an empty list. `machine`: as in a request.
  // `is_idle`: no other job uses their switches. `job_nodes`: as Network::Find() has it.
  // FAILED_PRECONDITION if nobody stored the machine's switches; fails as Network::Find() does.
  // INVALID_ARGUMENT (field "assume_idle_switches") if that is said without a list.
  absl::StatusOr<std::optional<advise::NodesInUse>> Find(absl::string_view machine,
                                                         absl::string_view node_list, int64_t count,
                                                         bool is_idle, int64_t job_nodes = 0);

  // Names what the last list was looked up in: SetSwitches changes it. Empty without a list.
  const std::string& network_id() const { return network_id_; }

 private:
  store::Store* store_;
  std::string machine_;
  std::unique_ptr<const advise::Network> network_;
  std::string network_id_;
};

void FromNodesInUse(const advise::NodesInUse& nodes, v1::NodesInUse* message);

}  // namespace cox::service

#endif  // COX_SERVICE_CONVERT_NODES_IN_USE_H_
