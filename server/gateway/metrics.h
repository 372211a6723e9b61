// The daemon's metrics, in Prometheus's format. docs/http.md lists the metrics.
//
// Any thread.
#ifndef COX_GATEWAY_METRICS_H_
#define COX_GATEWAY_METRICS_H_

#include <grpcpp/support/server_interceptor.h>
#include <grpcpp/support/status.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include "absl/container/node_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "service/facts.h"

namespace cox::gateway {

class Metrics {
 public:
  Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // One method's series.
  class Method {
   public:
    Method(std::string name, Metrics* metrics);
    void Begin() { metrics_->rpc_in_flight_.Increment(); }
    // A call has ended; `seconds` < 0: do not count its time (a stream's is its client's choice).
    void End(grpc::StatusCode code, double seconds);

   private:
    Metrics* const metrics_;
    const std::string name_;
    prometheus::Histogram& seconds_;
    // By code; null until a call ended with it.
    std::array<std::atomic<prometheus::Counter*>, grpc::StatusCode::UNAUTHENTICATED + 1> calls_{};
  };
  // `path`: "/cox.v1.AdviceService/Recommend". The same path gives the same object.
  Method& OfMethod(absl::string_view path);

  void CountHttpResponse(int status);

  // All metrics in Prometheus's text format. `is_writable`: whether the database takes writes.
  std::string Text(const absl::StatusOr<service::Facts>& facts, bool is_writable,
                   size_t http_connections) const;

 private:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& rpc_calls_;
  prometheus::Family<prometheus::Histogram>& rpc_seconds_;
  prometheus::Gauge& rpc_in_flight_;
  prometheus::Family<prometheus::Counter>& http_responses_;

  std::mutex mutex_;
  absl::node_hash_map<std::string, Method> methods_;
};

// Counts and times every call of a server in `metrics`.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeInterceptor(
    std::shared_ptr<Metrics> metrics);

}  // namespace cox::gateway

#endif  // COX_GATEWAY_METRICS_H_
