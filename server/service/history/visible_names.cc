#include "service/history/visible_names.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "access/claim.h"

namespace cox::service {
namespace {

absl::Status Denied(absl::string_view field, absl::string_view name) {
  return absl::PermissionDeniedError(absl::StrCat(
      field, ": \"", name,
      "\" is not yours; this site hides the jobs of others (hide-foreign-jobs), ask an "
      "operator"));
}

}  // namespace

VisibleNames::VisibleNames(bool site_hides, access::Principal principal)
    : hides_(site_hides && principal.role < access::Role::kOperator),
      principal_(std::move(principal)) {}

bool VisibleNames::ShowsJob(const std::string& stored_job) const {
  return !hides_ || access::IsOwnJob(principal_, stored_job);
}

bool VisibleNames::ShowsSource(const std::string& stored_source) const {
  return !hides_ || access::IsOwnSource(principal_, stored_source);
}

absl::Status VisibleNames::Check(const std::string& stored_job,
                                 const std::string& stored_source) const {
  if (!stored_job.empty() && !ShowsJob(stored_job)) return Denied("job", stored_job);
  if (!stored_source.empty() && !ShowsSource(stored_source)) {
    return Denied("source", stored_source);
  }
  return absl::OkStatus();
}

}  // namespace cox::service
