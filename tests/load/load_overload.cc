// What a flood of hostile clients takes from an innocent one: starts its own coxd, floods it from a
// process of low priority (as if it ran on other hosts), and asks, reports and looks at health all
// the while. Prints a table for docs/reliability.md. Fails if the innocent is refused, if health
// says that coxd does not serve, if memory goes beyond its limit, or if something is not given
// back.
#include <fcntl.h>
#include <grpcpp/grpcpp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cox/v1/advice.grpc.pb.h"
#include "cox/v1/observation.grpc.pb.h"
#include "coxd_process.h"
#include "flood.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "measured_machine.h"
#include "ports.h"
#include "process_cost.h"
#include "report.h"
#include "scratch_directory.h"

namespace cox::load {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPause{10};
constexpr std::chrono::seconds kPatience{60};
// Of connections that come and go with any client.
constexpr int kSpareDescriptors = 8;

struct Plan {
  FloodPlan flood;
  int max_streams = 1'024;
  int max_memory_mib = 512;
  bool has_quotas = true;
  int flood_nice = 10;
};

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A client that asks and reports as a job does, one call after another.
class Innocent {
 public:
  explicit Innocent(std::string socket)
      : socket_(std::move(socket)), channel_(ConnectUnix(socket_, 60)) {
    if (channel_ == nullptr) Fail("no connection");
  }
  // One round; a refusal ends the program.
  void Go() {
    const Clock::time_point start = Clock::now();
    Ask(channel_);
    question_s.push_back(SecondsSince(start));
    const Clock::time_point asked = Clock::now();
    Report();
    report_s.push_back(SecondsSince(asked));
    CheckHealth();
    // A new client comes in, too.
    constexpr int kEvery = 20;
    if (++rounds_ % kEvery == 0) {
      const auto channel = ConnectUnix(socket_, 60);
      if (channel == nullptr) Fail("a new client finds no connection");
      Ask(channel);
    }
  }

  std::vector<double> question_s;
  std::vector<double> report_s;

 private:
  static void Check(const char* what, const grpc::Status& status) {
    if (!status.ok()) {
      Fail(absl::StrCat(what, " failed: ", status.error_code(), " ", status.error_message()));
    }
  }
  void Ask(const std::shared_ptr<grpc::Channel>& channel) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kPatience);
    v1::RecommendResponse response;
    Check("a question", v1::AdviceService::NewStub(channel)->Recommend(
                            &context, bench::MakeQuestion(rounds_), &response));
  }
  void Report() {
    v1::ReportObservationsRequest request;
    request.set_job("innocent");
    request.set_sequence(rounds_ + 1);
    *request.add_observations() = bench::MakeObservation(rounds_);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kPatience);
    v1::ReportObservationsResponse response;
    Check("a report", v1::ObservationService::NewStub(channel_)->ReportObservations(
                          &context, request, &response));
  }
  void CheckHealth() {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kPatience);
    grpc::health::v1::HealthCheckResponse response;
    Check("a look at health",
          grpc::health::v1::Health::NewStub(channel_)->Check(&context, {}, &response));
    if (response.status() != grpc::health::v1::HealthCheckResponse::SERVING) {
      Fail(absl::StrCat("health is ", response.status()));
    }
  }

  const std::string socket_;
  const std::shared_ptr<grpc::Channel> channel_;
  int64_t rounds_ = 0;
};

void GoUntil(Innocent* innocent, const std::function<bool()>& is_over) {
  while (!is_over()) {
    innocent->Go();
    std::this_thread::sleep_for(kPause);
  }
}

// This program again, as the flood: the lines of its standard output go to the file.
pid_t StartFlood(const Plan& whole, int grpc_port, int http_port, const std::string& path) {
  const FloodPlan& plan = whole.flood;
  std::vector<std::string> words = {"/proc/self/exe", "--flood"};
  const std::pair<const char*, double> options[] = {
      {"--grpc-port", grpc_port},    {"--http-port", http_port}, {"--askers", plan.askers},
      {"--batches", plan.batches},   {"--idle", plan.idle},      {"--streams", plan.streams},
      {"--trickles", plan.trickles}, {"--seconds", plan.seconds}};
  for (const auto& [name, value] : options) {
    words.emplace_back(name);
    words.push_back(absl::StrCat(value));
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    const int out = open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    dup2(out, STDOUT_FILENO);
    setpriority(PRIO_PROCESS, 0, whole.flood_nice);
    execv(argv[0], argv.data());
    _exit(127);
  }
  return pid;
}

bool HasEnded(pid_t pid) {
  int status = 0;
  const pid_t ended = waitpid(pid, &status, WNOHANG);
  if (ended == pid && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) Fail("the flood broke");
  return ended == pid;
}

// Returns what the kinds say, as "KIND SERVED REFUSED UNREACHABLE WRONG PROBLEM" lines have it.
std::map<std::string, Fate> ReadFates(const std::string& path) {
  std::map<std::string, Fate> fates;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind;
    Fate fate;
    words >> kind >> fate.served >> fate.refused >> fate.unreachable >> fate.wrong;
    std::getline(words, fate.problem);
    fates[kind] = fate;
  }
  return fates;
}

void PrintTimes(const std::string& what, const std::vector<double>& before,
                const std::vector<double>& during) {
  Print(what + ", p50 and p99 before",
        Ms(Quantile(before, 0.5)) + ", " + Ms(Quantile(before, 0.99)));
  Print(
      what + ", p50 and p99 in the flood",
      absl::StrFormat("%s, %s: %.1f times the p99", Ms(Quantile(during, 0.5)),
                      Ms(Quantile(during, 0.99)), Quantile(during, 0.99) / Quantile(before, 0.99)));
}

void CheckFates(const std::map<std::string, Fate>& fates, const Plan& plan) {
  int64_t refused = 0;
  for (const auto& [kind, fate] : fates) {
    Print(absl::StrCat("flood: ", kind, ": served, refused, unreachable"),
          absl::StrFormat("%d, %d, %d", fate.served, fate.refused, fate.unreachable));
    if (fate.wrong > 0) Fail(absl::StrCat(kind, ": ", fate.wrong, " times ", fate.problem));
    refused += fate.refused;
  }
  if (refused == 0) Fail("nothing was refused: this was no flood");
  if (fates.at("stream").served > plan.max_streams) Fail("more streams than --max-streams");
}

// coxd listens for the innocent on a Unix socket, and for everybody on a port.
std::vector<std::string> Settings(const Plan& plan, const std::string& directory) {
  std::vector<std::string> settings = {
      "--data",           directory + "/data",
      "--listen",         absl::StrCat("unix:", directory, "/s,127.0.0.1:0"),
      "--http",           "127.0.0.1:0",
      "--anonymous-role", "reporter",
      "--max-streams",    absl::StrCat(plan.max_streams),
      "--max-memory",     absl::StrCat(plan.max_memory_mib, "MiB")};
  if (plan.has_quotas) return settings;
  for (const char* quota : {"rows", "machines", "jobs", "questions", "streams", "connections"}) {
    settings.push_back(absl::StrCat("--quota-", quota));
    settings.emplace_back("0");
  }
  return settings;
}

void Measure(const Plan& plan) {
  // Static: they end with the program, however it ends.
  static const bench::ScratchDirectory directory;
  static const CoxdProcess coxd(Settings(plan, directory.path()), directory.path() + "/log");
  const std::string socket = directory.path() + "/s";
  Innocent innocent(socket);
  bench::FillMachine(ConnectUnix(socket, 60));
  const int grpc_port = PortAfter(coxd, ",127.0.0.1:");
  const int http_port = PortAfter(coxd, "http=127.0.0.1:");
  const Clock::time_point start = Clock::now();
  GoUntil(&innocent, [&] { return SecondsSince(start) > plan.flood.seconds / 2; });
  const std::vector<double> question_s = std::exchange(innocent.question_s, {});
  const std::vector<double> report_s = std::exchange(innocent.report_s, {});
  const int descriptors = DescriptorCount(coxd.pid());

  PrintHead();
  const std::string said = directory.path() + "/said";
  const pid_t flood = StartFlood(plan, grpc_port, http_port, said);
  int most_threads = 0;
  int most_descriptors = 0;
  GoUntil(&innocent, [&] {
    most_threads = std::max(most_threads, ThreadCount(coxd.pid()));
    most_descriptors = std::max(most_descriptors, DescriptorCount(coxd.pid()));
    return HasEnded(flood);
  });
  const Clock::time_point ended = Clock::now();
  PrintTimes("question of the innocent", question_s, innocent.question_s);
  PrintTimes("report of the innocent", report_s, innocent.report_s);
  CheckFates(ReadFates(said), plan);
  Print("most descriptors and threads of coxd", absl::StrCat(most_descriptors, ", ", most_threads));
  const int64_t most_mib = MostResidentBytes(coxd.pid()) >> 20;
  Print("most memory of coxd (max-memory)",
        absl::StrFormat("%d MiB (%d MiB)", most_mib, plan.max_memory_mib));
  if (most_mib > plan.max_memory_mib) Fail("memory went beyond max-memory");

  // All is given back, and answers are as fast as before.
  constexpr int kWindow = 20;
  const double usual_s = 3 * Quantile(question_s, 0.99);
  const auto has_given_back = [&] {
    return DescriptorCount(coxd.pid()) <= descriptors + kSpareDescriptors;
  };
  const auto is_fast = [&] {
    const std::vector<double>& all = innocent.question_s;
    return all.size() >= kWindow && Quantile({all.end() - kWindow, all.end()}, 1) <= usual_s;
  };
  const auto is_late = [&] { return Clock::now() - ended > kPatience; };
  innocent.question_s.clear();
  GoUntil(&innocent, [&] { return (has_given_back() && is_fast()) || is_late(); });
  if (!has_given_back()) {
    Fail(absl::StrCat("a minute after the flood coxd has ", DescriptorCount(coxd.pid()),
                      " descriptors; before it had ", descriptors));
  }
  Print("until all is given back and 20 questions take at most 3 times the p99 before",
        is_fast() ? Ms(SecondsSince(ended)) : "more than a minute");
}

int Main(int argc, char** argv) {
  Plan plan;
  FloodPlan& flood = plan.flood;
  bool is_flood = false;
  int grpc_port = 0;
  int http_port = 0;
  CLI::App app("Floods coxd, and measures what an innocent client still gets.", "load_overload");
  const std::pair<const char*, std::pair<int*, const char*>> counts[] = {
      {"--askers", {&flood.askers, "clients that ask all the time"}},
      {"--batches", {&flood.batches, "clients that send the largest batch all the time"}},
      {"--idle", {&flood.idle, "connections that never call"}},
      {"--streams", {&flood.streams, "streams without end"}},
      {"--trickles", {&flood.trickles, "connections that send a byte at a time"}},
      {"--max-streams", {&plan.max_streams, "max-streams of coxd"}},
      {"--max-memory", {&plan.max_memory_mib, "max-memory of coxd, MiB"}},
  };
  for (const auto& [name, option] : counts) {
    app.add_option(name, *option.first, option.second)
        ->check(CLI::Range(1, 15'000))
        ->capture_default_str();
  }
  app.add_option("--seconds", flood.seconds, "length of the flood")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
  app.add_option("--quotas", plan.has_quotas, "whether coxd has its default quotas")
      ->capture_default_str();
  app.add_option("--flood-nice", plan.flood_nice, "priority of the flood, as of nice")
      ->check(CLI::Range(0, 19))
      ->capture_default_str();
  app.add_flag("--flood", is_flood, "be the flood")->group("");
  app.add_option("--grpc-port", grpc_port, "of coxd")->group("");
  app.add_option("--http-port", http_port, "of coxd")->group("");
  CLI11_PARSE(app, argc, argv);
  RaiseFileLimit(flood.askers + flood.batches + flood.idle + flood.streams + flood.trickles + 512);
  if (!is_flood) {
    Measure(plan);
    return 0;
  }
  for (const auto& [kind, fate] : Flood(flood, grpc_port, http_port)) {
    std::printf("%s %ld %ld %ld %ld %s\n", kind.c_str(), fate.served, fate.refused,
                fate.unreachable, fate.wrong, fate.problem.c_str());
  }
  return 0;
}

}  // namespace
}  // namespace cox::load

int main(int argc, char** argv) { return cox::load::RunMain(cox::load::Main, argc, argv); }
