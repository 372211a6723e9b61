#include "gateway/gateway.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <utility>

#include "gateway/call_gate.h"
#include "gateway/connect.h"
#include "gateway/dashboard_files.h"
#include "gateway/page.h"
#include "gateway/recent_facts.h"
#include "gateway/transport/self_check.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "service/status.h"

namespace cox::gateway {
namespace {

constexpr std::chrono::seconds kHealthTimeout{1};
// Calls answer in milliseconds; the bound is for those that wait for something.
constexpr std::chrono::seconds kDrainTime{2};
constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

HttpResponse PlainText(int status, std::string text) {
  HttpResponse response;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::move(text);
  response.headers = {{"Cache-Control", "no-store"}};
  return response;
}

class ServerGateway : public Gateway {
 public:
  ServerGateway(const HttpLimits& limits, service::Server* server, std::shared_ptr<Metrics> metrics)
      : server_(server),
        metrics_(std::move(metrics)),
        facts_([server] { return server->ReadFacts(); }),
        channel_(server->InProcessChannel()),
        // Streams stay long; half of the threads are for all others.
        caller_(server, channel_, &gate_, static_cast<int>(limits.connections / 2)) {}

  absl::Status Listen(const std::string& address, const HttpLimits& limits) {
    auto http = HttpServer::Listen(
        address, limits, [this](const HttpRequest& request) { return Answer(request); },
        [metrics = metrics_](int status) { metrics->CountHttpResponse(status); },
        server_->tls_files());
    if (!http.ok()) return http.status();
    http_ = *std::move(http);
    http_->Serve();
    return absl::OkStatus();
  }

  ~ServerGateway() override { Drain(); }

  std::string address() const override { return http_->address(); }

  bool Answers(std::chrono::microseconds timeout) const override {
    return AnswersHttp(http_->address(), server_->tls_files() != nullptr, timeout);
  }

  void Drain() override { gate_.Close(kDrainTime); }

 private:
  HttpResponse Answer(const HttpRequest& request) {
    HttpResponse response = request.method == "POST" ? caller_.Answer(request) : Get(request);
    response.headers.emplace_back("X-Content-Type-Options", "nosniff");
    return response;
  }

  HttpResponse Get(const HttpRequest& request) {
    static constexpr struct {
      absl::string_view path;
      HttpResponse (ServerGateway::*answer)(const HttpRequest& request);
    } kPages[] = {
        {"/healthz", &ServerGateway::Healthz},
        {"/readyz", &ServerGateway::Readyz},
        {"/metrics", &ServerGateway::MetricsText},
    };
    for (const auto& page : kPages) {
      if (page.path == request.path) return (this->*page.answer)(request);
    }
    auto page = AnswerPage(request, DashboardFiles());
    return page ? *std::move(page) : PlainText(404, "Not found. / lists what coxd serves.\n");
  }

  HttpResponse Healthz(const HttpRequest& /*request*/) { return PlainText(200, "ok\n"); }

  HttpResponse Readyz(const HttpRequest& /*request*/) {
    if (!gate_.Enter()) return PlainText(503, "not ready: the daemon is ending\n");
    HttpResponse response = Health();
    gate_.Leave();
    return response;
  }

  HttpResponse Health() {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kHealthTimeout);
    grpc::health::v1::HealthCheckResponse health;
    const grpc::Status status =
        grpc::health::v1::Health::NewStub(channel_)->Check(&context, {}, &health);
    if (!status.ok()) {
      return PlainText(503, "not ready: the health service says: " + status.error_message() + "\n");
    }
    if (health.status() != grpc::health::v1::HealthCheckResponse::SERVING) {
      return PlainText(
          503, "not ready: the health service says " +
                   grpc::health::v1::HealthCheckResponse::ServingStatus_Name(health.status()) +
                   "\n");
    }
    return PlainText(200, "ready\n");
  }

  HttpResponse MetricsText(const HttpRequest& request) {
    const absl::Status allowed =
        server_->CheckViewer(std::string(request.Header("authorization")), request.is_encrypted);
    if (!allowed.ok()) return ErrorResponse(service::ToGrpc(allowed));
    HttpResponse response = PlainText(
        200, metrics_->Text(*facts_.Get(), server_->IsStoreWritable(), http_->open_connections()));
    response.content_type = kMetricsType;
    return response;
  }

  service::Server* const server_;
  const std::shared_ptr<Metrics> metrics_;
  RecentFacts facts_;
  const std::shared_ptr<grpc::Channel> channel_;
  CallGate gate_;
  ConnectCaller caller_;
  std::unique_ptr<HttpServer> http_;  // goes first: it calls all the others
};

}  // namespace

absl::StatusOr<std::unique_ptr<Gateway>> Gateway::Start(const std::string& address,
                                                        const HttpLimits& limits,
                                                        service::Server* server,
                                                        std::shared_ptr<Metrics> metrics) {
  auto gateway = std::make_unique<ServerGateway>(limits, server, std::move(metrics));
  if (absl::Status listening = gateway->Listen(address, limits); !listening.ok()) return listening;
  return gateway;
}

}  // namespace cox::gateway
