#include "access/claim.h"

#include "absl/strings/str_cat.h"

namespace cox::access {
namespace {

std::string OwnJob(const Principal& principal, const std::string& job) {
  return job.empty() ? job : absl::StrCat(principal.name, "/", job);
}

}  // namespace

absl::StatusOr<Claim> ClaimOf(const Principal& principal, const std::string& job,
                              const std::string& source) {
  if (!principal.job.empty() && !job.empty() && job != principal.job) {
    return absl::PermissionDeniedError(
        absl::StrCat("job: this token may report for job \"", principal.job, "\" only"));
  }
  if (principal.role >= Role::kOperator) return Claim{.job = job, .source = source};
  const std::string& stated = principal.job.empty() ? job : principal.job;
  return Claim{.job = OwnJob(principal, stated), .source = principal.name};
}

std::string JobMeant(const Principal& principal, const std::string& job) {
  const bool names_whose = job.find('/') != std::string::npos;
  return principal.role == Role::kReporter && !names_whose ? OwnJob(principal, job) : job;
}

}  // namespace cox::access
