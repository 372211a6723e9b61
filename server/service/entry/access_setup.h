// Builds access::Access from the daemon's settings.
#ifndef COX_SERVICE_ENTRY_ACCESS_SETUP_H_
#define COX_SERVICE_ENTRY_ACCESS_SETUP_H_

#include <memory>

#include "absl/status/statusor.h"
#include "access/access.h"
#include "access/quotas.h"
#include "daemon/config.h"

namespace cox::service {

// INVALID_ARGUMENT or NOT_FOUND for wrong `roles` and `anonymous-role`. Touches no file.
absl::Status CheckAccessSettings(const daemon::Config& config);

// Reads the tokens and Slurm's key. Fails as CheckAccessSettings(), Tokens::Open(),
// SlurmKey::Open() and Access::Make() do.
absl::StatusOr<std::unique_ptr<access::Access>> MakeAccess(const daemon::Config& config);

// The limits of each principal.
std::unique_ptr<access::Quotas> MakeQuotas(const daemon::Config& config);

}  // namespace cox::service

#endif  // COX_SERVICE_ENTRY_ACCESS_SETUP_H_
