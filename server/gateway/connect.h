// POST /Service/Method: a call of the API by the Connect protocol.
#ifndef COX_GATEWAY_CONNECT_H_
#define COX_GATEWAY_CONNECT_H_

#include <grpcpp/channel.h>
#include <grpcpp/generic/generic_stub.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/sharing/shares.h"
#include "gateway/call_gate.h"
#include "gateway/http.h"
#include "service/entry/known_callers.h"
#include "service/server.h"

namespace cox::gateway {

// Reads the header Connect-Timeout-Ms; an empty one means a minute. A value above an hour counts as
// an hour. INVALID_ARGUMENT unless the value is 1 to 10 digits.
absl::StatusOr<std::chrono::milliseconds> ParseTimeout(absl::string_view header);

// The places of open streams or of other calls, of which each caller below operator has a share
// (domain/sharing/shares.h). Any thread.
class CallPlaces {
 public:
  // `what`: "streams". A literal.
  CallPlaces(absl::string_view what, int limit) : what_(what), places_(limit) {}

  // RESOURCE_EXHAUSTED: all are taken, or the share of the ticket's caller. A call without a
  // ticket is of the caller "".
  absl::Status Take(const service::KnownCallers::Ticket* ticket);
  void GiveBack(const service::KnownCallers::Ticket* ticket);

 private:
  const absl::string_view what_;
  std::mutex mutex_;
  domain::Shares places_;  // guarded by mutex_
};

// Makes calls for requests. Any thread. Outlives the streams that it answers with.
class ConnectCaller {
 public:
  // `channel`: InProcessChannel() of `server`. At most `max_streams` streams are open at once, and
  // as many other calls of callers below operator: each call has one of the threads. When the gate
  // is closed, calls are refused and streams end. Server and gate outlive the caller.
  ConnectCaller(service::Server* server, std::shared_ptr<grpc::Channel> channel, CallGate* gate,
                int max_streams)
      : server_(server),
        stub_(std::move(channel)),
        gate_(gate),
        streams_("streams", max_streams),
        calls_("calls", max_streams) {}

  HttpResponse Answer(const HttpRequest& request);

 private:
  HttpResponse Call(const HttpRequest& request);

  service::Server* const server_;
  grpc::GenericStub stub_;
  CallGate* const gate_;
  CallPlaces streams_;
  CallPlaces calls_;
};

}  // namespace cox::gateway

#endif  // COX_GATEWAY_CONNECT_H_
