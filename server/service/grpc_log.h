// gRPC's own messages in the daemon's log.
#ifndef COX_SERVICE_GRPC_LOG_H_
#define COX_SERVICE_GRPC_LOG_H_

namespace cox::service {

// From now on gRPC's messages are lines of the daemon's log, at most ten in ten seconds: clients
// can cause them with malformed requests. For the whole process; call it before the server starts.
void TakeGrpcLog();

}  // namespace cox::service

#endif  // COX_SERVICE_GRPC_LOG_H_
