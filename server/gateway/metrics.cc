#include "gateway/metrics.h"

#include <prometheus/text_serializer.h>

#include <chrono>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "gateway/connect_error.h"

namespace cox::gateway {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Clock = std::chrono::steady_clock;

// From a recommendation (some ten microseconds) to a calibration (seconds).
const prometheus::Histogram::BucketBoundaries kSecondsBounds = {
    25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3,
    25e-3, 50e-3, 100e-3, 250e-3, 500e-3, 1,    2.5,    5,    10};

// A family of one series, or of none yet.
MetricFamily MakeFamily(const char* name, const char* help, MetricType type) {
  MetricFamily family;
  family.name = name;
  family.help = help;
  family.type = type;
  return family;
}

ClientMetric MakeGauge(double value) {
  ClientMetric metric;
  metric.gauge.value = value;
  return metric;
}

MetricFamily GaugeFamily(const char* name, const char* help, double value) {
  MetricFamily family = MakeFamily(name, help, MetricType::Gauge);
  family.metric.push_back(MakeGauge(value));
  return family;
}

MetricFamily CounterFamily(const char* name, const char* help, double value) {
  MetricFamily family = MakeFamily(name, help, MetricType::Counter);
  family.metric.emplace_back().counter.value = value;
  return family;
}

void AppendFacts(const service::Facts& facts, std::vector<MetricFamily>* families) {
  families->push_back(CounterFamily("coxd_observations_taken_total",
                                    "Observations committed since the database was made.",
                                    static_cast<double>(facts.observations_taken)));
  families->push_back(GaugeFamily("coxd_observations_stored", "Observations in the database.",
                                  static_cast<double>(facts.observations_stored)));
  families->push_back(CounterFamily("coxd_timings_taken_total",
                                    "Timings behind the observations stored since the start.",
                                    facts.timings_taken));
  families->push_back(CounterFamily("coxd_timings_dropped_total",
                                    "Timings that clients measured and that are not stored, since "
                                    "the start.",
                                    facts.timings_dropped));
  families->push_back(CounterFamily("coxd_observations_refused_total",
                                    "Observations of jobs that name one scenario too many.",
                                    static_cast<double>(facts.observations_refused)));
  families->push_back(GaugeFamily("coxd_database_bytes", "Database and write-ahead log.",
                                  static_cast<double>(facts.database_bytes)));
  families->push_back(CounterFamily("coxd_backups_failed_total",
                                    "Backups of the schedule that failed, since the start.",
                                    static_cast<double>(facts.backups_failed)));
  if (facts.newest_backup_age_s) {
    families->push_back(GaugeFamily("coxd_newest_backup_age_seconds",
                                    "Time since the newest backup was made.",
                                    *facts.newest_backup_age_s));
  }
  MetricFamily refusals =
      MakeFamily("coxd_quota_refusals_total", "Calls that exceeded their caller's quota, by quota.",
                 MetricType::Counter);
  for (const service::QuotaRefusals& refused : facts.quota_refusals) {
    ClientMetric& metric = refusals.metric.emplace_back();
    metric.label = {{"quota", refused.quota}};
    metric.counter.value = static_cast<double>(refused.count);
  }
  families->push_back(std::move(refusals));
  MetricFamily decisions = MakeFamily(
      "coxd_decisions_total", "Decisions that the daemon gave, by outcome.", MetricType::Counter);
  for (const service::OutcomeCount& decided : facts.decisions) {
    ClientMetric& metric = decisions.metric.emplace_back();
    metric.label = {{"outcome", decided.outcome}};
    metric.counter.value = static_cast<double>(decided.count);
  }
  families->push_back(std::move(decisions));
  MetricFamily revisions =
      MakeFamily("coxd_machine_revision", "Profile revision that answers questions; 0: none.",
                 MetricType::Gauge);
  MetricFamily ages = MakeFamily("coxd_machine_profile_age_seconds",
                                 "Time since that revision was made.", MetricType::Gauge);
  MetricFamily drifts = MakeFamily("coxd_machine_drifts", "Drifts in history.", MetricType::Gauge);
  MetricFamily errors =
      MakeFamily("coxd_machine_prediction_error_ratio",
                 "Median error of predictions for what was observed.", MetricType::Gauge);
  MetricFamily saved =
      MakeFamily("coxd_machine_saved_seconds",
                 "Time of collectives that tuning saved in the last 24 hours, as estimated.",
                 MetricType::Gauge);
  MetricFamily saved_low = MakeFamily("coxd_machine_saved_low_seconds",
                                      "Its 90 % interval's lower end.", MetricType::Gauge);
  MetricFamily saved_high = MakeFamily("coxd_machine_saved_high_seconds",
                                       "Its 90 % interval's upper end.", MetricType::Gauge);
  for (const service::MachineFacts& machine : facts.machines) {
    const auto add = [&machine](MetricFamily* family, double value) {
      family->metric.push_back(MakeGauge(value));
      family->metric.back().label = {{"machine", machine.name}};
    };
    add(&revisions, static_cast<double>(machine.revision));
    add(&drifts, static_cast<double>(machine.drift_count));
    if (machine.prediction_error) add(&errors, *machine.prediction_error);
    if (machine.saved) {
      add(&saved, machine.saved->saved_s);
      if (machine.saved->interval) {
        add(&saved_low, machine.saved->interval->low_s);
        add(&saved_high, machine.saved->interval->high_s);
      }
    }
    if (machine.revision != 0) add(&ages, machine.profile_age_s);
  }
  for (MetricFamily* family :
       {&revisions, &ages, &drifts, &errors, &saved, &saved_low, &saved_high}) {
    families->push_back(std::move(*family));
  }
}

class CallInterceptor : public grpc::experimental::Interceptor {
 public:
  CallInterceptor(Metrics::Method* method, bool is_unary)
      : method_(method), is_unary_(is_unary), begin_(Clock::now()) {
    method_->Begin();
  }
  ~CallInterceptor() override {
    const std::chrono::duration<double> time = end_ - begin_;
    method_->End(code_, is_unary_ && end_ != Clock::time_point() ? time.count() : -1);
  }

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(
            grpc::experimental::InterceptionHookPoints::PRE_SEND_STATUS)) {
      code_ = methods->GetSendStatus().error_code();
      end_ = Clock::now();
    }
    methods->Proceed();
  }

 private:
  Metrics::Method* const method_;
  const bool is_unary_;
  const Clock::time_point begin_;
  Clock::time_point end_;
  grpc::StatusCode code_ = grpc::StatusCode::CANCELLED;  // if no status is ever sent
};

class CallInterceptorFactory : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit CallInterceptorFactory(std::shared_ptr<Metrics> metrics)
      : metrics_(std::move(metrics)) {}

  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override {
    return new CallInterceptor(&metrics_->OfMethod(info->method()),
                               info->type() == grpc::experimental::ServerRpcInfo::Type::UNARY);
  }

 private:
  const std::shared_ptr<Metrics> metrics_;
};

}  // namespace

Metrics::Metrics()
    : rpc_calls_(prometheus::BuildCounter()
                     .Name("coxd_rpc_calls_total")
                     .Help("Calls of the API that ended, over gRPC and HTTP, by method and code.")
                     .Register(registry_)),
      rpc_seconds_(prometheus::BuildHistogram()
                       .Name("coxd_rpc_duration_seconds")
                       .Help("Time from a call's arrival to its answer, without streams.")
                       .Register(registry_)),
      rpc_in_flight_(prometheus::BuildGauge()
                         .Name("coxd_rpc_in_flight")
                         .Help("Calls of the API under way, streams too.")
                         .Register(registry_)
                         .Add({})),
      http_responses_(prometheus::BuildCounter()
                          .Name("coxd_http_responses_total")
                          .Help("Responses over HTTP, refusals too, by status.")
                          .Register(registry_)) {}

Metrics::Method::Method(std::string name, Metrics* metrics)
    : metrics_(metrics),
      name_(std::move(name)),
      seconds_(metrics->rpc_seconds_.Add({{"method", name_}}, kSecondsBounds)) {}

void Metrics::Method::End(grpc::StatusCode code, double seconds) {
  metrics_->rpc_in_flight_.Decrement();
  if (seconds >= 0) seconds_.Observe(seconds);
  const size_t known = code >= 0 && static_cast<size_t>(code) < calls_.size()
                           ? static_cast<size_t>(code)
                           : static_cast<size_t>(grpc::StatusCode::UNKNOWN);
  prometheus::Counter* calls = calls_[known].load(std::memory_order_acquire);
  if (calls == nullptr) {
    // Two threads get the same counter.
    calls = &metrics_->rpc_calls_.Add(
        {{"method", name_}, {"code", std::string(CodeName(static_cast<grpc::StatusCode>(known)))}});
    calls_[known].store(calls, std::memory_order_release);
  }
  calls->Increment();
}

Metrics::Method& Metrics::OfMethod(absl::string_view path) {
  std::lock_guard lock(mutex_);
  const auto found = methods_.find(path);
  if (found != methods_.end()) return found->second;
  const std::string name(absl::StripPrefix(path, "/"));
  return methods_
      .emplace(std::piecewise_construct, std::forward_as_tuple(path),
               std::forward_as_tuple(name, this))
      .first->second;
}

void Metrics::CountHttpResponse(int status) {
  http_responses_.Add({{"status", absl::StrCat(status)}}).Increment();
}

std::string Metrics::Text(const absl::StatusOr<service::Facts>& facts, bool is_writable,
                          size_t http_connections) const {
  std::vector<MetricFamily> families = registry_.Collect();
  families.push_back(GaugeFamily("coxd_http_connections", "Open HTTP connections.",
                                 static_cast<double>(http_connections)));
  families.push_back(GaugeFamily("coxd_database_readable",
                                 "1 if the database could be read for these metrics, else 0.",
                                 facts.ok() ? 1 : 0));
  families.push_back(GaugeFamily(
      "coxd_database_writable",
      "1 if the database takes writes, else 0: coxd then refuses reports.", is_writable ? 1 : 0));
  if (facts.ok()) AppendFacts(*facts, &families);
  return prometheus::TextSerializer().Serialize(families);
}

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeInterceptor(
    std::shared_ptr<Metrics> metrics) {
  return std::make_unique<CallInterceptorFactory>(std::move(metrics));
}

}  // namespace cox::gateway
