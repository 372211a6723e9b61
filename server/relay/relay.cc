#include "relay/relay.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "access/rules.h"
#include "daemon/blocking_pool.h"
#include "daemon/host/memory_budget.h"
#include "daemon/log.h"
#include "daemon/wall_clock.h"
#include "relay/ended_jobs_feed.h"
#include "relay/first_report_quota.h"
#include "relay/forward_queue.h"
#include "relay/relayed_service.h"
#include "relay/upstream.h"
#include "service/entry/access_setup.h"
#include "service/entry/access_watch.h"
#include "service/entry/builder_limits.h"
#include "service/entry/door.h"
#include "service/entry/listening.h"
#include "service/entry/malformed.h"
#include "service/entry/turnstile.h"

namespace cox::relay {
namespace {

constexpr std::chrono::milliseconds kUnaryGrace{2'000};
constexpr std::chrono::milliseconds kQuiet{50};
constexpr std::chrono::milliseconds kPatienceForQuiet{500};
// The share of max-memory for reports in progress; a quarter is for gRPC's buffers.
constexpr int64_t kReportShare = 2;  // a half

// Threads that parse large reports.
constexpr int kParserThreads = 2;
// The share of max-memory for large requests that wait for them, in bytes: half of gRPC's buffers,
// so that gRPC does not cancel the calls of others to free some.
constexpr int64_t kParserShare = 8;

// Every service that the table of roles names, each once.
std::vector<std::string> ServiceNames() {
  std::vector<std::string> names;
  for (const access::Rule& rule : access::Rules()) {
    std::string name(rule.method.substr(0, rule.method.find('/')));
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

class Relay : public service::Server {
 public:
  Relay(const daemon::Config& config, std::unique_ptr<access::Access> access,
        std::unique_ptr<Upstream> upstream)
      : drain_timeout_(std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::duration<double>(config.drain_timeout_s))),
        access_(std::move(access)),
        quotas_(service::MakeQuotas(config)),
        machine_quota_(FirstReportQuota::kMachines, quotas_.get()),
        scenario_quota_(FirstReportQuota::kScenarios, quotas_.get()),
        streams_(static_cast<size_t>(config.max_streams), quotas_.get()),
        memory_(config.max_memory_bytes / kReportShare),
        calls_(&memory_),
        parsers_(std::make_unique<daemon::BlockingPool>(
            "parser", kParserThreads, static_cast<size_t>(config.max_memory_bytes / kParserShare))),
        upstream_(std::move(upstream)) {}

  ~Relay() override { Drain(); }

  absl::Status Listen(const daemon::Config& config, std::unique_ptr<store::Outbox> outbox) {
    auto listening = service::Listening::Open(config);
    if (!listening.ok()) return listening.status();
    listening_ = *std::move(listening);
    access_->SetTlsFiles(listening_->tls_files());
    auto queue = ForwardQueue::Start(std::move(outbox), {.spool_bytes = config.relay_spool_bytes},
                                     [this](const std::vector<store::WaitingBatch>& batches) {
                                       return upstream_->Send(batches);
                                     });
    if (!queue.ok()) return queue.status();
    queue_ = *std::move(queue);
    daemon::Log(daemon::LogLevel::kInfo, "relays",
                {{"waiting_bytes", std::to_string(queue_->waiting_bytes())}});
    grpc::EnableDefaultHealthCheckService(true);
    grpc::ServerBuilder builder;
    listening_->AddTo(&builder);
    service::AddLimits(config, &builder);
    if (absl::Status opened = OpenDoors(config, &builder); !opened.ok()) return opened;
    std::vector<std::unique_ptr<InterceptorFactory>> interceptors;
    interceptors.push_back(service::MakeMalformedInterceptor());
    interceptors.push_back(calls_.MakeInterceptor());
    builder.experimental().SetInterceptorCreators(std::move(interceptors));
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) return absl::InternalError("gRPC cannot start");
    SetServing(true);
    access_watch_ = std::make_unique<service::AccessWatch>(CoreForAccess(), tls_files(), config);
    if (access_->ended_jobs() != nullptr) HearOfEndedJobs();
    listening_->Start(access_.get(), quotas_.get());
    return absl::OkStatus();
  }

  std::string address() const override { return listening_->address(); }

  bool Answers(std::chrono::microseconds timeout) const override {
    return listening_->Answers(timeout);
  }

  std::shared_ptr<grpc::Channel> InProcessChannel() override {
    return server_->InProcessChannel(grpc::ChannelArguments());
  }

  absl::StatusOr<std::unique_ptr<service::KnownCallers::Ticket>> Identify(
      const access::Caller& /*caller*/, const access::Rule& /*rule*/) override {
    return absl::UnimplementedError("a relay has no HTTP");
  }

  absl::Status CheckViewer(const std::string& /*authorization*/,
                           bool /*is_encrypted*/) const override {
    return absl::UnimplementedError("a relay has no HTTP");
  }

  access::TlsFiles* tls_files() const override { return listening_->tls_files(); }

  // A relay has no database.
  bool IsStoreWritable() const override { return false; }

  absl::StatusOr<service::Facts> ReadFacts() const override {
    return absl::UnimplementedError("a relay has no database");
  }

  void Drain() override {
    if (drained_) return;
    drained_ = true;
    const auto deadline = std::chrono::steady_clock::now() + drain_timeout_;
    if (server_ != nullptr) {
      access_watch_->Stop();
      ended_jobs_feed_.reset();
      SetServing(false);
      listening_->Stop();
      turnstile_.Close();
      streams_.DrainAll();
      streams_.AwaitEmpty(deadline);
      parsers_->AwaitIdle(deadline);
    }
    upstream_->Cancel();
    if (queue_ != nullptr) queue_->Stop();
    if (server_ != nullptr) {
      turnstile_.AwaitQuiet(kQuiet, std::chrono::steady_clock::now() + kPatienceForQuiet);
      server_->Shutdown(std::chrono::system_clock::now() + kUnaryGrace);
      server_->Wait();
    }
    // After this no call has a pointer to the queue.
    parsers_.reset();
  }

 private:
  // What AccessWatch uses.
  service::Core CoreForAccess() {
    service::Core core = {};
    core.streams = &streams_;
    core.access = access_.get();
    return core;
  }

  void HearOfEndedJobs() {
    ended_jobs_feed_ = std::make_unique<EndedJobsFeed>(
        access_->ended_jobs(), daemon::NowMicros,
        [this](grpc::ClientContext* context, const v1::ListEndedJobsRequest& request,
               v1::ListEndedJobsResponse* response) {
          return upstream_->ListEndedJobs(context, request, response);
        });
  }

  absl::Status OpenDoors(const daemon::Config& config, grpc::ServerBuilder* builder) {
    const Relaying relaying = {.access = access_.get(),
                               .queue = queue_.get(),
                               .upstream = upstream_.get(),
                               .streams = &streams_,
                               .calls = &calls_,
                               .parsers = parsers_.get(),
                               .quotas = quotas_.get(),
                               .machine_quota = &machine_quota_,
                               .scenario_quota = &scenario_quota_,
                               .memory = &memory_,
                               .reporters_create_machines = config.reporters_create_machines,
                               .most_batch_bytes = config.max_message_bytes};
    const service::DoorNeeds needs = {.access = access_.get(),
                                      .known_callers = nullptr,
                                      .quotas = quotas_.get(),
                                      .turnstile = &turnstile_,
                                      .calls = &calls_,
                                      .parsers = parsers_.get()};
    for (const std::string& name : ServiceNames()) {
      services_.push_back(MakeRelayedService(name, relaying));
      // coxd logs what is changed; a relay changes nothing.
      auto door = service::MakeDoor(
          name, services_.back().get(), needs,
          [](const access::Principal&, const access::Rule&, const absl::Status&) {});
      if (!door.ok()) return door.status();
      builder->RegisterService(door->get());
      doors_.push_back(*std::move(door));
    }
    return absl::OkStatus();
  }

  void SetServing(bool serving) {
    grpc::HealthCheckServiceInterface* const health = server_->GetHealthCheckService();
    if (health == nullptr) return;
    health->SetServingStatus(serving);
    for (const std::string& name : ServiceNames()) health->SetServingStatus(name, serving);
  }

  const std::chrono::milliseconds drain_timeout_;
  const std::unique_ptr<access::Access> access_;
  const std::unique_ptr<access::Quotas> quotas_;
  FirstReportQuota machine_quota_;
  FirstReportQuota scenario_quota_;
  service::StreamRegistry streams_;
  daemon::MemoryBudget memory_;
  service::OpenCalls calls_;
  std::unique_ptr<daemon::BlockingPool> parsers_;
  const std::unique_ptr<Upstream> upstream_;
  std::unique_ptr<ForwardQueue> queue_;

  service::Turnstile turnstile_;
  // They live as long as the server.
  std::vector<std::unique_ptr<grpc::Service>> services_;
  std::vector<std::unique_ptr<grpc::Service>> doors_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<service::Listening> listening_;
  std::unique_ptr<service::AccessWatch> access_watch_;
  std::unique_ptr<EndedJobsFeed> ended_jobs_feed_;  // null: no credential of a job counts here
  bool drained_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<service::Server>> StartRelay(const daemon::Config& config) {
  absl::StatusOr<std::unique_ptr<Upstream>> upstream = Upstream::Open(config);
  if (!upstream.ok()) return upstream.status();
  absl::StatusOr<std::unique_ptr<store::Outbox>> outbox = store::OpenOutbox(
      {.directory = config.data, .allow_network_file_system = config.allow_network_file_system});
  if (!outbox.ok()) return outbox.status();
  // After the spool, which makes the directory.
  absl::StatusOr<std::unique_ptr<access::Access>> access = service::MakeAccess(config);
  if (!access.ok()) return access.status();
  auto relay = std::make_unique<Relay>(config, *std::move(access), *std::move(upstream));
  if (absl::Status listening = relay->Listen(config, *std::move(outbox)); !listening.ok()) {
    return listening;
  }
  return relay;
}

}  // namespace cox::relay
