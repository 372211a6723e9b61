#include "daemon/snapshots.h"

#include <utility>

namespace cox::daemon {

void Snapshots::Publish(std::vector<std::shared_ptr<const advise::MachineView>> views) {
  auto next = std::make_shared<Snapshot>(*Load());
  for (std::shared_ptr<const advise::MachineView>& view : views) {
    std::string name = view->name;
    (*next)[std::move(name)] = std::move(view);
  }
  current_.store(std::move(next), std::memory_order_release);
}

void Snapshots::Remove(const std::string& machine) {
  auto next = std::make_shared<Snapshot>(*Load());
  next->erase(machine);
  current_.store(std::move(next), std::memory_order_release);
}

}  // namespace cox::daemon
