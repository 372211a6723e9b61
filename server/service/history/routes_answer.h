// Answers RecommendRoutes from the sketches of an application's jobs. Stateless, any thread; reads
// the database.
#ifndef COX_SERVICE_HISTORY_ROUTES_ANSWER_H_
#define COX_SERVICE_HISTORY_ROUTES_ANSWER_H_

#include <cox/v1/advice.pb.h>

#include "absl/status/status.h"
#include "daemon/snapshots.h"
#include "service/history/visible_names.h"
#include "store/store.h"

namespace cox::service {

// Sums up the sketches of all jobs that `visible` shows, by application, kind and shape, and
// advises for each sum. A sum without an answer says why in its `reason`; the sums that are priced
// have at most 3 million messages. CANCELLED when `is_cancelled`, asked before each sum. NOT_FOUND
// for an unknown machine and an application without sketches, INVALID_ARGUMENT (field "model") for
// "all" and NOT_FOUND for an unknown model.
absl::Status AnswerRoutes(const daemon::Snapshot& snapshot, store::Store& store,
                          const VisibleNames& visible, const v1::RecommendRoutesRequest& request,
                          const store::IsCancelled& is_cancelled,
                          v1::RecommendRoutesResponse* response);

}  // namespace cox::service

#endif  // COX_SERVICE_HISTORY_ROUTES_ANSWER_H_
