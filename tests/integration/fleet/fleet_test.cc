// Several daemons: clients that know all their addresses lose no question and no report when one
// daemon ends or stops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/stream/sender.h"
#include "coxd_process.h"
#include "daemon.h"

namespace cox {
namespace {

using ::testing::HasSubstr;

class FleetTest : public ::testing::Test {
 protected:
  std::string Socket(const std::string& name) const { return directory_.path() + "/" + name; }
  std::string Address(const std::string& name) const { return "unix:" + Socket(name); }

  // A daemon with a store of its own.
  std::unique_ptr<CoxdProcess> Start(const std::string& name) {
    auto coxd = std::make_unique<CoxdProcess>(
        std::vector<std::string>{"--data", Socket(name + "-data"), "--listen", Address(name),
                                 "--log-level", "error"},
        Socket(name + "-log"));
    EXPECT_NE(ConnectUnix(Socket(name), 60), nullptr) << coxd->Log();
    return coxd;
  }
  int64_t CountRows(const std::string& name) const {
    v1::CountObservationsResponse count;
    const auto stub = v1::ObservationService::NewStub(ConnectUnix(Socket(name), 60));
    EXPECT_TRUE(Call(&v1::ObservationService::Stub::CountObservations, stub,
                     v1::CountObservationsRequest(), &count)
                    .ok());
    return count.observation_count();
  }

  const TemporaryDirectory directory_;
};

struct Outcome {
  int exit_code;
  std::string output;
};

Outcome RunCox(const std::string& words) {
  FILE* const output = popen(absl::StrCat(COX_COX, " ", words, " 2>&1").c_str(), "re");
  Outcome outcome;
  char text[4096];
  for (size_t length = 0; (length = fread(text, 1, sizeof(text), output)) > 0;) {
    outcome.output.append(text, length);
  }
  const int status = pclose(output);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

// Asks questions with `cox` until told to stop.
class Asker {
 public:
  explicit Asker(const std::string& servers)
      : thread_([this, servers] {
          while (!stop_) {
            const Outcome asked = RunCox(absl::StrCat(
                "--server ", servers, " --timeout 30 predict -m sp2-48 -c bcast -p 32 -b 1KiB"));
            const bool answered = asked.exit_code == 0;
            if (!answered) problem_ = asked.output;
            ++(answered ? answered_count_ : unanswered_count_);
          }
        }) {}
  ~Asker() {
    stop_ = true;
    thread_.join();
  }
  void AwaitAnswers(int more) const {
    const int enough = answered_count_ + more;
    while (answered_count_ < enough && unanswered_count_ == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  int unanswered_count() const { return unanswered_count_; }
  const std::string& problem() const { return problem_; }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<int> answered_count_ = 0;
  std::atomic<int> unanswered_count_ = 0;
  std::string problem_;
  std::thread thread_;
};

TEST_F(FleetTest, AnotherDaemonGoesOnWithAList) {
  const auto a = Start("a");
  const auto b = Start("b");
  // Both have the published machines.
  std::vector<std::string> names;
  v1::ListMachinesRequest request;
  request.set_page_size(3);
  for (const char* const daemon : {"a", "b", "a"}) {
    const auto stub = v1::MachineService::NewStub(ConnectUnix(Socket(daemon), 60));
    v1::ListMachinesResponse response;
    const grpc::Status status =
        Call(&v1::MachineService::Stub::ListMachines, stub, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    ASSERT_EQ(response.machines_size(), 3) << daemon;
    for (const v1::Machine& machine : response.machines()) names.push_back(machine.name());
    request.set_page_token(response.next_page_token());
  }
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

TEST_F(FleetTest, QuestionsAreAnsweredWhileADaemonEndsOrStops) {
  auto a = Start("a");
  const auto b = Start("b");
  std::vector<std::unique_ptr<Asker>> askers;
  for (int i = 0; i < 4; ++i) {
    askers.push_back(std::make_unique<Asker>(absl::StrCat(Address("a"), ",", Address("b"))));
  }
  const auto await = [&](int more) {
    for (const auto& asker : askers) asker->AwaitAnswers(more);
  };
  await(3);
  a->Signal(SIGKILL);
  a->Wait();
  await(5);
  a = Start("a");
  await(3);
  b->Signal(SIGSTOP);
  await(5);
  b->Signal(SIGCONT);
  a->Signal(SIGTERM);
  EXPECT_EQ(a->Wait(), 0);
  await(5);
  for (const auto& asker : askers) EXPECT_EQ(asker->unanswered_count(), 0) << asker->problem();
}

TEST_F(FleetTest, WithoutAnyDaemonTheErrorNamesAllAddresses) {
  const std::string servers = absl::StrCat(Address("a"), ",", Address("b"));
  const Outcome asked = RunCox(absl::StrCat("--server ", servers, " models"));
  EXPECT_EQ(asked.exit_code, 4) << asked.output;
  EXPECT_THAT(asked.output, HasSubstr("cannot reach coxd at " + servers));
}

TEST_F(FleetTest, DoctorNamesTheDaemonThatIsAway) {
  const auto a = Start("a");
  const Outcome examined =
      RunCox(absl::StrCat("--server ", Address("a"), ",", Address("b"), " doctor"));
  EXPECT_THAT(examined.output, HasSubstr("at " + Address("b") + ": cannot reach coxd"));
  EXPECT_THAT(examined.output, HasSubstr("serves at"));
}

// Agents of a job that knows both daemons.
class AgentOfFleetTest : public FleetTest {
 protected:
  // What the agent's queue holds, so that it spools none.
  static constexpr int kBatches = 14;

  void PushBatches(int count) {
    for (int i = 0; i < count; ++i) {
      agent::Observation observation;
      observation.machine = "delta";
      observation.library = "openmpi-4.1";
      observation.collective = "bcast";
      observation.algorithm = "binomial";
      observation.nodes = observation.ppn = observation.ranks = 1;
      observation.block_bytes = 8;
      observation.type_bytes = 4;
      observation.count = 1;
      observation.time_s = 1e-6;
      sender_->Push({observation}, 0);
    }
  }
  void SendRest() {
    sender_->Close(agent::Sender::Clock::now() + std::chrono::seconds(60));
    EXPECT_FALSE(std::filesystem::exists(spool_));
  }
  // The daemon that the agent chose, once it has stored something.
  std::string AwaitUsed() const {
    while (true) {
      for (const char* const name : {"a", "b"}) {
        if (CountRows(name) > 0) return name;
      }
    }
  }
  // Only the batch that was being sent may be in both stores.
  void ExpectAllStored() const {
    const int64_t stored = CountRows("a") + CountRows("b");
    EXPECT_GE(stored, kBatches);
    EXPECT_LE(stored, kBatches + 1);
  }

  const std::unique_ptr<CoxdProcess> a_ = Start("a");
  const std::unique_ptr<CoxdProcess> b_ = Start("b");
  const std::string spool_ = Socket("spool.csv");
  // Not destroyed: its thread outlives it, as in a job.
  agent::Sender* const sender_ =
      new agent::Sender(Address("a") + "," + Address("b"), "job", 1, spool_, /*log=*/false);
};

TEST_F(AgentOfFleetTest, MovesToAnotherDaemonAndLosesNothing) {
  PushBatches(kBatches / 2);
  const std::string used = AwaitUsed();
  CoxdProcess& victim = used == "a" ? *a_ : *b_;
  victim.Signal(SIGKILL);
  victim.Wait();
  PushBatches(kBatches - kBatches / 2);
  SendRest();
  const auto again = Start(used);
  EXPECT_GE(CountRows(used == "a" ? "b" : "a"), kBatches / 2);
  ExpectAllStored();
}

TEST_F(AgentOfFleetTest, LeavesADaemonThatCannotStore) {
  PushBatches(kBatches / 2);
  const std::string used = AwaitUsed();
  while (CountRows(used) < kBatches / 2) std::this_thread::yield();
  // Its disk is full.
  const pid_t victim = used == "a" ? a_->pid() : b_->pid();
  rlimit limit = {};
  ASSERT_EQ(prlimit(victim, RLIMIT_FSIZE, nullptr, &limit), 0);
  limit.rlim_cur = 1;
  ASSERT_EQ(prlimit(victim, RLIMIT_FSIZE, &limit, nullptr), 0);
  PushBatches(kBatches - kBatches / 2);
  SendRest();
  EXPECT_EQ(CountRows(used == "a" ? "b" : "a"), kBatches - kBatches / 2);
  ExpectAllStored();
}

}  // namespace
}  // namespace cox
