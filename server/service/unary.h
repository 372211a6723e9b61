// How a unary call is answered: at once, or from the blocking pool.
#ifndef COX_SERVICE_UNARY_H_
#define COX_SERVICE_UNARY_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <utility>

#include "absl/status/status.h"
#include "daemon/blocking_pool.h"
#include "service/status.h"

namespace cox::service {

// Answers at once; the response is filled already.
inline grpc::ServerUnaryReactor* Finish(grpc::CallbackServerContext* context,
                                        const absl::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(ToGrpc(status));
  return reactor;
}

// Runs `handler` (an absl::Status()) on the pool and answers with what it returns. The messages it
// captures by pointer live until then.
template <typename Handler>
grpc::ServerUnaryReactor* FinishFromPool(daemon::BlockingPool& pool,
                                         grpc::CallbackServerContext* context, Handler handler) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const absl::Status taken = pool.Run(
      [reactor, handler = std::move(handler)]() mutable { reactor->Finish(ToGrpc(handler())); });
  if (!taken.ok()) reactor->Finish(ToGrpc(taken));
  return reactor;
}

}  // namespace cox::service

#endif  // COX_SERVICE_UNARY_H_
