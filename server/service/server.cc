#include "service/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "daemon/health_watch.h"
#include "daemon/host/log_limit.h"
#include "daemon/host/retention.h"
#include "daemon/log.h"
#include "daemon/wall_clock.h"
#include "service/advisor.h"
#include "service/calibration.h"
#include "service/convert/timestamp.h"
#include "service/core.h"
#include "service/entry/access_setup.h"
#include "service/entry/access_watch.h"
#include "service/entry/builder_limits.h"
#include "service/entry/door.h"
#include "service/entry/listening.h"
#include "service/entry/malformed.h"
#include "service/entry/token_admin.h"
#include "service/entry/turnstile.h"
#include "service/history/history.h"
#include "service/history/savings_watch.h"
#include "service/machines.h"
#include "service/models.h"
#include "service/observations.h"
#include "service/profiles.h"
#include "service/published/published.h"
#include "service/store_service.h"

namespace cox::service {
namespace {

constexpr int kPoolThreads = 4;
constexpr size_t kPoolQueue = 4'096;
// Seconds of work each: few threads, so that the others and the database stay free for the rest.
constexpr int kHeavyPoolThreads = 2;
constexpr size_t kHeavyPoolQueue = 64;
// One caller's long calls run one after another, so a thread is left for the others.
constexpr int kHeavyCallsOfCaller = 1;
// Each waits for the learner, which takes one at a time.
constexpr int kChangePoolThreads = 1;
// Threads that parse large requests, and the calls that may wait for them. Their bytes are in
// memory, within the bound of gRPC's buffers.
constexpr int kParserThreads = 2;
// The share of max-memory for large requests that wait for them, in bytes: half of gRPC's buffers,
// so that gRPC does not cancel the calls of others to free some.
constexpr int64_t kParserShare = 8;
// A connection for each thread that reads: the pools, the learner, the writer's callbacks.
constexpr int kReadConnections = kPoolThreads + kHeavyPoolThreads + kChangePoolThreads + 2;
// The share of max-memory for the content of requests in progress; entry/builder_limits.h has that
// of gRPC's buffers. The rest is for the daemon's own data and for what the allocator cannot reuse
// at once.
constexpr int64_t kContentShare = 2;  // a half
constexpr std::chrono::milliseconds kPatienceForViews{1'000};
// Calls that are answered take milliseconds to send; the bound is for a disk that stalls.
constexpr std::chrono::milliseconds kUnaryGrace{2'000};
// Clients that were refused a call have gone when none comes for this long; others call on and on.
constexpr std::chrono::milliseconds kQuiet{50};
constexpr std::chrono::milliseconds kPatienceForQuiet{500};

class GrpcServer : public Server {
 public:
  GrpcServer(const daemon::Config& config, std::unique_ptr<access::Access> access,
             std::unique_ptr<store::Store> store)
      : drain_timeout_(std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::duration<double>(config.drain_timeout_s))),
        access_(std::move(access)),
        store_(std::move(store)),
        quotas_(MakeQuotas(config)),
        streams_(config.max_streams, quotas_.get()),
        memory_(config.max_memory_bytes / kContentShare),
        calls_(&memory_),
        scenarios_({.of_machine = config.machine_scenarios, .in_all = config.max_scenarios}),
        learner_(store_.get(), &snapshots_, &feed_, &scenarios_, config.refine_interval_s),
        pool_(std::make_unique<daemon::BlockingPool>("quick", kPoolThreads, kPoolQueue)),
        heavy_pool_(std::make_unique<daemon::BlockingPool>("heavy", kHeavyPoolThreads,
                                                           kHeavyPoolQueue, kHeavyCallsOfCaller)),
        change_pool_(
            std::make_unique<daemon::BlockingPool>("change", kChangePoolThreads, kPoolQueue)),
        parsers_(std::make_unique<daemon::BlockingPool>(
            "parser", kParserThreads, static_cast<size_t>(config.max_memory_bytes / kParserShare))),
        core_{.store = store_.get(),
              .snapshots = &snapshots_,
              .feed = &feed_,
              .learner = &learner_,
              .pool = pool_.get(),
              .parsers = parsers_.get(),
              .heavy_pool = heavy_pool_.get(),
              .change_pool = change_pool_.get(),
              .streams = &streams_,
              .memory = &memory_,
              .calls = &calls_,
              .access = access_.get(),
              .quotas = quotas_.get(),
              .scenarios = &scenarios_,
              .timings = &timings_,
              .reporters_create_machines = config.reporters_create_machines,
              .hides_foreign_jobs = config.hide_foreign_jobs},
        token_admin_(core_),
        machines_(core_),
        profiles_(core_),
        calibrations_(core_),
        advisor_(core_),
        observations_(core_),
        history_(core_),
        savings_(store_.get(), heavy_pool_.get()),
        backups_(store_.get(), {.directory = config.data + "/backups",
                                // PostgreSQL makes its own.
                                .every_s = config.store_url.empty() ? config.backup_every_s : 0,
                                .keep_count = config.backup_keep}),
        retention_(store_.get(),
                   {.age_s = config.retention_age_s,
                    .machine_bytes = config.retention_size_bytes,
                    .job_age_s = config.retention_jobs_s},
                   [this](const std::string& machine) { return learner_.NeedsAfter(machine); }),
        store_service_(core_,
                       config.store_url.empty() ? config.data + "/coxswain.db" : config.store_url,
                       &backups_) {}

  ~GrpcServer() override { Drain(); }

  absl::Status Listen(const daemon::Config& config,
                      const std::vector<grpc::Service*>& extra_services,
                      std::unique_ptr<InterceptorFactory> interceptor) {
    auto listening = Listening::Open(config);
    if (!listening.ok()) return listening.status();
    listening_ = *std::move(listening);
    access_->SetTlsFiles(listening_->tls_files());
    if (config.published_machines) {
      if (absl::Status added = AddPublishedMachines(); !added.ok()) return added;
    }
    if (absl::Status started = learner_.Start(); !started.ok()) return started;
    // Listens even if the history is long: until it is read, answers come from profiles alone.
    learner_.AwaitViews(std::chrono::steady_clock::now() + kPatienceForViews);

    grpc::EnableDefaultHealthCheckService(true);
    grpc::ServerBuilder builder;
    listening_->AddTo(&builder);
    AddLimits(config, &builder);
    if (absl::Status opened = OpenDoors(&builder); !opened.ok()) return opened;
    for (grpc::Service* service : extra_services) builder.RegisterService(service);
    std::vector<std::unique_ptr<InterceptorFactory>> interceptors;
    interceptors.push_back(MakeMalformedInterceptor());
    interceptors.push_back(calls_.MakeInterceptor());
    if (interceptor != nullptr) interceptors.push_back(std::move(interceptor));
    builder.experimental().SetInterceptorCreators(std::move(interceptors));
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) return absl::InternalError("gRPC cannot start");
    SetServing(true);
    health_ = std::make_unique<daemon::HealthWatch>(
        store_.get(), [this](bool is_healthy) { SetServing(is_healthy); });
    access_watch_ = std::make_unique<AccessWatch>(core_, listening_->tls_files(), config);
    listening_->Start(access_.get(), quotas_.get());
    return absl::OkStatus();
  }

  std::string address() const override { return listening_->address(); }

  bool Answers(std::chrono::microseconds timeout) const override {
    return listening_->Answers(timeout);
  }

  std::shared_ptr<grpc::Channel> InProcessChannel() override {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);  // the answers are our own
    return server_->InProcessChannel(arguments);
  }

  access::TlsFiles* tls_files() const override { return listening_->tls_files(); }

  absl::StatusOr<std::unique_ptr<KnownCallers::Ticket>> Identify(
      const access::Caller& caller, const access::Rule& rule) override {
    absl::StatusOr<access::Principal> principal = access_->Identify(caller);
    absl::Status allowed =
        principal.ok() ? access::Access::Check(*principal, rule) : principal.status();
    return known_callers_.Issue(std::move(principal), std::move(allowed));
  }

  absl::Status CheckViewer(const std::string& authorization, bool is_encrypted) const override {
    static constexpr access::Rule kRule = {"metrics", access::Role::kViewer};
    const auto principal = access_->Identify({.peer = access::kOverHttp,
                                              .authorization = access::HeaderOf(authorization),
                                              .is_encrypted = is_encrypted,
                                              .method = kRule.method});
    return principal.ok() ? access::Access::Check(*principal, kRule) : principal.status();
  }

  bool IsStoreWritable() const override { return health_ != nullptr && health_->is_healthy(); }

  absl::StatusOr<Facts> ReadFacts() const override {
    absl::StatusOr<Facts> facts = service::ReadFacts(*snapshots_.Load(), store_.get(), &savings_);
    if (!facts.ok()) return facts;
    facts->timings_taken = timings_.taken;
    facts->timings_dropped = timings_.dropped;
    facts->observations_refused = scenarios_.refused_count();
    for (size_t i = 0; i < DecisionCounts::kOutcomeCount; ++i) {
      facts->decisions.push_back(
          {std::string(DecisionCounts::kNames[i]), advisor_.decisions().Of(i)});
    }
    for (size_t i = 0; i < access::kQuotaCount; ++i) {
      const auto quota = static_cast<access::Quota>(i);
      facts->quota_refusals.push_back(
          {std::string(access::QuotaName(quota)), quotas_->refused_count(quota)});
    }
    if (const std::vector<daemon::Backup> backups = backups_.List(); !backups.empty()) {
      const auto age_us = daemon::NowMicros() - backups.front().create_time_us;
      facts->newest_backup_age_s = static_cast<double>(std::max<int64_t>(age_us, 0)) / 1e6;
    }
    facts->backups_failed = backups_.failures().count;
    return facts;
  }

  void Drain() override {
    if (drained_) return;
    drained_ = true;
    const auto deadline = std::chrono::steady_clock::now() + drain_timeout_;
    // Work beyond the deadline ends with CANCELLED, wherever it is waited for.
    std::promise<void> has_ended;
    std::future<void> cancel;
    try {
      cancel = std::async(std::launch::async,
                          [this, deadline, ended = has_ended.get_future()]() mutable {
                            if (ended.wait_until(deadline) == std::future_status::timeout)
                              store_->CancelLongWork();
                          });
    } catch (const std::system_error&) {
      // Where no thread starts, nobody can end long work later.
      store_->CancelLongWork();
    }
    backups_.Stop();
    retention_.Stop();
    if (server_ != nullptr) {
      health_->Stop();
      access_watch_->Stop();
      SetServing(false);
      listening_->Stop();
      turnstile_.Close();
      streams_.DrainAll();
      // Answers the reports that await learning.
      learner_.Stop();
      streams_.AwaitEmpty(deadline);
      parsers_->AwaitIdle(deadline);
      pool_->AwaitIdle(deadline);
      heavy_pool_->AwaitIdle(deadline);
      change_pool_->AwaitIdle(deadline);
      store_->CancelLongWork();
      turnstile_.AwaitQuiet(kQuiet, std::chrono::steady_clock::now() + kPatienceForQuiet);
      // The remaining calls are sending their answers, except health watchers, which never end.
      server_->Shutdown(std::chrono::system_clock::now() + kUnaryGrace);
      server_->Wait();
    }
    // After this no call has a pointer to the store.
    parsers_.reset();
    pool_.reset();
    heavy_pool_.reset();
    change_pool_.reset();
    if (absl::Status flushed = store_->Flush(); !flushed.ok()) {
      daemon::Log(daemon::LogLevel::kError, "flush failed",
                  {{"error", std::string(flushed.message())}});
    }
    has_ended.set_value();
  }

 private:
  absl::Status AddPublishedMachines() {
    const absl::StatusOr<std::vector<store::PublishedMachine>> machines = PublishedMachines();
    if (!machines.ok()) return machines.status();
    return store_->AddPublishedMachines(*machines);
  }

  struct NamedService {
    const char* name;
    grpc::Service* service;
  };
  std::vector<NamedService> Services() {
    return {{"cox.v1.AccessService", &token_admin_},       {"cox.v1.AdviceService", &advisor_},
            {"cox.v1.CalibrationService", &calibrations_}, {"cox.v1.HistoryService", &history_},
            {"cox.v1.MachineService", &machines_},         {"cox.v1.ModelService", &models_},
            {"cox.v1.ObservationService", &observations_}, {"cox.v1.ProfileService", &profiles_},
            {"cox.v1.StoreService", &store_service_}};
  }

  // Registers a door for each service, and no service itself.
  absl::Status OpenDoors(grpc::ServerBuilder* builder) {
    const DoorNeeds needs = {.access = access_.get(),
                             .known_callers = &known_callers_,
                             .quotas = quotas_.get(),
                             .turnstile = &turnstile_,
                             .calls = &calls_,
                             .parsers = parsers_.get()};
    for (const NamedService& named : Services()) {
      auto door = MakeDoor(named.name, named.service, needs,
                           [this](const access::Principal& principal, const access::Rule& rule,
                                  const absl::Status& allowed) { Tell(principal, rule, allowed); });
      if (!door.ok()) return door.status();
      builder->RegisterService(door->get());
      doors_.push_back(*std::move(door));
    }
    return absl::OkStatus();
  }

  // Says who changed something, and who wanted to.
  void Tell(const access::Principal& principal, const access::Rule& rule,
            const absl::Status& allowed) {
    if (allowed.ok()) {
      daemon::Log(daemon::LogLevel::kInfo, "changes",
                  {{"principal", principal.name}, {"method", std::string(rule.method)}});
      return;
    }
    const std::optional<int64_t> suppressed = refusals_.Admit(daemon::NowMicros());
    if (!suppressed) return;
    daemon::Log(daemon::LogLevel::kWarning, "refused a call",
                {{"principal", principal.name},
                 {"method", std::string(rule.method)},
                 {"code", absl::StatusCodeToString(allowed.code())},
                 {"suppressed", absl::StrCat(*suppressed)}});
  }

  void SetServing(bool serving) {
    grpc::HealthCheckServiceInterface* health = server_->GetHealthCheckService();
    if (health == nullptr) return;
    health->SetServingStatus(serving);  // overall, and every service that was named before
    for (const NamedService& named : Services()) health->SetServingStatus(named.name, serving);
  }

  const std::chrono::milliseconds drain_timeout_;
  TimingCounts timings_;  // outlives what the store calls back
  const std::unique_ptr<access::Access> access_;
  const std::unique_ptr<store::Store> store_;
  const std::unique_ptr<access::Quotas> quotas_;
  KnownCallers known_callers_;
  daemon::Snapshots snapshots_;
  daemon::ProfileFeed feed_;
  StreamRegistry streams_;
  daemon::MemoryBudget memory_;
  OpenCalls calls_;
  daemon::ScenarioBound scenarios_;
  daemon::Learner learner_;
  std::unique_ptr<daemon::BlockingPool> pool_;
  std::unique_ptr<daemon::BlockingPool> heavy_pool_;
  std::unique_ptr<daemon::BlockingPool> change_pool_;
  std::unique_ptr<daemon::BlockingPool> parsers_;
  const Core core_;

  TokenAdmin token_admin_;
  Machines machines_;
  Profiles profiles_;
  Calibrations calibrations_;
  Models models_;
  Advisor advisor_;
  Observations observations_;
  History history_;
  mutable SavingsWatch savings_;
  daemon::Backups backups_;
  daemon::Retention retention_;
  StoreService store_service_;

  daemon::LogLimit refusals_{10, 10'000'000};

  Turnstile turnstile_;
  // The doors and the acceptors of `listening_` live as long as the server.
  std::vector<std::unique_ptr<grpc::Service>> doors_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Listening> listening_;
  std::unique_ptr<daemon::HealthWatch> health_;
  std::unique_ptr<AccessWatch> access_watch_;
  bool drained_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(
    const daemon::Config& config, const std::vector<grpc::Service*>& extra_services,
    std::unique_ptr<InterceptorFactory> interceptor) {
  store::StoreOptions options;
  options.url = config.store_url;
  options.directory = config.data;
  options.allow_network_file_system = config.allow_network_file_system;
  options.commit_delay_us = SecondsToMicroseconds(config.commit_delay_s);
  options.commit_rows = config.commit_rows;
  options.queue_rows = config.queue_rows;
  options.read_connections = kReadConnections;
  absl::StatusOr<std::unique_ptr<store::Store>> store = store::OpenStore(options);
  if (!store.ok()) return store.status();
  // After the store: it makes the directory, and keeps a second daemon out.
  absl::StatusOr<std::unique_ptr<access::Access>> access = MakeAccess(config);
  if (!access.ok()) return access.status();
  if (config.reflection) {
    static const bool registered = [] {
      grpc::reflection::InitProtoReflectionServerBuilderPlugin();
      return true;
    }();
    (void)registered;
  }
  auto server = std::make_unique<GrpcServer>(config, *std::move(access), *std::move(store));
  if (absl::Status listening = server->Listen(config, extra_services, std::move(interceptor));
      !listening.ok()) {
    return listening;
  }
  return server;
}

}  // namespace cox::service
