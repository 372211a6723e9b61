// Accepts one batch of observations, for the unary call and for the stream.
#ifndef COX_SERVICE_REPORT_H_
#define COX_SERVICE_REPORT_H_

#include <functional>

#include "absl/status/statusor.h"
#include "cox/v1/observation.pb.h"
#include "service/core.h"
#include "service/limits.h"

namespace cox::service {

// How a batch arrives: by a call of its own, as imports do, or in the stream of a job's agent.
enum class Arrival { kCall, kStream };

using ReportDone = std::function<void(absl::StatusOr<v1::ReportObservationsResponse>)>;

// Admits the batch to the memory of requests in progress, checks it and hands it to the store;
// `done` runs exactly once, after the commit (or after learning, if the batch awaits it) or with
// the error, on this thread or another. Does not use `principal` and `request` after the return.
// access/claim.h decides the job and source of the batch. An operator's call is an import and is
// audited; so is an operator's batch without a job. Of a batch of a job, the rows of new scenarios
// that find no room are refused alone (daemon/bounds/scenario_bound.h): the response counts them.
void Report(const Core& core, const access::Principal& principal,
            const v1::ReportObservationsRequest& request, Arrival arrival, ReportDone done);

// The rows of a report, for its memory: a sketch counts as several.
inline int64_t MemoryRowsOf(const v1::ReportObservationsRequest& request) {
  return request.observations_size() + kRowsPerSketch * request.sketches_size();
}

}  // namespace cox::service

#endif  // COX_SERVICE_REPORT_H_
