// The immutable snapshot of all machines that questions read. The learner swaps it as a whole.
//
// Load() takes no lock and reads no database; a question uses one snapshot to its end. Only the
// learner calls Publish() and Remove(), one at a time.
#ifndef COX_DAEMON_SNAPSHOTS_H_
#define COX_DAEMON_SNAPSHOTS_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advise/machine_view.h"

namespace cox::daemon {

using Snapshot = absl::flat_hash_map<std::string, std::shared_ptr<const advise::MachineView>>;

class Snapshots {
 public:
  Snapshots() : current_(std::make_shared<const Snapshot>()) {}

  std::shared_ptr<const Snapshot> Load() const { return current_.load(std::memory_order_acquire); }

  // Replaces the views of these machines in one new snapshot. Cost: a copy of all machines, so
  // publish many views together.
  void Publish(std::vector<std::shared_ptr<const advise::MachineView>> views);
  void Remove(const std::string& machine);

 private:
  std::atomic<std::shared_ptr<const Snapshot>> current_;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_SNAPSHOTS_H_
