// Tells a client that its request is malformed.
#ifndef COX_SERVICE_ENTRY_MALFORMED_H_
#define COX_SERVICE_ENTRY_MALFORMED_H_

#include <grpcpp/support/server_interceptor.h>

#include <memory>

namespace cox::service {

// gRPC 1.51 parses a request before its handler runs and answers one that it cannot parse with
// UNIMPLEMENTED and no text. The interceptors of this factory turn that into INVALID_ARGUMENT with
// the name of the message. Streams from the client parse their messages themselves
// (streams/checked_parse.h).
//
// Any thread.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeMalformedInterceptor();

}  // namespace cox::service

#endif  // COX_SERVICE_ENTRY_MALFORMED_H_
