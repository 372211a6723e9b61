// One WatchProfile stream.
#ifndef COX_SERVICE_STREAMS_PROFILE_WATCH_H_
#define COX_SERVICE_STREAMS_PROFILE_WATCH_H_

#include <grpcpp/support/server_callback.h>

#include <string>

#include "cox/v1/machine.pb.h"
#include "service/core.h"

namespace cox::service {

// Starts a stream that sends the active profile (if there is one) and every later one. A client
// that reads slower than profiles change gets the newest and misses those between. A client that
// loses access and takes nothing is cut off (OpenCalls). The reactor owns itself.
grpc::ServerWriteReactor<v1::Profile>* StartProfileWatch(const Core& core,
                                                         grpc::CallbackServerContext* context,
                                                         const access::Principal& principal,
                                                         const std::string& parent);

}  // namespace cox::service

#endif  // COX_SERVICE_STREAMS_PROFILE_WATCH_H_
