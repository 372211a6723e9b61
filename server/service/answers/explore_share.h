// The check of explore_ratio, shared by GetTuning and GetDecisions. Pure, any thread.
#ifndef COX_SERVICE_ANSWERS_EXPLORE_SHARE_H_
#define COX_SERVICE_ANSWERS_EXPLORE_SHARE_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "advise/tuning/explore.h"
#include "domain/errors.h"

namespace cox::service {

// INVALID_ARGUMENT (field "explore_ratio") outside 0..advise::kMaxExploreShare, and for NaN.
inline absl::Status CheckExploreShare(double share) {
  if (share >= 0 && share <= advise::kMaxExploreShare) return absl::OkStatus();
  return domain::InvalidField("explore_ratio",
                              absl::StrCat("must be 0 to ", advise::kMaxExploreShare));
}

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_EXPLORE_SHARE_H_
