#include "service/answers/find_machine.h"

#include "absl/strings/str_cat.h"
#include "service/names.h"

namespace cox::service {

absl::StatusOr<const advise::MachineView*> FindMachine(const daemon::Snapshot& snapshot,
                                                       absl::string_view name,
                                                       absl::string_view field) {
  const absl::StatusOr<absl::string_view> machine = ParseMachine(name, field);
  if (!machine.ok()) return machine.status();
  const auto found = snapshot.find(*machine);
  if (found == snapshot.end()) {
    return absl::NotFoundError(absl::StrCat(field, ": there is no machine \"", *machine,
                                            "\"; `cox machine list` lists all machines, ",
                                            "`cox machine import FILE` registers one"));
  }
  return found->second.get();
}

}  // namespace cox::service
