// SIGKILL at named points of coxd's own life: around the start, the commit, the acknowledgement,
// the swap of snapshots, a backup and the end. KillPointsTest has the points of the store's files.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cox/v1/store.grpc.pb.h"
#include "coxd_process.h"
#include "daemon.h"
#include "repeats.h"
#include "store/sqlite/sqlite_store.h"
#include "watched_coxd.h"

namespace cox {
namespace {

constexpr int kPointRows = 20;
constexpr const char* kPointMachine = "delta";
constexpr std::chrono::milliseconds kBetweenBatches{10};

// Each is a point before and a point after.
const std::set<std::string>& PointFunctions() {
  static const auto* const functions = new std::set<std::string>{
      // the start
      "cox::store::OpenStore", "cox::service::Listening::Open", "cox::daemon::Learner::Start",
      "cox::service::Listening::Start", "cox::daemon::ServiceManager::Notify",
      // the commit and the acknowledgement
      "cox::store::Ingest::Append", "cox::store::Ingest::BeforeCommit",
      "cox::store::Ingest::AfterCommit", "cox::daemon::Learner::Notice", "cox::service::ToGrpc",
      "cox::service::ObservationStream::OnWriteDone",
      // the swap of snapshots, and those who hear of it
      "cox::daemon::Snapshots::Publish", "cox::daemon::Snapshots::Remove",
      "cox::daemon::ProfileFeed::Announce", "cox::daemon::Learner::Refresh",
      "cox::daemon::Learner::Forget",
      // a backup
      "cox::daemon::Backups::Make",
      // the end
      "cox::daemon::Backups::Stop", "cox::daemon::Retention::Stop",
      "cox::daemon::HealthWatch::Stop", "cox::service::AccessWatch::Stop",
      "cox::service::Listening::Stop", "cox::service::StreamRegistry::DrainAll",
      "cox::daemon::Learner::Stop", "cox::service::StreamRegistry::AwaitEmpty",
      "cox::daemon::BlockingPool::AwaitIdle", "cox::service::Turnstile::AwaitQuiet",
      "cox::daemon::EndLog"};
  return *functions;
}

// What coxd has acknowledged, and what it was asked, over all lives on one directory.
struct Promises {
  std::map<std::string, int64_t> sent{};  // the last sequence number, by job
  std::set<std::pair<std::string, int64_t>> acknowledged{};
  std::map<int64_t, double> revisions{};
  std::set<std::string> deleted{};
  std::set<std::string> forgotten{};
  std::set<std::string> backups{};
};

v1::ReportObservationsRequest PointBatch(const std::string& job, int64_t sequence) {
  v1::ReportObservationsRequest batch;
  batch.set_job(job);
  batch.set_sequence(sequence);
  batch.set_create_machines(true);
  for (int i = 0; i < kPointRows; ++i) {
    *batch.add_observations() = MakeObservation(kPointMachine, i);
  }
  return batch;
}

// A client that does all that may be interrupted, once, until coxd is gone.
class Client {
 public:
  Client(const std::shared_ptr<grpc::Channel>& channel, int life, Promises* promises)
      : channel_(channel), life_(life), promises_(promises) {}

  // True: coxd has answered everything.
  bool Live() {
    return Report("calls", false) && Report("calls", false) && SetProfile() && Stream() &&
           Report("calls", true) && DeleteMachine() && Forget() && Backup();
  }

  // Streams on until the stream ends, as agents do while coxd ends. `first`: told of the first
  // answer.
  void StreamToTheEnd(const std::function<void()>& first) {
    const auto stub = v1::ObservationService::NewStub(channel_);
    grpc::ClientContext context;
    const auto stream = stub->StreamObservations(&context);
    std::mutex mutex;
    std::thread writer([&] {
      while (true) {
        v1::StreamObservationsRequest request;
        {
          const std::lock_guard lock(mutex);
          *request.mutable_batch() = PointBatch("stream", ++promises_->sent["stream"]);
        }
        if (!stream->Write(request)) return;
        // coxd is slow under a debugger: what waits for it would only make its end late.
        std::this_thread::sleep_for(kBetweenBatches);
      }
    });
    v1::StreamObservationsResponse response;
    bool is_first = true;
    while (stream->Read(&response)) {
      if (response.error_code() != 0) continue;  // not taken
      const std::lock_guard lock(mutex);
      promises_->acknowledged.emplace("stream", response.sequence());
      if (std::exchange(is_first, false)) first();
    }
    writer.join();
    stream->Finish();
  }

 private:
  bool Report(const std::string& job, bool await_learning) {
    v1::ReportObservationsRequest batch = PointBatch(job, ++promises_->sent[job]);
    batch.set_await_learning(await_learning);
    v1::ReportObservationsResponse answer;
    if (!Call(&v1::ObservationService::Stub::ReportObservations,
              v1::ObservationService::NewStub(channel_), batch, &answer)
             .ok()) {
      return false;
    }
    promises_->acknowledged.emplace(job, batch.sequence());
    return true;
  }

  bool SetProfile() {
    v1::CreateProfileRequest request;
    request.set_parent(absl::StrCat("machines/", kPointMachine));
    v1::Parameter* parameter = request.mutable_profile()->add_parameters();
    parameter->set_model("hockney");
    parameter->set_level("network");
    parameter->set_name("alpha");
    parameter->set_value(1e-6 * (1 + life_));
    v1::Profile answer;
    if (!Call(&v1::ProfileService::Stub::CreateProfile, v1::ProfileService::NewStub(channel_),
              request, &answer)
             .ok()) {
      return false;
    }
    promises_->revisions[answer.revision()] = parameter->value();
    return true;
  }

  bool Stream() {
    const auto stub = v1::ObservationService::NewStub(channel_);
    grpc::ClientContext context;
    const auto stream = stub->StreamObservations(&context);
    constexpr int kBatches = 5;
    for (int i = 0; i < kBatches; ++i) {
      v1::StreamObservationsRequest request;
      *request.mutable_batch() = PointBatch("stream", ++promises_->sent["stream"]);
      if (!stream->Write(request)) break;
    }
    stream->WritesDone();
    v1::StreamObservationsResponse response;
    while (stream->Read(&response)) {
      EXPECT_EQ(response.error_code(), 0) << response.error_message();
      promises_->acknowledged.emplace("stream", response.sequence());
    }
    return stream->Finish().ok();
  }

  bool DeleteMachine() {
    const std::string name = absl::StrCat("machines/gone", life_);
    const auto stub = v1::MachineService::NewStub(channel_);
    v1::CreateMachineRequest create;
    create.mutable_machine()->set_name(name);
    create.mutable_machine()->set_nodes(2);
    create.mutable_machine()->set_cores_per_node(2);
    v1::Machine machine;
    if (!Call(&v1::MachineService::Stub::CreateMachine, stub, create, &machine).ok()) return false;
    v1::DeleteMachineRequest remove;
    remove.set_name(name);
    google::protobuf::Empty nothing;
    if (!Call(&v1::MachineService::Stub::DeleteMachine, stub, remove, &nothing).ok()) return false;
    promises_->deleted.insert(name);
    return true;
  }

  bool Forget() {
    const std::string job = absl::StrCat("liar", life_);
    const auto stub = v1::ObservationService::NewStub(channel_);
    v1::ReportObservationsResponse reported;
    if (!Call(&v1::ObservationService::Stub::ReportObservations, stub, PointBatch(job, 1),
              &reported)
             .ok()) {
      return false;
    }
    v1::ForgetObservationsRequest request;
    request.set_job(job);
    v1::ForgetObservationsResponse answer;
    if (!Call(&v1::ObservationService::Stub::ForgetObservations, stub, request, &answer).ok()) {
      return false;
    }
    promises_->forgotten.insert(job);
    return true;
  }

  bool Backup() {
    v1::CreateBackupResponse answer;
    if (!Call(&v1::StoreService::Stub::CreateBackup, v1::StoreService::NewStub(channel_),
              v1::CreateBackupRequest(), &answer)
             .ok()) {
      return false;
    }
    promises_->backups.insert(answer.backup().path());
    return true;
  }

  const std::shared_ptr<grpc::Channel> channel_;
  const int life_;
  Promises* const promises_;
};

class CoxdKillPoints : public ::testing::Test {
 protected:
  struct Place {
    TemporaryDirectory directory{};
    Promises promises{};
    int lives = 0;

    std::string Data() const { return directory.path() + "/data"; }
    std::string Socket() const { return directory.path() + "/s"; }
    std::string Log() const { return directory.path() + "/log"; }
    std::vector<std::string> Arguments() const {
      return {"--data",
              Data(),
              "--listen",
              "unix:" + Socket(),
              "--http",
              "127.0.0.1:0",
              "--published-machines",
              "false",
              "--refine-interval",
              "0s",
              "--backup-keep",
              "50"};
    }
  };

  // Lives once; false: coxd cannot be watched here. `status`: how coxd has ended.
  bool Live(Place& place, const WatchedCoxd::Passes& passes, int* status) {
    WatchedCoxd coxd(place.Arguments(), place.Log(), functions_, passes);
    if (coxd.pid() == 0) return false;
    if (const auto channel = ConnectUntilEnd(place.Socket(), coxd.pid()); channel != nullptr) {
      Client client(channel, place.lives, &place.promises);
      if (client.Live()) {
        client.StreamToTheEnd([&] { coxd.Signal(SIGTERM); });
      } else {
        coxd.Signal(SIGKILL);  // it is being killed, or a call has failed
      }
    }
    ++place.lives;
    *status = coxd.Wait();
    return true;
  }

  // Null: coxd has ended.
  static std::shared_ptr<grpc::Channel> ConnectUntilEnd(const std::string& socket, pid_t pid) {
    while (kill(pid, 0) == 0) {
      if (auto channel = ConnectUnix(socket, 0.1); channel != nullptr) return channel;
    }
    return nullptr;
  }

  // "": the database keeps all promises. coxd does not run.
  static std::string CheckStore(const Place& place) {
    store::StoreOptions options;
    options.directory = place.Data();
    auto opened = store::OpenSqlite(options);
    if (!opened.ok()) return absl::StrCat("cannot be opened: ", opened.status().ToString());
    store::Store& store = **opened;
    if (const absl::Status sound = store.CheckContent({}); !sound.ok()) return sound.ToString();
    int64_t in_cells = 0;
    const auto cells = store.ListCells(kPointMachine);
    if (!cells.ok()) return absl::IsNotFound(cells.status()) ? "" : cells.status().ToString();
    for (const store::CellRecord& cell : *cells) in_cells += cell.cell.observation_count;
    const int64_t counted = store.CountObservations({}).value().observation_count;
    if (in_cells != counted) return absl::StrCat("cells: ", in_cells, ", rows: ", counted);
    return "";
  }

  // The next start answers, and knows all that was acknowledged.
  static void CheckNextStart(Place& place) {
    CoxdProcess coxd(place.Arguments(), place.directory.path() + "/log.check");
    const auto channel = ConnectUnix(place.Socket(), 60);
    ASSERT_NE(channel, nullptr) << coxd.Log();
    const auto observations = v1::ObservationService::NewStub(channel);
    for (const auto& [revision, value] : place.promises.revisions) {
      v1::GetProfileRequest request;
      request.set_name(absl::StrCat("machines/", kPointMachine, "/profiles/", revision));
      v1::Profile profile;
      ASSERT_TRUE(Call(&v1::ProfileService::Stub::GetProfile, v1::ProfileService::NewStub(channel),
                       request, &profile)
                      .ok());
      EXPECT_EQ(profile.parameters(0).value(), value) << "revision " << revision;
    }
    for (const std::string& name : place.promises.deleted) {
      v1::GetMachineRequest request;
      request.set_name(name);
      v1::Machine machine;
      EXPECT_EQ(Call(&v1::MachineService::Stub::GetMachine, v1::MachineService::NewStub(channel),
                     request, &machine)
                    .error_code(),
                grpc::StatusCode::NOT_FOUND)
          << name;
    }
    const auto count_of = [&](const std::string& job) {
      v1::CountObservationsRequest request;
      request.set_job(job);
      v1::CountObservationsResponse count;
      EXPECT_TRUE(
          Call(&v1::ObservationService::Stub::CountObservations, observations, request, &count)
              .ok());
      return count.observation_count();
    };
    for (const std::string& job : place.promises.forgotten) EXPECT_EQ(count_of(job), 0) << job;
    for (const std::string& path : place.promises.backups) {
      EXPECT_GT(std::filesystem::file_size(path), 0u);
    }
    // A client sends everything again of which it is not sure; here also the rest, and a new batch.
    ++place.promises.sent["calls"];
    for (const auto& [job, last] : place.promises.sent) {
      for (int64_t sequence = 1; sequence <= last; ++sequence) {
        v1::ReportObservationsRequest batch = PointBatch(job, sequence);
        batch.set_await_learning(sequence == last);  // a prediction is asked for below
        v1::ReportObservationsResponse answer;
        const grpc::Status status =
            Call(&v1::ObservationService::Stub::ReportObservations, observations, batch, &answer);
        ASSERT_TRUE(status.ok()) << status.error_message();
        if (place.promises.acknowledged.contains({job, sequence})) {
          EXPECT_TRUE(answer.duplicate()) << job << " " << sequence << " is lost";
        }
        place.promises.acknowledged.emplace(job, sequence);
      }
      EXPECT_EQ(count_of(job), last * kPointRows) << job;
    }
    PredictedTime(v1::AdviceService::NewStub(channel), MakeObservation(kPointMachine, 0));
    coxd.Signal(SIGTERM);
    EXPECT_EQ(coxd.Wait(), 0) << coxd.Log();
  }

  const std::map<uint64_t, std::string> functions_ = AddressesOf(COX_COXD, PointFunctions());
};

TEST_F(CoxdKillPoints, NothingAcknowledgedIsLostAndTheNextStartAnswers) {
  // How often a life passes each point.
  std::map<std::string, int> passages;
  auto place = std::make_unique<Place>();
  int status = 0;
  if (!Live(
          *place,
          [&passages](const std::string& point) {
            ++passages[point];
            return false;
          },
          &status)) {
    GTEST_SKIP() << "this host lets no program watch another one (ptrace)";
  }
  ASSERT_EQ(status, 0) << "coxd did not end by itself";
  for (const std::string& function : PointFunctions()) {
    EXPECT_TRUE(passages.contains("before " + function)) << function << " is never reached";
  }
  EXPECT_GE(passages.size(), 40u);
  ASSERT_EQ(CheckStore(*place), "");
  CheckNextStart(*place);

  std::mt19937 random(20'261'125);
  std::vector<std::string> points;
  for (const auto& [point, count] : passages) points.push_back(point);
  std::shuffle(points.begin(), points.end(), random);
  const int kills = Repeats(8);
  int killed = 0;
  for (int i = 0; i < kills; ++i) {
    constexpr int kLivesOfAPlace = 4;  // the first of them makes the database
    if (i % kLivesOfAPlace == 0) place = std::make_unique<Place>();
    const std::string& point = points[static_cast<size_t>(i) % points.size()];
    const int passage = 1 + static_cast<int>(random() % static_cast<unsigned>(passages[point]));
    int passed = 0;
    ASSERT_TRUE(Live(
        *place, [&](const std::string& at) { return at == point && ++passed == passage; },
        &status));
    if (passed >= passage) ++killed;
    SCOPED_TRACE(absl::StrFormat("killed %s, passage %d of %d", point, passage, passages[point]));
    ASSERT_EQ(CheckStore(*place), "");
    CheckNextStart(*place);
    ASSERT_FALSE(HasFailure());
  }
  // Groups and answers differ from life to life, so a late passage may not come.
  EXPECT_GE(killed, kills * 3 / 4);
  RecordProperty("points", static_cast<int>(points.size()));
  RecordProperty("kills", killed);
}

}  // namespace
}  // namespace cox
