// One StreamObservations stream.
#ifndef COX_SERVICE_STREAMS_OBSERVATION_STREAM_H_
#define COX_SERVICE_STREAMS_OBSERVATION_STREAM_H_

#include <grpcpp/support/server_callback.h>

#include <functional>

#include "cox/v1/observation.pb.h"
#include "service/report.h"
#include "service/streams/stream_registry.h"

namespace cox::service {

// Starts a stream: batches are read ahead while earlier ones commit (at most
// kMaxBatchesInFlightPerStream), answers are written in the order of the batches. `take` takes each
// batch as Report() does. The reactor owns itself.
using TakeBatch =
    std::function<void(const access::Principal& principal,
                       const v1::ReportObservationsRequest& request, ReportDone done)>;
grpc::ServerBidiReactor<v1::StreamObservationsRequest, v1::StreamObservationsResponse>*
StartObservationStream(StreamRegistry* streams, const access::Principal& principal, TakeBatch take);

}  // namespace cox::service

#endif  // COX_SERVICE_STREAMS_OBSERVATION_STREAM_H_
