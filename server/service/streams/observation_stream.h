// One StreamObservations stream.
#ifndef COX_SERVICE_STREAMS_OBSERVATION_STREAM_H_
#define COX_SERVICE_STREAMS_OBSERVATION_STREAM_H_

#include <grpcpp/support/server_callback.h>

#include "cox/v1/observation.pb.h"
#include "service/core.h"

namespace cox::service {

// Starts a stream: batches are read ahead while earlier ones commit (at most
// kMaxBatchesInFlightPerStream), answers are written in the order of the batches. The reactor owns
// itself.
grpc::ServerBidiReactor<v1::StreamObservationsRequest, v1::StreamObservationsResponse>*
StartObservationStream(const Core& core, const access::Principal& principal);

}  // namespace cox::service

#endif  // COX_SERVICE_STREAMS_OBSERVATION_STREAM_H_
