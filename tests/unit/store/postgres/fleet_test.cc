// Several stores on one database: who may learn, and what the others hear.
#include "store/postgres/fleet.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "postgres/server.h"
#include "scratch.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/schema.h"

namespace cox::store {
namespace {

// Machines that a store has told of.
class Heard {
 public:
  explicit Heard(Store& store) : store_(store) {
    store.WhenChanged([this](const std::vector<std::string>& machines) {
      const std::lock_guard lock(mutex_);
      machines_.insert(machines.begin(), machines.end());
      changed_.notify_all();
    });
  }
  ~Heard() { store_.WhenChanged({}); }
  // Waits until it has told of the machine, then forgets it.
  bool Await(const std::string& machine) {
    std::unique_lock lock(mutex_);
    const bool heard = changed_.wait_for(lock, std::chrono::seconds(60),
                                         [&] { return machines_.contains(machine); });
    machines_.erase(machine);
    return heard;
  }

 private:
  Store& store_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> machines_;
};

class PostgresFleetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::WhyMissing().empty()) GTEST_SKIP() << PostgresServer::WhyMissing();
    options_.url = PostgresServer::Shared().NewDatabase();
    one_ = Open();
    two_ = Open();
    ASSERT_TRUE(one_->CreateMachine(MachineNamed("m"), "").ok());
  }
  void TearDown() override {
    one_.reset();
    two_.reset();
    if (!options_.url.empty()) PostgresServer::Shared().DropDatabase(options_.url);
  }
  std::unique_ptr<Store> Open() {
    auto store = OpenStore(options_);
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }
  static absl::Status Refine(Store& store, int64_t revision) {
    ProfileRecord profile;
    profile.machine = "m";
    profile.provenance = "refined";
    profile.refined_revision = revision;
    return store.AddProfile(profile, "").status();
  }
  static domain::Drift DriftOf() {
    domain::Drift drift;
    drift.machine = "m";
    drift.scope.level = domain::Level::kNode;
    drift.first_id = drift.last_id = drift.observation_count = 1;
    drift.log_factor = 0.5;
    return drift;
  }

  StoreOptions options_;
  std::unique_ptr<Store> one_;
  std::unique_ptr<Store> two_;
};

TEST_F(PostgresFleetTest, OneLearnsForAMachine) {
  EXPECT_TRUE(*one_->MayLearn("m", false));
  EXPECT_FALSE(*two_->MayLearn("m", false));
  EXPECT_TRUE(*one_->MayLearn("m", false));
  EXPECT_TRUE(Refine(*one_, 0).ok());
  EXPECT_TRUE(absl::IsAborted(Refine(*two_, 1)));
  EXPECT_TRUE(absl::IsAborted(two_->AddDrift(DriftOf()).status()));
  // What a person adds is not learned.
  ProfileRecord edited;
  edited.machine = "m";
  edited.provenance = "edited";
  EXPECT_TRUE(two_->AddProfile(edited, "").ok());
  EXPECT_TRUE(absl::IsNotFound(two_->MayLearn("nowhere", true).status()));
}

TEST_F(PostgresFleetTest, WhoHasLostItsPlaceWritesNothing) {
  ASSERT_TRUE(*one_->MayLearn("m", false));
  ASSERT_TRUE(*two_->MayLearn("m", true));
  // One has not asked since.
  EXPECT_TRUE(absl::IsAborted(Refine(*one_, 0)));
  EXPECT_TRUE(absl::IsAborted(one_->AddDrift(DriftOf()).status()));
  EXPECT_TRUE(Refine(*two_, 0).ok());
  EXPECT_TRUE(two_->AddDrift(DriftOf()).ok());
  EXPECT_FALSE(*one_->MayLearn("m", false));
}

TEST_F(PostgresFleetTest, OnlyWhoLearnsSumsUpOldRows) {
  ASSERT_TRUE(Append(*one_, BatchOf("m", "job", 1, 30)).ok());
  const OldRows all = {.before_us = int64_t{1} << 60, .through_id = 10};
  EXPECT_EQ(two_->SumUpOld("m", all)->observation_count, 10) << "nobody learns yet";
  ASSERT_TRUE(*one_->MayLearn("m", false));
  EXPECT_TRUE(absl::IsAborted(two_->SumUpOld("m", all).status()));
  ASSERT_TRUE(*two_->MayLearn("m", true));
  // One has not asked since.
  const OldRows more = {.before_us = all.before_us, .through_id = 20};
  EXPECT_TRUE(absl::IsAborted(one_->SumUpOld("m", more).status()));
  EXPECT_EQ(one_->ListObservations({}, 0, 100)->size(), 20U);
  EXPECT_EQ(two_->SumUpOld("m", more)->observation_count, 10);
}

TEST_F(PostgresFleetTest, TheNextOneLearnsWhenOneHasEnded) {
  ASSERT_TRUE(*one_->MayLearn("m", false));
  ASSERT_TRUE(Refine(*one_, 0).ok());
  Heard heard(*two_);
  one_.reset();
  EXPECT_TRUE(heard.Await("m")) << "nobody learns for it";
  EXPECT_TRUE(*two_->MayLearn("m", false));
  EXPECT_TRUE(Refine(*two_, 1).ok());
}

TEST_F(PostgresFleetTest, TheNextOneLearnsWhenOneDoesNotAnswer) {
  ASSERT_TRUE(*one_->MayLearn("m", false));
  postgres::Session session(options_.url, postgres::kSetUp);
  ASSERT_TRUE(session.Connect().ok());
  // As if its beats had stopped: nobody alive has this number.
  ASSERT_TRUE(session.Execute("UPDATE learner SET daemon_id = 1000").ok());
  ASSERT_TRUE(*two_->MayLearn("m", false));
  EXPECT_TRUE(absl::IsAborted(Refine(*one_, 0)));
  EXPECT_TRUE(Refine(*two_, 0).ok());
}

TEST_F(PostgresFleetTest, EachHearsWhatTheOthersChange) {
  Heard heard(*two_);
  ASSERT_TRUE(one_->CreateMachine(MachineNamed("n"), "").ok());
  EXPECT_TRUE(heard.Await("n"));
  ASSERT_TRUE(Append(*one_, BatchOf("m", "job", 1, 3)).ok());
  EXPECT_TRUE(heard.Await("m"));
  ASSERT_TRUE(Refine(*one_, 0).ok());
  EXPECT_TRUE(heard.Await("m"));
  ASSERT_TRUE(one_->PinProfile("m", 1).ok());
  EXPECT_TRUE(heard.Await("m"));
  ASSERT_TRUE(one_->Forget({Reporter::Kind::kJob, "job"}).ok());
  EXPECT_TRUE(heard.Await("m"));
  ASSERT_TRUE(one_->DeleteMachine("n").ok());
  EXPECT_TRUE(heard.Await("n"));
  ASSERT_TRUE(one_->UndeleteMachine("n", {}).ok());
  EXPECT_TRUE(heard.Await("n"));
}

// Each change that it hears of makes the next one.
TEST_F(PostgresFleetTest, WhoHearsWithoutEndStaysAlive) {
  postgres::Session session(options_.url, postgres::kSetUp);
  ASSERT_TRUE(session.Connect().ok());
  const auto alive_until_s = [&session] {
    // The first one of the database.
    return postgres::Query(session,
                           "SELECT extract(epoch FROM alive_until)::bigint FROM daemon"
                           " WHERE daemon_id = 1")
        .Number()
        .value_or(0);
  };
  const int64_t enough_s = alive_until_s() + 3;
  one_->WhenChanged([this](const std::vector<std::string>&) {
    EXPECT_TRUE(two_->PinProfile("m", 0).ok());
    // The next notice is there before this returns.
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(two_->GetMachine("m").ok());
  });
  EXPECT_TRUE(two_->PinProfile("m", 0).ok());
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (alive_until_s() < enough_s && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_GE(alive_until_s(), enough_s);
  one_->WhenChanged({});
}

TEST_F(PostgresFleetTest, WhatIsMissedIsHeardAfterwards) {
  Heard heard(*two_);
  PostgresServer::Shared().Stop();
  PostgresServer::Shared().Start();
  // Whoever writes first: the other's connection may be gone still.
  ASSERT_TRUE(Append(*one_, BatchOf("m", "job", 1, 3)).ok());
  EXPECT_TRUE(heard.Await("m"));
}

}  // namespace
}  // namespace cox::store
