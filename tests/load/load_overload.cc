// What a flood of hostile clients takes from an innocent one: starts its own coxd, floods it from a
// process of low priority (as if it ran on other hosts), and asks, reports and looks at health all
// the while. The innocent has a token of a reporter, so that quotas and turns count for it as for
// any user. Prints a table for docs/reliability.md. Fails if the innocent is refused or waits too
// long (kBounds), if health says that coxd does not serve, if memory goes beyond its limit, or if
// something is not given back in time.
//
// All processes share this host's processors, so the innocent waits for them, too. What it waits
// for them alone is measured in the same run: the same flood first goes to another coxd beside it.
#include <fcntl.h>
#include <grpcpp/grpcpp.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
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
#include "cox/v1/access.grpc.pb.h"
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
  bool is_pinned = false;
  std::string coxd;  // "": the built one
};

// What the innocent does.
enum Call { kQuestion, kTuning, kReport, kCallCount };
constexpr const char* kCallNames[kCallCount] = {"question", "tuning", "report"};
using Times = std::array<std::vector<double>, kCallCount>;  // in s

// The longest p99 in the flood: this many times that beside it, or this long, whichever is longer.
// They hold with a load of 23 on two processors, where a report took 11 times as long (15,000 rows
// a batch). A daemon that makes the innocent wait for the flood's whole queue still fails.
struct Bound {
  double times;
  double most_s;
};
constexpr Bound kBounds[kCallCount] = {{8, 0.5}, {8, 0.5}, {20, 1}};
constexpr double kMostRecovery_s = 10;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A client that asks and reports as a job does, one call after another.
class Innocent {
 public:
  explicit Innocent(std::string socket)
      : socket_(std::move(socket)), channel_(ConnectUnix(socket_, 60)) {
    if (channel_ == nullptr) Fail("no connection");
    BecomeReporter();
  }
  // One round; a refusal ends the program.
  void Go() {
    Time(kQuestion, [this] { Ask(channel_); });
    Time(kTuning, [this] { AskTuning(); });
    Time(kReport, [this] { Report(); });
    CheckHealth();
    // A new client comes in, too.
    constexpr int kEvery = 20;
    if (++rounds_ % kEvery == 0) {
      const auto channel = ConnectUnix(socket_, 60);
      if (channel == nullptr) Fail("a new client finds no connection");
      Ask(channel);
    }
  }

  Times times;

 private:
  template <typename Function>
  void Time(Call call, const Function& function) {
    const Clock::time_point start = Clock::now();
    function();
    times[call].push_back(SecondsSince(start));
  }
  // From now on calls carry a token of their own principal, who is not coxd's user.
  void BecomeReporter() {
    v1::CreateTokenRequest request;
    request.mutable_token()->set_name("tokens/innocent");
    request.mutable_token()->set_role(v1::ROLE_REPORTER);
    grpc::ClientContext context;
    v1::CreateTokenResponse made;
    Check("the creation of a token",
          v1::AccessService::NewStub(channel_)->CreateToken(&context, request, &made));
    authorization_ = absl::StrCat("Bearer ", made.text());
    v1::WhoAmIResponse self;
    const std::unique_ptr<grpc::ClientContext> asking = NewContext();
    Check("the question who it is",
          v1::AccessService::NewStub(channel_)->WhoAmI(asking.get(), {}, &self));
    if (self.role() != v1::ROLE_REPORTER) Fail(absl::StrCat("the innocent is ", self.principal()));
  }
  std::unique_ptr<grpc::ClientContext> NewContext() const {
    auto context = std::make_unique<grpc::ClientContext>();
    context->set_deadline(std::chrono::system_clock::now() + kPatience);
    context->AddMetadata("authorization", authorization_);
    return context;
  }
  static void Check(const char* what, const grpc::Status& status) {
    if (!status.ok()) {
      Fail(absl::StrCat(what, " failed: ", status.error_code(), " ", status.error_message()));
    }
  }
  void Ask(const std::shared_ptr<grpc::Channel>& channel) {
    const std::unique_ptr<grpc::ClientContext> context = NewContext();
    v1::RecommendResponse response;
    Check("a question", v1::AdviceService::NewStub(channel)->Recommend(
                            context.get(), bench::MakeQuestion(rounds_), &response));
  }
  // What a job waits for before it starts. Another shape each time, so that it is computed.
  void AskTuning() {
    v1::GetTuningRequest request;
    request.set_machine("site");
    request.set_library("openmpi-4.1");
    request.set_nodes(1 + rounds_ % kShapes);
    request.set_ppn(1 + rounds_ / kShapes % kShapes);
    request.add_collectives("bcast");
    const std::unique_ptr<grpc::ClientContext> context = NewContext();
    v1::GetTuningResponse response;
    Check("a question for a tuning",
          v1::AdviceService::NewStub(channel_)->GetTuning(context.get(), request, &response));
  }
  void Report() {
    v1::ReportObservationsRequest request;
    request.set_job("innocent");
    request.set_sequence(rounds_ + 1);
    *request.add_observations() = bench::MakeObservation(rounds_);
    const std::unique_ptr<grpc::ClientContext> context = NewContext();
    v1::ReportObservationsResponse response;
    Check("a report", v1::ObservationService::NewStub(channel_)->ReportObservations(
                          context.get(), request, &response));
  }
  void CheckHealth() {
    const std::unique_ptr<grpc::ClientContext> context = NewContext();
    grpc::health::v1::HealthCheckResponse response;
    Check("a look at health",
          grpc::health::v1::Health::NewStub(channel_)->Check(context.get(), {}, &response));
    if (response.status() != grpc::health::v1::HealthCheckResponse::SERVING) {
      Fail(absl::StrCat("health is ", response.status()));
    }
  }

  static constexpr int64_t kShapes = 16;
  const std::string socket_;
  const std::shared_ptr<grpc::Channel> channel_;
  std::string authorization_;
  int64_t rounds_ = 0;
};

void GoUntil(Innocent* innocent, const std::function<bool()>& is_over) {
  while (!is_over()) {
    innocent->Go();
    std::this_thread::sleep_for(kPause);
  }
}

// The process runs on this processor only, with all its threads.
void PinTo(pid_t pid, int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  // The threads that are there; those that they start inherit it.
  for (const auto& thread :
       std::filesystem::directory_iterator(absl::StrCat("/proc/", pid, "/task"))) {
    if (sched_setaffinity(std::stoi(thread.path().filename()), sizeof(set), &set) != 0) {
      Fail(absl::StrCat("--pin needs processor ", processor));
    }
  }
}

// This program again, as the flood: the lines of its standard output go to the file.
pid_t StartFlood(const Plan& whole, int grpc_port, int http_port, const std::string& path) {
  const FloodPlan& plan = whole.flood;
  std::vector<std::string> words = {"/proc/self/exe", "--flood"};
  const std::pair<const char*, double> options[] = {
      {"--grpc-port", grpc_port},  {"--http-port", http_port},    {"--askers", plan.askers},
      {"--batches", plan.batches}, {"--rows", plan.rows},         {"--idle", plan.idle},
      {"--streams", plan.streams}, {"--trickles", plan.trickles}, {"--seconds", plan.seconds}};
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

void PrintTimes(const Times& before, const Times& beside, const Times& during) {
  for (int call = 0; call < kCallCount; ++call) {
    const double before_s = Quantile(before[call], 0.99);
    const double beside_s = Quantile(beside[call], 0.99);
    const double during_s = Quantile(during[call], 0.99);
    const auto print = [call](const char* when, const std::vector<double>& times_s,
                              const std::string& than) {
      Print(absl::StrCat(kCallNames[call], " of the innocent, p50 and p99 ", when),
            absl::StrCat(Ms(Quantile(times_s, 0.5)), ", ", Ms(Quantile(times_s, 0.99)), than));
    };
    print("before", before[call], "");
    print("while another coxd is flooded", beside[call],
          absl::StrFormat(": %.1f times that before", beside_s / before_s));
    print("in the flood", during[call],
          absl::StrFormat(": %.1f times that before, %.1f times that beside", during_s / before_s,
                          during_s / beside_s));
  }
}

void CheckTimes(const Times& beside, const Times& during) {
  for (int call = 0; call < kCallCount; ++call) {
    const auto& [times, most_s] = kBounds[call];
    const double bound_s = std::max(times * Quantile(beside[call], 0.99), most_s);
    if (const double during_s = Quantile(during[call], 0.99); during_s > bound_s) {
      Fail(absl::StrCat("a ", kCallNames[call], " of the innocent takes ", Ms(during_s),
                        " (p99), more than ", Ms(bound_s)));
    }
  }
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
  if (plan.has_quotas) {
    // As if the flood came from four hosts.
    settings.insert(settings.end(), {"--quota-connections", "1024"});
    return settings;
  }
  for (const char* quota : {"rows", "machines", "jobs", "questions", "streams", "connections"}) {
    settings.push_back(absl::StrCat("--quota-", quota));
    settings.emplace_back("0");
  }
  return settings;
}

// A coxd with its flood.
class Flooded {
 public:
  Flooded(const Plan& plan, const std::string& name)
      : plan_(plan),
        path_(MakeFolder(absl::StrCat(directory_.path(), "/", name))),
        coxd_(Settings(plan, path_), path_ + "/log", 0, plan.coxd) {
    bench::FillMachine(ConnectUnix(socket(), 60));
    if (plan.is_pinned) PinTo(coxd_.pid(), 0);
    grpc_port_ = PortAfter(coxd_, ",127.0.0.1:");
    http_port_ = PortAfter(coxd_, "http=127.0.0.1:");
  }

  std::string socket() const { return path_ + "/s"; }
  pid_t pid() const { return coxd_.pid(); }

  // Floods it while the innocent goes on; calls `look` after each of its rounds.
  std::map<std::string, Fate> Flood(Innocent* innocent, const std::function<void()>& look) const {
    const std::string said = path_ + "/said";
    const pid_t flood = StartFlood(plan_, grpc_port_, http_port_, said);
    if (plan_.is_pinned) PinTo(flood, 1);
    GoUntil(innocent, [&] {
      look();
      return HasEnded(flood);
    });
    return ReadFates(said);
  }

 private:
  static std::string MakeFolder(std::string path) {
    std::filesystem::create_directory(path);
    return path;
  }

  const bench::ScratchDirectory directory_;
  const Plan plan_;
  const std::string path_;
  const CoxdProcess coxd_;
  int grpc_port_ = 0;
  int http_port_ = 0;
};

// What the innocent of `coxd` waits for while the same flood goes to another coxd.
Times MeasureBeside(const Plan& plan, Innocent* innocent) {
  const Flooded other(plan, "other");
  innocent->times = {};
  other.Flood(innocent, [] {});
  return std::exchange(innocent->times, {});
}

void Measure(const Plan& plan) {
  // Static: it ends with the program, however it ends.
  static const Flooded coxd(plan, "coxd");
  if (plan.is_pinned) PinTo(getpid(), 1);
  Innocent innocent(coxd.socket());
  const Clock::time_point start = Clock::now();
  GoUntil(&innocent, [&] { return SecondsSince(start) > plan.flood.seconds / 2; });
  const Times before = std::exchange(innocent.times, {});
  const Times beside = MeasureBeside(plan, &innocent);
  const int descriptors = DescriptorCount(coxd.pid());

  PrintHead();
  int most_threads = 0;
  int most_descriptors = 0;
  const double used_s = ProcessorTime_s(coxd.pid());
  const Clock::time_point begun = Clock::now();
  const std::map<std::string, Fate> fates = coxd.Flood(&innocent, [&] {
    most_threads = std::max(most_threads, ThreadCount(coxd.pid()));
    most_descriptors = std::max(most_descriptors, DescriptorCount(coxd.pid()));
  });
  const Clock::time_point ended = Clock::now();
  const Times during = innocent.times;
  PrintTimes(before, beside, during);
  CheckFates(fates, plan);
  Print("processors that coxd used in the flood",
        absl::StrFormat("%.2f", (ProcessorTime_s(coxd.pid()) - used_s) / SecondsSince(begun)));
  Print("most descriptors and threads of coxd", absl::StrCat(most_descriptors, ", ", most_threads));
  const int64_t most_mib = MostResidentBytes(coxd.pid()) >> 20;
  Print("most memory of coxd (max-memory)",
        absl::StrFormat("%d MiB (%d MiB)", most_mib, plan.max_memory_mib));
  if (most_mib > plan.max_memory_mib) Fail("memory went beyond max-memory");

  // All is given back, and answers are as fast as before.
  constexpr int kWindow = 20;
  const double usual_s = 3 * Quantile(before[kQuestion], 0.99);
  const auto has_given_back = [&] {
    return DescriptorCount(coxd.pid()) <= descriptors + kSpareDescriptors;
  };
  const auto is_fast = [&] {
    const std::vector<double>& all = innocent.times[kQuestion];
    return all.size() >= kWindow && Quantile({all.end() - kWindow, all.end()}, 1) <= usual_s;
  };
  const auto is_late = [&] { return Clock::now() - ended > kPatience; };
  innocent.times = {};
  GoUntil(&innocent, [&] { return (has_given_back() && is_fast()) || is_late(); });
  const double recovery_s = SecondsSince(ended);
  if (!has_given_back()) {
    Fail(absl::StrCat("a minute after the flood coxd has ", DescriptorCount(coxd.pid()),
                      " descriptors; before it had ", descriptors));
  }
  Print("until all is given back and 20 questions take at most 3 times the p99 before",
        is_fast() ? Ms(recovery_s) : "more than a minute");
  CheckTimes(beside, during);
  if (!is_fast() || recovery_s > kMostRecovery_s) {
    Fail(absl::StrFormat("%.0f s after the flood the innocent still waits", recovery_s));
  }
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
      {"--rows", {&flood.rows, "rows of such a batch"}},
      {"--idle", {&flood.idle, "connections that never call"}},
      {"--streams", {&flood.streams, "streams without end"}},
      {"--trickles", {&flood.trickles, "connections that send a byte at a time"}},
      {"--max-streams", {&plan.max_streams, "max-streams of coxd"}},
      {"--max-memory", {&plan.max_memory_mib, "max-memory of coxd, MiB"}},
  };
  for (const auto& [name, option] : counts) {
    app.add_option(name, *option.first, option.second)
        ->check(CLI::Range(1, option.first == &flood.rows ? 5'000 : 20'000))
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
  app.add_flag("--pin", plan.is_pinned,
               "coxd has processor 0 for itself; the clients have processor 1");
  app.add_option("--coxd", plan.coxd, "another version of coxd, to compare with");
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
