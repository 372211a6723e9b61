// Finishes a unary call at once, or from the blocking pool.
#ifndef COX_SERVICE_UNARY_H_
#define COX_SERVICE_UNARY_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "daemon/blocking_pool.h"
#include "service/entry/door.h"
#include "service/status.h"

namespace cox::service {

// Answers at once; the response is filled already.
inline grpc::ServerUnaryReactor* Finish(grpc::CallbackServerContext* context,
                                        const absl::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(ToGrpc(status));
  return reactor;
}

// Whether the client no longer waits for a call: it cancelled, went away, or its deadline
// passed. Any thread, until the call is finished.
inline std::function<bool()> CancelledBy(grpc::CallbackServerContext* context) {
  return [context] { return context->IsCancelled(); };
}

// Whose turn a call of minutes is, such as a backup: the other calls of the same operator do not
// wait for it.
inline std::string TurnOfLongCall() { return absl::StrCat(CallingPrincipal().name, ", long"); }

// Runs `handler` (an absl::Status()) on the pool, in turn with other callers, and answers with its
// status. `turn`: whose turn it is; "": the caller's. The messages it captures by pointer live
// until then. A call that was cancelled while it waited costs nothing.
template <typename Handler>
grpc::ServerUnaryReactor* FinishFromPool(daemon::BlockingPool& pool,
                                         grpc::CallbackServerContext* context, Handler handler,
                                         const std::string& turn = "") {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  auto run = [reactor, context, handler = std::move(handler)]() mutable {
    const bool is_cancelled = context->IsCancelled();
    reactor->Finish(ToGrpc(
        is_cancelled ? absl::CancelledError("the call was cancelled while it waited") : handler()));
  };
  const absl::Status taken =
      pool.Run(turn.empty() ? CallingPrincipal().name : turn, std::move(run));
  if (!taken.ok()) reactor->Finish(ToGrpc(taken));
  return reactor;
}

}  // namespace cox::service

#endif  // COX_SERVICE_UNARY_H_
