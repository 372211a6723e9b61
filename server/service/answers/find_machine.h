// The machine that a request names. Pure, any thread.
#ifndef COX_SERVICE_ANSWERS_FIND_MACHINE_H_
#define COX_SERVICE_ANSWERS_FIND_MACHINE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advise/machine_view.h"
#include "daemon/snapshots.h"

namespace cox::service {

// The machine that `name` ("machines/{machine}" or bare) names in `snapshot`. INVALID_ARGUMENT
// naming `field` for a malformed name, NOT_FOUND saying how to register one. The view lives as long
// as the snapshot.
absl::StatusOr<const advise::MachineView*> FindMachine(const daemon::Snapshot& snapshot,
                                                       absl::string_view name,
                                                       absl::string_view field);

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_FIND_MACHINE_H_
