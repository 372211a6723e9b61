// GetAccuracy: each model's error against the observations of a snapshot.
#ifndef COX_SERVICE_ANSWERS_ACCURACY_ANSWER_H_
#define COX_SERVICE_ANSWERS_ACCURACY_ANSWER_H_

#include "absl/status/status.h"
#include "cox/v1/advice.pb.h"
#include "daemon/snapshots.h"
#include "domain/sharing/caller_watch.h"
#include "service/answers/revision_views.h"

namespace cox::service {

// NOT_FOUND for an unknown machine, revision or collective; a library without observations has no
// rows. CANCELLED.
absl::Status AnswerAccuracy(const daemon::Snapshot& snapshot, const v1::GetAccuracyRequest& request,
                            RevisionViews* revisions, const domain::IsCancelled& is_cancelled,
                            v1::GetAccuracyResponse* response);

}  // namespace cox::service

#endif  // COX_SERVICE_ANSWERS_ACCURACY_ANSWER_H_
