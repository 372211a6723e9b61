#include "service/snapshots.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "service/names.h"

namespace cox::service {

void Snapshots::Publish(std::shared_ptr<const advise::MachineView> view) {
  auto next = std::make_shared<Snapshot>(*Load());
  std::string name = view->name;
  (*next)[std::move(name)] = std::move(view);
  current_.store(std::move(next), std::memory_order_release);
}

void Snapshots::Remove(const std::string& machine) {
  auto next = std::make_shared<Snapshot>(*Load());
  next->erase(machine);
  current_.store(std::move(next), std::memory_order_release);
}

absl::StatusOr<const advise::MachineView*> FindMachine(const Snapshot& snapshot,
                                                       absl::string_view name,
                                                       absl::string_view field) {
  const absl::StatusOr<absl::string_view> machine = ParseMachine(name, field);
  if (!machine.ok()) return machine.status();
  const auto found = snapshot.find(*machine);
  if (found == snapshot.end()) {
    return absl::NotFoundError(absl::StrCat(field, ": there is no machine \"", *machine,
                                            "\"; `cox machine list` shows those there are, ",
                                            "`cox machine import FILE` registers one"));
  }
  return found->second.get();
}

}  // namespace cox::service
