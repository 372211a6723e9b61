// Whether coxd keeps anything of clients that have gone: starts its own coxd; connections, calls,
// streams, jobs, wrong calls and cut connections come and go, at half the speed that is possible.
// Prints a table for docs/reliability.md. Fails if descriptors or threads stay, or if memory grows
// by more than --growth for each visit.
#include <grpcpp/grpcpp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "cox/v1/advice.grpc.pb.h"
#include "cox/v1/machine.grpc.pb.h"
#include "cox/v1/observation.grpc.pb.h"
#include "coxd_process.h"
#include "measured_machine.h"
#include "ports.h"
#include "process_cost.h"
#include "report.h"
#include "scratch_directory.h"

namespace cox::load {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{60};
// gRPC starts threads as it needs them, up to one for each processor and listener.
constexpr int kSpareThreads = 4;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void Expect(const char* what, const grpc::Status& status, grpc::StatusCode code) {
  if (status.error_code() == code) return;
  Fail(absl::StrCat(what, ": ", status.error_code(), " ", status.error_message()));
}

using Channel = std::shared_ptr<grpc::Channel>;

void SetDeadline(grpc::ClientContext* context) {
  context->set_deadline(std::chrono::system_clock::now() + kPatience);
}

// Each fourth question is wrong.
void Ask(const Channel& channel, int64_t visit) {
  grpc::ClientContext context;
  SetDeadline(&context);
  v1::RecommendResponse response;
  v1::RecommendRequest question = bench::MakeQuestion(visit);
  const bool is_wrong = visit % 4 == 0;
  if (is_wrong) question.set_machine("nowhere");
  Expect("a question",
         v1::AdviceService::NewStub(channel)->Recommend(&context, question, &response),
         is_wrong ? grpc::StatusCode::NOT_FOUND : grpc::StatusCode::OK);
}

void List(const Channel& channel, int64_t /*visit*/) {
  grpc::ClientContext context;
  SetDeadline(&context);
  v1::ListObservationsRequest request;
  request.set_page_size(100);
  v1::ListObservationsResponse response;
  Expect("a page",
         v1::ObservationService::NewStub(channel)->ListObservations(&context, request, &response),
         grpc::StatusCode::OK);
}

// A job of its own. Some streams say goodbye, others do not.
void Report(const Channel& channel, int64_t visit) {
  constexpr int kRows = 8;
  grpc::ClientContext context;
  SetDeadline(&context);
  const auto stream = v1::ObservationService::NewStub(channel)->StreamObservations(&context);
  v1::StreamObservationsRequest request;
  request.mutable_batch()->set_job(absl::StrCat("visit-", visit));
  request.mutable_batch()->set_sequence(1);
  for (int i = 0; i < kRows; ++i) {
    *request.mutable_batch()->add_observations() = bench::MakeObservation(visit + i);
  }
  v1::StreamObservationsResponse response;
  if (!stream->Write(request) || !stream->Read(&response)) Fail("no acknowledgement");
  const bool says_goodbye = visit % 2 == 0;
  if (says_goodbye) {
    stream->WritesDone();
  } else {
    context.TryCancel();
  }
  Expect("a stream", stream->Finish(),
         says_goodbye ? grpc::StatusCode::OK : grpc::StatusCode::CANCELLED);
}

void Watch(const Channel& channel, int64_t /*visit*/) {
  grpc::ClientContext context;
  SetDeadline(&context);
  v1::WatchProfileRequest request;
  request.set_parent("machines/site");
  const auto stream = v1::ProfileService::NewStub(channel)->WatchProfile(&context, request);
  v1::Profile profile;
  if (!stream->Read(&profile)) Fail("no profile");
  context.TryCancel();
  Expect("a watch", stream->Finish(), grpc::StatusCode::CANCELLED);
}

struct Part {
  const char* name;
  void (*run)(const Channel& channel, int64_t visit);
};
constexpr Part kParts[] = {{"ask", Ask}, {"list", List}, {"report", Report}, {"watch", Watch}};

// A page, and half a request.
void Browse(int http_port, int64_t visit) {
  const std::string page = visit % 2 == 0 ? "/metrics" : "/healthz";
  const std::string answer = Get(http_port, page);
  if (answer.find(" 200 ") == std::string::npos) Fail(absl::StrCat(page, ": ", answer));
  Get(http_port, "");
}

struct Plan {
  int64_t visits = 20'000;
  // Of chance. With reports learning takes more, up to its limits: server/learn has them.
  double growth_bytes = 8'192;
  std::vector<std::string> only;
};

bool Has(const Plan& plan, const char* part) {
  return plan.only.empty() ||
         std::find(plan.only.begin(), plan.only.end(), part) != plan.only.end();
}

// A client that comes, does all that a client does, and goes.
void Visit(const Plan& plan, const std::string& socket, int http_port, int64_t visit) {
  const Channel channel = ConnectUnix(socket, 60);
  if (channel == nullptr) Fail("no connection");
  for (const Part& part : kParts) {
    if (Has(plan, part.name)) part.run(channel, visit);
  }
  if (Has(plan, "browse")) Browse(http_port, visit);
}

struct Sample {
  double time_s = 0;
  double memory_mib = 0;
};

// Of the line through the samples that has the least squares.
double SlopeMibPerHour(const std::vector<Sample>& samples) {
  double time_s = 0;
  double memory_mib = 0;
  for (const Sample& sample : samples) {
    time_s += sample.time_s / static_cast<double>(samples.size());
    memory_mib += sample.memory_mib / static_cast<double>(samples.size());
  }
  double products = 0;
  double squares = 0;
  for (const Sample& sample : samples) {
    products += (sample.time_s - time_s) * (sample.memory_mib - memory_mib);
    squares += (sample.time_s - time_s) * (sample.time_s - time_s);
  }
  return squares > 0 ? products / squares * 3'600 : 0;
}

double MemoryMib(pid_t pid) {
  return static_cast<double>(ResidentBytes(pid)) / static_cast<double>(1 << 20);
}

// Waits until the count is at most `most`.
void AwaitAtMost(const char* what, const std::function<int()>& count, int most) {
  const Clock::time_point start = Clock::now();
  while (count() > most) {
    if (SecondsSince(start) > 60) Fail(absl::StrCat(count(), " ", what, " stay; before: ", most));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void Measure(const Plan& plan) {
  const int64_t visits = plan.visits;
  // Static: they end with the program, however it ends.
  static const bench::ScratchDirectory directory;
  const std::string socket = directory.path() + "/s";
  static const CoxdProcess coxd(
      {"--data", directory.path() + "/data", "--listen", "unix:" + socket, "--http", "127.0.0.1:0"},
      directory.path() + "/log");
  const auto keeper = ConnectUnix(socket, 60);  // gRPC's threads of this process stay
  if (keeper == nullptr) Fail(coxd.Log());
  bench::FillMachine(keeper);
  const int http_port = PortAfter(coxd, "http=127.0.0.1:");
  // The first third fills caches that all share.
  const int64_t warm = visits / 3;
  const int64_t step = std::max<int64_t>(1, (visits - warm) / 100);
  std::vector<Sample> samples;
  int threads = 0;
  int descriptors = 0;
  const Clock::time_point start = Clock::now();
  for (int64_t visit = 1; visit <= visits; ++visit) {
    const Clock::time_point came = Clock::now();
    Visit(plan, socket, http_port, visit);
    std::this_thread::sleep_for(Clock::now() - came);  // half load
    if (visit <= warm) {
      threads = std::max(threads, ThreadCount(coxd.pid()));
      descriptors = std::max(descriptors, DescriptorCount(coxd.pid()));
    } else if ((visit - warm) % step == 0) {
      samples.push_back({SecondsSince(start), MemoryMib(coxd.pid())});
    }
  }
  PrintHead();
  Print("visits, seconds", absl::StrFormat("%d, %.0f", visits, SecondsSince(start)));
  Print("descriptors, the most in the first third, and at the end",
        absl::StrCat(descriptors, ", ", DescriptorCount(coxd.pid())));
  Print("threads, the most in the first third, and at the end",
        absl::StrCat(threads, ", ", ThreadCount(coxd.pid())));
  const double grown_mib = samples.back().memory_mib - samples.front().memory_mib;
  const double per_visit_bytes =
      grown_mib * (1 << 20) / static_cast<double>(std::max<int64_t>(1, visits - warm));
  Print("memory after the first third, and at the end",
        absl::StrFormat("%.1f MiB, %.1f MiB: %.0f bytes a visit", samples.front().memory_mib,
                        samples.back().memory_mib, per_visit_bytes));
  Print("slope of memory", absl::StrFormat("%.2f MiB/h", SlopeMibPerHour(samples)));
  AwaitAtMost(
      "descriptors", [&] { return DescriptorCount(coxd.pid()); }, descriptors);
  AwaitAtMost(
      "threads", [&] { return ThreadCount(coxd.pid()); }, threads + kSpareThreads);
  if (per_visit_bytes > plan.growth_bytes) {
    Fail(absl::StrFormat("memory grows by %.0f bytes a visit", per_visit_bytes));
  }
}

int Main(int argc, char** argv) {
  Plan plan;
  CLI::App app("Comes to coxd and goes, and looks for what coxd keeps.", "load_leaks");
  app.add_option("--visits", plan.visits, "clients that come and go")
      ->check(CLI::Range(30, 100'000'000))
      ->capture_default_str();
  app.add_option("--growth", plan.growth_bytes, "most memory that a visit may leave, bytes")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  app.add_option("--only", plan.only, "parts of a visit; without it all")
      ->check(CLI::IsMember({"connect", "ask", "list", "report", "watch", "browse"}))
      ->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  RaiseFileLimit(512);
  Measure(plan);
  return 0;
}

}  // namespace
}  // namespace cox::load

int main(int argc, char** argv) { return cox::load::RunMain(cox::load::Main, argc, argv); }
