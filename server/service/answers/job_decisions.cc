#include "service/answers/job_decisions.h"

#include "absl/strings/str_cat.h"
#include "advise/tuning/explore.h"
#include "domain/errors.h"

namespace cox::service {

std::string KeyOf(v1::GetDecisionsRequest request) {
  request.clear_etag();
  request.DiscardUnknownFields();
  return absl::StrCat("decisions:", request.SerializeAsString());
}

std::string KeyOf(v1::GetTuningRequest request) {
  request.clear_etag();
  request.clear_command();
  request.DiscardUnknownFields();
  return absl::StrCat("tuning:", request.SerializeAsString());
}

absl::Status CheckExploreShare(double share) {
  if (share >= 0 && share <= advise::kMaxExploreShare) return absl::OkStatus();
  return domain::InvalidField("explore_ratio",
                              absl::StrCat("must be 0 to ", advise::kMaxExploreShare));
}

}  // namespace cox::service
