// Finds the store's records of a machine and converts them for the models. Any thread.
#ifndef COX_DAEMON_STORED_PROFILE_H_
#define COX_DAEMON_STORED_PROFILE_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/profile.h"
#include "domain/shape.h"
#include "store/records.h"
#include "store/store.h"

namespace cox::daemon {

// An unknown topology counts as a crossbar.
domain::Shape ShapeOf(const store::MachineRecord& record);

// Without the machine's shape, and with at most model::kMaxPieces pieces of a parameter.
domain::Profile ProfileOf(const store::ProfileRecord& record);

// The newest revision that is not a refinement: somebody set it. Errors are the store's.
absl::StatusOr<std::optional<store::ProfileRecord>> LastStatedProfile(store::Store& store,
                                                                      absl::string_view machine);

}  // namespace cox::daemon

#endif  // COX_DAEMON_STORED_PROFILE_H_
