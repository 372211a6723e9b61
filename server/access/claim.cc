#include "access/claim.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "domain/principal_name.h"

namespace cox::access {
namespace {

std::string OwnJob(const Principal& principal, const std::string& job) {
  return job.empty() ? job : absl::StrCat(principal.name, "/", job);
}

// A name that begins with `of` and a part of it.
bool IsPartOf(absl::string_view job, absl::string_view of) {
  if (!absl::ConsumePrefix(&job, of)) return false;
  return job.empty() || job[0] == '.' || job[0] == '@';
}

// Of a report that states `job`, by a principal that is for one job.
absl::StatusOr<std::string> JobWithin(const Principal& principal, const std::string& job) {
  if (job.empty()) return principal.job;
  if (principal.kind == Principal::Kind::kJob) {
    return IsPartOf(job, principal.job) ? job : absl::StrCat(principal.job, ".", job);
  }
  // Its agents on several nodes report as JOB@NODE.
  if (job == principal.job || absl::StartsWith(job, absl::StrCat(principal.job, "@"))) return job;
  return absl::PermissionDeniedError(
      absl::StrCat("job: this token may report for job \"", principal.job, "\" only"));
}

}  // namespace

absl::StatusOr<Claim> ClaimOf(const Principal& principal, const std::string& job,
                              const std::string& source) {
  absl::StatusOr<std::string> stated = principal.job.empty() ? job : JobWithin(principal, job);
  if (!stated.ok()) return stated.status();
  if (principal.role >= Role::kOperator) return Claim{.job = *stated, .source = source};
  return Claim{.job = OwnJob(principal, *stated), .source = principal.name};
}

std::string JobMeant(const Principal& principal, const std::string& job) {
  const bool names_whose = job.find('/') != std::string::npos;
  return principal.role == Role::kReporter && !names_whose ? OwnJob(principal, job) : job;
}

bool IsOwnJob(const Principal& principal, absl::string_view stored_job) {
  // All anonymous callers are one principal, who may be anybody.
  if (principal.kind == Principal::Kind::kAnonymous) return false;
  if (!absl::ConsumePrefix(&stored_job, absl::StrCat(principal.name, "/"))) return false;
  // Behind the name of a relay are those of its users.
  return !domain::IsPrincipalName(domain::PrincipalOfJob(stored_job));
}

bool IsOwnSource(const Principal& principal, absl::string_view stored_source) {
  return principal.kind != Principal::Kind::kAnonymous && stored_source == principal.name;
}

}  // namespace cox::access
