// What a daemon, or a relay before it, bears: rows a second, time to an acknowledgement, memory of
// a stream, and many questions at once. Starts its own coxd, and prints a table for docs/scale.md.
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agents.h"
#include "bare_copy.h"
#include "bare_sqlite.h"
#include "cox/v1/advice.grpc.pb.h"
#include "coxd_process.h"
#include "measured_machine.h"
#include "process_cost.h"
#include "report.h"
#include "scratch_directory.h"

namespace cox::load {
namespace {

using Clock = std::chrono::steady_clock;

struct Plan {
  int streams = 1'000;
  int idle = 10'000;
  double seconds = 10;
  int rows = 16;
  int questions = 5'000;
};

// A coxd of its own on a Unix socket, whose limits are out of the way.
class Daemon {
 public:
  Daemon(const std::string& directory, const std::string& name,
         const std::vector<std::string>& more)
      : socket_(directory + "/" + name) {
    std::vector<std::string> arguments = {"--data",
                                          socket_ + "-data",
                                          "--listen",
                                          "unix:" + socket_,
                                          "--max-streams",
                                          "100000",
                                          "--max-connections",
                                          "100000",
                                          "--idle-timeout",
                                          "24h",
                                          "--log-level",
                                          "error"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    process_ = std::make_unique<CoxdProcess>(arguments, socket_ + "-log");
    channel_ = ConnectUnix(socket_, 60);
    if (channel_ == nullptr) Fail(process_->Log());
  }
  std::string address() const { return "unix:" + socket_; }
  pid_t pid() const { return process_->pid(); }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

 private:
  const std::string socket_;
  std::unique_ptr<CoxdProcess> process_;
  std::shared_ptr<grpc::Channel> channel_;
};

void CheckAll(const Agents& agents, const Answers& answers) {
  if (agents.broken_count() > 0) Fail(absl::StrCat(agents.broken_count(), " streams broke"));
  if (answers.refused_count > 0) Fail(absl::StrCat(answers.refused_count, " batches were refused"));
}

// `costs`: the processes that share the work, with the word for each.
struct Counted {
  const char* name;
  pid_t pid;
};

// Reports as fast as they are acknowledged, then one a second from each agent.
double MeasureReports(const Plan& plan, const std::string& name, const std::string& server,
                      const std::vector<Counted>& processes) {
  Agents agents(server, name, plan.streams, plan.rows);
  std::vector<double> before_s;
  before_s.reserve(processes.size());
  for (const Counted& process : processes) before_s.push_back(ProcessorTime_s(process.pid));
  const Answers all = agents.SendAll(plan.seconds);
  CheckAll(agents, all);
  const auto batches = static_cast<double>(all.latencies_s.size());
  const double rows_hz = batches * plan.rows / all.elapsed_s;
  Print(name + ": rows a second, durable", absl::StrFormat("%.0f", rows_hz));
  Print(name + ": batches a second", absl::StrFormat("%.0f", batches / all.elapsed_s));
  for (size_t i = 0; i < processes.size(); ++i) {
    const double used_s = ProcessorTime_s(processes[i].pid) - before_s[i];
    Print(absl::StrCat(name, ": processor time of ", processes[i].name, " for a batch"),
          absl::StrFormat("%.0f us", used_s / batches * 1e6));
  }
  const Answers paced = agents.SendEachSecond(plan.seconds);
  CheckAll(agents, paced);
  Print(name + ": acknowledgement at a batch a second from each agent, p50",
        Ms(Quantile(paced.latencies_s, 0.5)));
  Print(name + ": the same, p99", Ms(Quantile(paced.latencies_s, 0.99)));
  return rows_hz;
}

void MeasureStreams(const Plan& plan, const Daemon& coxd) {
  // The first streams also fill caches that all share.
  const Agents warm(coxd.address(), "warm", 64, 1);
  const int64_t before_bytes = ResidentBytes(coxd.pid());
  const Agents agents(coxd.address(), "idle", plan.idle, 1);
  if (agents.broken_count() > 0) Fail(absl::StrCat(agents.broken_count(), " streams broke"));
  const int64_t bytes = ResidentBytes(coxd.pid()) - before_bytes;
  Print(absl::StrCat("memory of a stream with its connection, of ", plan.idle, " idle ones"),
        absl::StrFormat("%.1f KiB", static_cast<double>(bytes) / plan.idle / 1024));
}

v1::GetDecisionsRequest Question() {
  v1::GetDecisionsRequest request;
  request.set_machine("site");
  request.set_library("openmpi-4.1");
  request.set_nodes(8);
  request.set_ppn(4);
  return request;
}

// Many jobs start within a second and ask the same, from many connections.
void MeasureStorm(const Plan& plan, const Daemon& coxd) {
  constexpr int kConnections = 250;
  std::vector<std::unique_ptr<v1::AdviceService::Stub>> stubs;
  for (int i = 0; i < std::min(kConnections, plan.questions); ++i) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const auto channel =
        grpc::CreateCustomChannel(coxd.address(), grpc::InsecureChannelCredentials(), arguments);
    if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(60))) {
      Fail("no connection");
    }
    stubs.push_back(v1::AdviceService::NewStub(channel));
  }
  struct Call {
    grpc::ClientContext context;
    v1::GetDecisionsResponse response;
    double latency_s = 0;
  };
  const v1::GetDecisionsRequest request = Question();
  std::vector<std::unique_ptr<Call>> calls;
  calls.reserve(static_cast<size_t>(plan.questions));
  for (int i = 0; i < plan.questions; ++i) calls.push_back(std::make_unique<Call>());
  std::mutex mutex;
  std::condition_variable changed;
  int answered = 0;
  std::string problem;
  const double before_s = ProcessorTime_s(coxd.pid());
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < plan.questions; ++i) {
    std::this_thread::sleep_until(start +
                                  std::chrono::microseconds(1'000'000LL * i / plan.questions));
    Call* const call = calls[static_cast<size_t>(i)].get();
    const Clock::time_point sent = Clock::now();
    stubs[static_cast<size_t>(i) % stubs.size()]->async()->GetDecisions(
        &call->context, &request, &call->response, [&, call, sent](const grpc::Status& status) {
          const std::lock_guard lock(mutex);
          call->latency_s = std::chrono::duration<double>(Clock::now() - sent).count();
          if (!status.ok()) problem = status.error_message();
          ++answered;
          changed.notify_one();
        });
  }
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return answered == plan.questions; });
  }
  if (!problem.empty()) Fail(problem);
  std::vector<double> latencies_s;
  for (const auto& call : calls) {
    latencies_s.push_back(call->latency_s);
    if (call->response.etag() != calls[0]->response.etag()) Fail("answers differ");
  }
  const std::string name = absl::StrCat(plan.questions, " questions within a second: ");
  Print(name + "p50", Ms(Quantile(latencies_s, 0.5)));
  Print(name + "p99", Ms(Quantile(latencies_s, 0.99)));
  Print(name + "the first, which is computed", Ms(latencies_s[0]));
  Print(
      name + "processor time of coxd for one",
      absl::StrFormat("%.0f us", (ProcessorTime_s(coxd.pid()) - before_s) / plan.questions * 1e6));
}

double BareRate(const std::string& directory) {
  constexpr int kRows = 200'000;
  std::vector<store::ObservationRecord> rows(kRows);
  for (int i = 0; i < kRows; ++i) {
    rows[static_cast<size_t>(i)].time_s = 1e-6 * (i + 1);
    rows[static_cast<size_t>(i)].at_us = 1'700'000'000'000'000 + i;
  }
  return bench::BareSqliteRate(directory + "/bare.db", rows, bench::kScenarioCount);
}

void MeasureOnPostgres(const Plan& plan, const std::string& directory, const std::string& url) {
  constexpr int kRows = 200'000;
  const double bare_hz = BareCopyRate(url, kRows);
  Print("bare COPY: rows a second, durable", absl::StrFormat("%.0f", bare_hz));
  const Daemon coxd(directory, "coxd", {"--store", url});
  bench::FillMachine(coxd.channel());
  const double rows_hz = MeasureReports(plan, "coxd", coxd.address(), {{"coxd", coxd.pid()}});
  Print("coxd: share of bare COPY", absl::StrFormat("%.2f", rows_hz / bare_hz));
  // Two more daemons on the same database.
  MeasureStorm(plan, Daemon(directory, "storm", {"--store", url}));
  MeasureStreams(plan, Daemon(directory, "idle", {"--store", url}));
}

void MeasureOnSqlite(const Plan& plan, const std::string& directory) {
  const double bare_hz = BareRate(directory);
  Print("bare SQLite: rows a second, durable", absl::StrFormat("%.0f", bare_hz));
  {
    const Daemon coxd(directory, "coxd", {});
    bench::FillMachine(coxd.channel());
    const double rows_hz = MeasureReports(plan, "coxd", coxd.address(), {{"coxd", coxd.pid()}});
    Print("coxd: share of bare SQLite", absl::StrFormat("%.2f", rows_hz / bare_hz));
    const Daemon relay(directory, "relay", {"--relay", coxd.address()});
    MeasureReports(plan, "relay", relay.address(),
                   {{"the relay", relay.pid()}, {"coxd", coxd.pid()}});
  }
  const auto measure = [&](const char* name, void (*part)(const Plan&, const Daemon&)) {
    const Daemon coxd(directory, name, {});
    bench::FillMachine(coxd.channel());
    part(plan, coxd);
  };
  measure("storm", MeasureStorm);
  measure("idle", MeasureStreams);
}

int Main(int argc, char** argv) {
  Plan plan;
  CLI::App app("Behaves like the agents of many nodes, and measures coxd and a relay.",
               "load_agents");
  app.add_option("--streams", plan.streams, "agents that report")
      ->check(CLI::Range(1, 15'000))
      ->capture_default_str();
  app.add_option("--idle", plan.idle, "idle streams")
      ->check(CLI::Range(1, 15'000))
      ->capture_default_str();
  app.add_option("--seconds", plan.seconds, "length of each measurement")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
  app.add_option("--rows", plan.rows, "rows of a batch")
      ->check(CLI::Range(1, 1'000))
      ->capture_default_str();
  app.add_option("--questions", plan.questions, "questions within a second")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  std::string url;
  app.add_option("--store", url,
                 "postgresql://...: a database, which is empty; without it SQLite, and a relay");
  CLI11_PARSE(app, argc, argv);
  // A descriptor for each connection, here and in the daemon.
  RaiseFileLimit(std::max(plan.idle, plan.streams) + 512);
  const bench::ScratchDirectory directory;
  PrintHead();
  if (url.empty()) {
    MeasureOnSqlite(plan, directory.path());
  } else {
    MeasureOnPostgres(plan, directory.path(), url);
  }
  return 0;
}

}  // namespace
}  // namespace cox::load

int main(int argc, char** argv) { return cox::load::RunMain(cox::load::Main, argc, argv); }
