// The coxd behind a relay: sends it batches, and asks it the questions of the relay's clients.
//
// Several addresses are used one at a time; the next one after a failure, or after some seconds in
// which all calls waited in vain. Each call has the relay's own token. Any thread; Send() from one.
#ifndef COX_RELAY_UPSTREAM_H_
#define COX_RELAY_UPSTREAM_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cox/v1/access.grpc.pb.h"
#include "cox/v1/observation.grpc.pb.h"
#include "daemon/config.h"
#include "daemon/host/log_limit.h"
#include "store/outbox.h"

namespace cox::relay {

class Upstream {
 public:
  // Reads the certificates of `config`, and again when they change; connects at the first call.
  // NOT_FOUND if a file cannot be read, FAILED_PRECONDITION if every user may read the token.
  static absl::StatusOr<std::unique_ptr<Upstream>> Open(const daemon::Config& config);
  // Cancels, and waits until no `done` of Report() runs.
  ~Upstream();
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;

  // Sends the batches (serialised StreamObservationsRequests) on one stream and waits for the
  // responses, at most half a minute. Returns those that came, in order.
  std::vector<v1::StreamObservationsResponse> Send(const std::vector<store::WaitingBatch>& batches);
  // Ends the running Send() and Report()s. A later Send() returns nothing, a later Report() fails.
  void Cancel();

  // Passes a call on as it is. `done` runs later, on a thread of gRPC, or at once if the relay's
  // token cannot be read; until then the other arguments live. `context` has the caller's deadline.
  void Ask(const std::string& method, grpc::ClientContext* context, const grpc::ByteBuffer* request,
           grpc::ByteBuffer* response, std::function<void(grpc::Status)> done);
  // Waits for the jobs that have ended, from the coxd that is used now.
  grpc::Status ListEndedJobs(grpc::ClientContext* context, const v1::ListEndedJobsRequest& request,
                             v1::ListEndedJobsResponse* response);
  // Like Ask(), for a batch without a job, which coxd cannot recognise when it comes again. Ends
  // with UNAVAILABLE if Cancel() does.
  void Report(grpc::ClientContext* context, const v1::ReportObservationsRequest* request,
              v1::ReportObservationsResponse* response, std::function<void(grpc::Status)> done);

 private:
  Upstream(std::vector<std::shared_ptr<grpc::Channel>> channels, std::string token_file)
      : channels_(std::move(channels)), token_file_(std::move(token_file)) {}

  // A call on its way.
  struct Attempt {
    size_t used;  // as used_ was
    std::chrono::steady_clock::time_point begin;
  };

  const std::shared_ptr<grpc::Channel>& Channel(size_t used) const;
  Attempt Begin() const;
  // How the call ended says whether the next one goes to the next coxd.
  void LearnFrom(const Attempt& attempt, grpc::StatusCode code);
  // Once, however many calls ask for it.
  void Leave(size_t used);
  // UNAVAILABLE if the file has no token now: a call without it would be in another name. Keeps the
  // last one while every user may read or write the file.
  absl::Status Sign(grpc::ClientContext* context);
  void TellBroken(const grpc::Status& status);

  const std::vector<std::shared_ptr<grpc::Channel>> channels_;
  const std::string token_file_;  // "": none
  std::atomic<size_t> used_ = 0;  // modulo the number of channels
  std::mutex silence_mutex_;      // guards the next two
  // How long calls have waited in vain for the used coxd since it answered last. A moment in which
  // several waited counts once.
  std::chrono::steady_clock::duration silence_{0};
  std::chrono::steady_clock::time_point counted_until_{};
  daemon::LogLimit refusals_{1, 60'000'000};
  daemon::LogLimit open_files_{1, 60'000'000};
  std::mutex mutex_;   // guards all below
  std::string token_;  // the last good one
  std::condition_variable report_has_ended_;
  grpc::ClientContext* sending_ = nullptr;
  absl::flat_hash_set<grpc::ClientContext*> reporting_;
  int unfinished_reports_ = 0;  // those of reporting_, and those whose `done` still runs
  bool cancelled_ = false;
};

}  // namespace cox::relay

#endif  // COX_RELAY_UPSTREAM_H_
