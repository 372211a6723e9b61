// What a long history costs: the time until a started coxd answers, and its answers, with ten
// million observations in the database, against the same with none.
#include <fcntl.h>
#include <grpcpp/grpcpp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench_line.h"
#include "cox/v1/advice.grpc.pb.h"
#include "cox/v1/model.grpc.pb.h"
#include "measured_machine.h"
#include "scratch_directory.h"
#include "service/convert/observation.h"
#include "service/server.h"
#include "store/store.h"

namespace cox::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kObservations = 10'000'000;
constexpr int kRounds = 9;
constexpr int kTurns = 41;
constexpr int kQuestions = 500;

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A machine with its profile and its scenarios.
void Fill(const std::string& directory) {
  const auto config = daemon::MakeConfig(
      {{{"data", directory}, {"listen", "127.0.0.1:0"}, {"log-level", "error"}}});
  auto server = service::Server::Start(*config);
  if (!server.ok()) Fail(server.status().ToString());
  FillMachine(grpc::CreateChannel((*server)->address(), grpc::InsecureChannelCredentials()));
}

// Adds `count` observations of those scenarios, and a profile that has learned from them: as a
// daemon leaves the database that saw them come in.
void AddHistory(const std::string& directory, int64_t count) {
  store::StoreOptions options;
  options.directory = directory;
  auto store = store::OpenSqlite(options);
  if (!store.ok()) Fail(store.status().ToString());
  std::mutex mutex;
  std::condition_variable acknowledged;
  int64_t in_flight = 0;
  constexpr int64_t kRowsPerBatch = 5'000;
  for (int64_t first = 0; first < count; first += kRowsPerBatch) {
    store::ObservationBatch batch;
    for (int64_t i = first; i < first + kRowsPerBatch; ++i) {
      auto record = service::ToRecord(MakeObservation(i % kScenarioCount), i);
      if (!record.ok()) Fail(record.status().ToString());
      batch.observations.push_back(*std::move(record));
    }
    std::unique_lock lock(mutex);
    acknowledged.wait(lock, [&] { return in_flight < 10; });
    ++in_flight;
    lock.unlock();
    (*store)->AppendObservations(std::move(batch), [&](const auto& result) {
      if (!result.ok()) Fail(result.status().ToString());
      std::lock_guard inner(mutex);
      --in_flight;
      acknowledged.notify_one();
    });
  }
  std::unique_lock lock(mutex);
  acknowledged.wait(lock, [&] { return in_flight == 0; });
  auto profile = (*store)->GetProfile("site", 0);
  if (!profile.ok()) Fail(profile.status().ToString());
  profile->observations_through_id = *(*store)->LastObservationId();
  if (const auto added = (*store)->AddProfile(*profile, ""); !added.ok()) {
    Fail(added.status().ToString());
  }
}

class Coxd {
 public:
  Coxd(const std::string& directory, const std::string& socket) : start_(Clock::now()) {
    const std::string listen = "unix:" + socket;
    pid_ = fork();
    if (pid_ == 0) {
      execl(COX_COXD, COX_COXD, "--data", directory.c_str(), "--listen", listen.c_str(),
            "--log-level", "error", nullptr);
      _exit(127);
    }
    // gRPC's own retry is coarser than the measured times.
    while (::access(socket.c_str(), F_OK) != 0) {
      if (SecondsSince(start_) > 120) Fail("coxd does not start");
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    channel_ = grpc::CreateCustomChannel(listen, grpc::InsecureChannelCredentials(), arguments);
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    v1::ListModelsResponse models;
    const grpc::Status status =
        v1::ModelService::NewStub(channel_)->ListModels(&context, v1::ListModelsRequest(), &models);
    if (!status.ok()) Fail(status.error_message());
    start_s_ = SecondsSince(start_);
  }
  ~Coxd() {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  Coxd(const Coxd&) = delete;
  Coxd& operator=(const Coxd&) = delete;

  // From the start to the first answer.
  double start_s() const { return start_s_; }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

 private:
  const Clock::time_point start_;
  pid_t pid_ = -1;
  std::shared_ptr<grpc::Channel> channel_;
  double start_s_ = 0;
};

double MedianQuestionSeconds(const std::shared_ptr<grpc::Channel>& channel) {
  const auto stub = v1::AdviceService::NewStub(channel);
  std::vector<double> times_s;
  for (int i = 0; i < kQuestions; ++i) {
    const v1::RecommendRequest question = MakeQuestion(i);
    v1::RecommendResponse response;
    grpc::ClientContext context;
    const auto start = Clock::now();
    const grpc::Status status = stub->Recommend(&context, question, &response);
    times_s.push_back(SecondsSince(start));
    if (!status.ok()) Fail(status.error_message());
  }
  return Median(times_s);
}

int Main() {
  const ScratchDirectory scratch;
  const std::string directories[] = {scratch.path() + "/short", scratch.path() + "/long",
                                     scratch.path() + "/empty"};
  Fill(directories[0]);
  Fill(directories[1]);
  std::fprintf(stderr, "storing %lld observations\n", static_cast<long long>(kObservations));
  AddHistory(directories[0], 0);
  AddHistory(directories[1], kObservations);
  std::vector<double> starts_s[3];
  std::vector<double> questions_s[2];
  for (int round = 0; round < kRounds; ++round) {
    for (int which : {2, 0, 1}) {
      const Coxd coxd(directories[which],
                      scratch.path() + "/" + std::to_string(round) + std::to_string(which));
      starts_s[which].push_back(coxd.start_s());
    }
  }
  // Both at once, turn by turn: processors that fall asleep between calls would drown the
  // difference.
  const Coxd few(directories[0], scratch.path() + "/few");
  const Coxd many(directories[1], scratch.path() + "/many");
  for (int turn = 0; turn < kTurns; ++turn) {
    questions_s[0].push_back(MedianQuestionSeconds(few.channel()));
    questions_s[1].push_back(MedianQuestionSeconds(many.channel()));
  }
  PrintAtMost("start of coxd with 10 M observations (ms), against none at all",
              1e3 * Median(starts_s[1]), 1e3 * Median(starts_s[2]), 2);
  PrintAtMost("the same, against 2,000 observations of the same scenarios (ms)",
              1e3 * Median(starts_s[1]), 1e3 * Median(starts_s[0]), 1.1);
  PrintAtMost("Recommend p50 with 10 M observations (us), against 2,000",
              1e6 * Median(questions_s[1]), 1e6 * Median(questions_s[0]), 1.1);
  return 0;
}

}  // namespace
}  // namespace cox::bench

int main() { return cox::bench::Main(); }
