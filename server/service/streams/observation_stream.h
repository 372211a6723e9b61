// One StreamObservations stream.
#ifndef COX_SERVICE_STREAMS_OBSERVATION_STREAM_H_
#define COX_SERVICE_STREAMS_OBSERVATION_STREAM_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <functional>

#include "cox/v1/observation.pb.h"
#include "daemon/blocking_pool.h"
#include "service/report.h"
#include "service/streams/open_calls.h"
#include "service/streams/stream_registry.h"

namespace cox::service {

// Starts a stream: batches are read ahead while earlier ones commit (at most
// kMaxBatchesInFlightPerStream), answers are written in the order of the batches. `take` takes each
// batch as Report() does; large ones are parsed and taken on `parsers`. A batch that would
// take far more memory than it has bytes is answered with INVALID_ARGUMENT, like one with bad rows.
// Another message that cannot be parsed ends the stream with INVALID_ARGUMENT. A stream that ends
// and whose client does not take an answer is cut off (`calls`). The reactor owns itself;
// `streams`, `calls` and `parsers` outlive it.
using TakeBatch =
    std::function<void(const access::Principal& principal,
                       const v1::ReportObservationsRequest& request, ReportDone done)>;
using ObservationReactor =
    grpc::ServerBidiReactor<grpc::ByteBuffer, v1::StreamObservationsResponse>;
ObservationReactor* StartObservationStream(StreamRegistry* streams, OpenCalls* calls,
                                           grpc::CallbackServerContext* context,
                                           daemon::BlockingPool* parsers,
                                           const access::Principal& principal, TakeBatch take);

}  // namespace cox::service

#endif  // COX_SERVICE_STREAMS_OBSERVATION_STREAM_H_
