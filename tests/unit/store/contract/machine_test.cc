#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine.h"
#include "scratch.h"
#include "store/limits.h"

namespace cox::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MachineTest : public StoreTest {
 protected:
  std::vector<std::string> Names(const std::string& after, int64_t limit) {
    const auto machines = store_->ListMachines(after, limit);
    EXPECT_TRUE(machines.ok()) << machines.status();
    std::vector<std::string> names;
    if (machines.ok()) {
      for (const MachineRecord& machine : *machines) names.push_back(machine.name);
    }
    return names;
  }
  // The maintenance of the writer goes on between writes: each Flush() lets it take a step.
  void WaitUntilPurged() {
    for (int i = 0; i < 10'000; ++i) {
      ASSERT_TRUE(store_->Flush().ok());
      // The first two looks are an hour apart.
      steady_us_ += kPurgeEveryUs;
      if (Ask("SELECT count(*) FROM machine WHERE name IS NULL") == 0) return;
    }
    FAIL() << "the rows of a deleted machine do not go";
  }

  // With a clock that the test moves.
  std::unique_ptr<Store> Open() {
    return StoreTest::Open(
        Options(), [this] { return now_us_.load(); }, [this] { return steady_us_.load(); });
  }

  std::atomic<int64_t> now_us_{RealSurroundings().now_us()};
  std::atomic<int64_t> steady_us_{0};
  std::unique_ptr<Store> store_ = Open();
};

constexpr int64_t kRest_us = 30LL * 24 * 3600 * 1'000'000;

TEST_P(MachineTest, IsReadBackAsItWasMade) {
  MachineRecord machine = MachineNamed("peak");
  machine.create_time_us = 123;
  ASSERT_TRUE(store_->CreateMachine(machine, "").ok());
  const auto read = store_->GetMachine("peak");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->name, "peak");
  EXPECT_EQ(read->nodes, 4);
  EXPECT_EQ(read->cores_per_node, 8);
  EXPECT_EQ(read->topology_kind, "torus");
  EXPECT_EQ(read->topology_dims, "2x2");
  EXPECT_EQ(read->create_time_us, 123);
  EXPECT_EQ(read->pinned_revision, 0);
}

TEST_P(MachineTest, SurvivesTheStore) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("peak"), "").ok());
  store_.reset();
  store_ = Open();
  EXPECT_TRUE(store_->GetMachine("peak").ok());
}

TEST_P(MachineTest, GetsTheTimeOfItsMaking) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("peak"), "").ok());
  EXPECT_GT(store_->GetMachine("peak")->create_time_us, 1'600'000'000'000'000);
}

TEST_P(MachineTest, IsThereOnce) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("peak"), "").ok());
  const absl::Status second = store_->CreateMachine(MachineNamed("peak"), "");
  EXPECT_EQ(second.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(second.message(), HasSubstr("peak"));
}

TEST_P(MachineTest, RefusesWhatIsNoMachine) {
  const int64_t least = std::numeric_limits<int64_t>::min();
  std::vector<MachineRecord> wrong;
  for (const std::string& name :
       {std::string(), std::string("Peak"), std::string("-x"), std::string("a/b"),
        std::string("a b"), std::string("\xff"), std::string("a\0b", 3), std::string(64, 'a')}) {
    wrong.push_back(MachineNamed(name));
  }
  wrong.push_back(MachineNamed("m"));
  wrong.back().nodes = -1;
  wrong.push_back(MachineNamed("m"));
  wrong.back().cores_per_node = least;
  wrong.push_back(MachineNamed("m"));
  wrong.back().pinned_revision = 1;
  for (const MachineRecord& machine : wrong) {
    EXPECT_EQ(store_->CreateMachine(machine, "").code(), absl::StatusCode::kInvalidArgument)
        << machine.name;
  }
  EXPECT_THAT(Names("", 100), IsEmpty());
  EXPECT_TRUE(store_->CreateMachine(MachineNamed(std::string(63, 'a')), "").ok());
}

TEST_P(MachineTest, UnknownOnesAreNotFound) {
  const absl::Status status = store_->GetMachine("nowhere").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("nowhere"));
  EXPECT_EQ(store_->DeleteMachine("nowhere").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->ListCells("nowhere").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->GetMachine("").status().code(), absl::StatusCode::kNotFound);
}

TEST_P(MachineTest, PagesStayPutWhileMachinesComeAndGo) {
  for (const char* const name : {"b", "d", "f", "h"}) {
    ASSERT_TRUE(store_->CreateMachine(MachineNamed(name), "").ok());
  }
  EXPECT_THAT(Names("", 2), ElementsAre("b", "d"));
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("a"), "").ok());
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("e"), "").ok());
  ASSERT_TRUE(store_->DeleteMachine("d").ok());
  EXPECT_THAT(Names("d", 2), ElementsAre("e", "f"));
  EXPECT_THAT(Names("f", 2), ElementsAre("h"));
  EXPECT_THAT(Names("h", 2), IsEmpty());
  EXPECT_THAT(Names("", 0), IsEmpty());
  EXPECT_EQ(store_->ListMachines("", -1).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_P(MachineTest, DeletionTakesAllThatBelongsToItAndNothingElse) {
  for (const char* const name : {"gone", "kept"}) {
    ASSERT_TRUE(store_->CreateMachine(MachineNamed(name), "").ok());
    ProfileRecord profile;
    profile.machine = name;
    profile.provenance = "edited";
    profile.parameters.push_back({"hockney", domain::Level::kNetwork, "alpha_s", 1e-6, 0, ""});
    ASSERT_TRUE(store_->AddProfile(profile, "").ok());
    // Two steps of maintenance.
    ASSERT_TRUE(Append(*store_, BatchOf(name, std::string("job-") + name, 1, 6'000)).ok());
  }
  ASSERT_TRUE(store_->DeleteMachine("gone").ok());
  // At once.
  EXPECT_THAT(Names("", 10), ElementsAre("kept"));
  EXPECT_EQ(store_->CountObservations({})->observation_count, 6'000);
  EXPECT_EQ(store_->CountObservations({.machine = "", .job = "job-gone"})->observation_count, 0);
  EXPECT_THAT(*store_->ListObservations({.machine = "", .job = "job-gone"}, 0, 10), IsEmpty());
  EXPECT_EQ(store_->ListObservations({}, 0, 1)->front().scenario.machine, "kept");
  EXPECT_EQ(Append(*store_, BatchOf("gone", "j", 1, 1)).status().code(),
            absl::StatusCode::kNotFound);
  now_us_ += kRest_us;
  WaitUntilPurged();
  EXPECT_EQ(Ask("SELECT count(*) FROM observation"), 6000);
  EXPECT_EQ(Ask("SELECT count(*) FROM scenario"), 1);
  EXPECT_EQ(Ask("SELECT count(*) FROM profile"), 1);
  EXPECT_EQ(Ask("SELECT count(*) FROM parameter"), 1);
  EXPECT_EQ(store_->CountObservations({.machine = "kept", .job = ""})->observation_count, 6'000);
}

TEST_P(MachineTest, KeepsTheLastSwitches) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("peak"), "").ok());
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("hill"), "").ok());
  EXPECT_EQ(store_->GetSwitches("peak").value_or("?"), "");
  const Actor ada = {.principal = "uid:1000", .method = "m"};
  ASSERT_TRUE(store_->SetSwitches("peak", "SwitchName=a Nodes=n1\n", ada).ok());
  ASSERT_TRUE(store_->SetSwitches("peak", "SwitchName=b Nodes=n2\n", ada).ok());
  EXPECT_EQ(store_->GetSwitches("peak").value_or("?"), "SwitchName=b Nodes=n2\n");
  EXPECT_EQ(store_->GetSwitches("hill").value_or("?"), "");
  const auto audit = store_->ListAudit({}, 0, 10);
  ASSERT_TRUE(audit.ok()) << audit.status();
  ASSERT_GE(audit->size(), 2U);
  EXPECT_EQ(audit->front().machine, "peak");
  EXPECT_EQ(audit->front().change, "switches");
  store_.reset();
  store_ = Open();
  EXPECT_EQ(store_->GetSwitches("peak").value_or("?"), "SwitchName=b Nodes=n2\n");
  ASSERT_TRUE(store_->SetSwitches("peak", "", ada).ok());
  EXPECT_EQ(store_->GetSwitches("peak").value_or("?"), "");
  EXPECT_TRUE(absl::IsNotFound(store_->GetSwitches("none").status()));
  EXPECT_TRUE(absl::IsNotFound(store_->SetSwitches("none", "x", ada)));
}

// Also in a deleted machine's rows, which go after a while.
TEST_P(MachineTest, SwitchesGoAndComeWithTheirMachine) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("peak"), "").ok());
  ASSERT_TRUE(store_->SetSwitches("peak", "SwitchName=a Nodes=n1\n", {}).ok());
  ASSERT_TRUE(store_->DeleteMachine("peak").ok());
  ASSERT_TRUE(store_->UndeleteMachine("peak", {}).ok());
  EXPECT_EQ(store_->GetSwitches("peak").value_or("?"), "SwitchName=a Nodes=n1\n");
  ASSERT_TRUE(store_->DeleteMachine("peak").ok());
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("peak"), "").ok());
  EXPECT_EQ(store_->GetSwitches("peak").value_or("?"), "");
  now_us_ += kRest_us + 1;
  WaitUntilPurged();
  EXPECT_EQ(Ask("SELECT count(*) FROM machine_switches"), 0);
}

TEST_P(MachineTest, ANewOneOfTheSameNameStartsEmpty) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("m"), "").ok());
  const auto before = Append(*store_, BatchOf("m", "j", 1, 10));
  ASSERT_TRUE(store_->DeleteMachine("m").ok());
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("m"), "").ok());
  EXPECT_THAT(*store_->ListCells("m"), IsEmpty());
  const auto after = Append(*store_, BatchOf("m", "j", 2, 10));
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_GT(after->first_id, before->last_id);
  EXPECT_EQ(store_->CountObservations({.machine = "m", .job = ""})->observation_count, 10);
  EXPECT_EQ(store_->ListCells("m")->front().cell.observation_count, 10);
}

TEST_P(MachineTest, DeletionGoesOnInTheNextLife) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(Append(*store_, BatchOf("m", "j", 1, 20'000)).ok());
  ASSERT_TRUE(store_->DeleteMachine("m").ok());
  store_.reset();
  now_us_ += kRest_us;
  store_ = Open();
  WaitUntilPurged();
  EXPECT_EQ(Ask("SELECT count(*) FROM observation"), 0);
  EXPECT_EQ(*store_->LastObservationId(), 20'000);
}

TEST_P(MachineTest, AClockThatIsAheadAtOneLookPurgesNothing) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(Append(*store_, BatchOf("m", "j", 1, 10)).ok());
  ASSERT_TRUE(store_->DeleteMachine("m").ok());
  store_.reset();
  now_us_ += kRest_us;
  store_ = Open();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(store_->Flush().ok());
  now_us_ -= kRest_us;
  steady_us_ += kPurgeEveryUs;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(store_->Flush().ok());
  EXPECT_TRUE(store_->UndeleteMachine("m", {}).ok());
  EXPECT_EQ(store_->CountObservations({})->observation_count, 10);
}

TEST_P(MachineTest, ADeletedOneComesBackAsItWas) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("m"), "").ok());
  ProfileRecord profile;
  profile.machine = "m";
  profile.provenance = "edited";
  ASSERT_TRUE(store_->AddProfile(profile, "").ok());
  ObservationBatch batch = BatchOf("m", "j", 1, 100);
  batch.source = "s";
  batch.dropped_count = 7;
  ASSERT_TRUE(Append(*store_, batch).ok());
  ASSERT_TRUE(store_->DeleteMachine("m").ok());
  EXPECT_EQ(store_->CountObservations({.machine = "", .job = "", .source = "s"})->observation_count,
            0);
  EXPECT_EQ(store_->CountObservations({.machine = "", .job = "", .source = "s"})->dropped_count, 7);
  now_us_ += kRest_us - 1;
  store_.reset();
  store_ = Open();
  ASSERT_TRUE(store_->UndeleteMachine("m", {}).ok());
  EXPECT_EQ(store_->GetMachine("m")->nodes, 4);
  EXPECT_EQ(store_->GetProfile("m", 0)->revision, 1);
  EXPECT_EQ(store_->ListCells("m")->front().cell.observation_count, 100);
  EXPECT_EQ(store_->ListObservations({.machine = "m", .job = ""}, 0, 1'000)->size(), 100u);
  EXPECT_EQ(store_->CountObservations({.machine = "", .job = "", .source = "s"})->observation_count,
            100);
  EXPECT_EQ(store_->CountObservations({.machine = "", .job = "", .source = "s"})->dropped_count, 7);
  EXPECT_TRUE(Append(*store_, BatchOf("m", "j", 1, 100))->duplicate) << "a resend stays one";
  EXPECT_TRUE(Append(*store_, BatchOf("m", "j", 2, 1)).ok());
  now_us_ += 2 * kRest_us;
  ASSERT_TRUE(store_->Flush().ok());
  EXPECT_EQ(store_->CountObservations({.machine = "m", .job = ""})->observation_count, 101);
}

TEST_P(MachineTest, WhatDoesNotRestDoesNotComeBack) {
  EXPECT_EQ(store_->UndeleteMachine("m", {}).code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("m"), "").ok());
  EXPECT_EQ(store_->UndeleteMachine("m", {}).code(), absl::StatusCode::kAlreadyExists);
  ASSERT_TRUE(store_->DeleteMachine("m").ok());
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("m"), "").ok());
  EXPECT_EQ(store_->UndeleteMachine("m", {}).code(), absl::StatusCode::kAlreadyExists);
  ASSERT_TRUE(store_->DeleteMachine("m").ok());
  now_us_ += kRest_us;
  EXPECT_EQ(store_->UndeleteMachine("m", {}).code(), absl::StatusCode::kNotFound);
}

TEST_P(MachineTest, TheOneThatWasDeletedLastComesBackFirst) {
  for (const int64_t nodes : {1, 2}) {
    MachineRecord machine = MachineNamed("m");
    machine.nodes = nodes;
    ASSERT_TRUE(store_->CreateMachine(machine, "").ok());
    ASSERT_TRUE(store_->DeleteMachine("m").ok());
    now_us_ += 1;
  }
  ASSERT_TRUE(store_->UndeleteMachine("m", {}).ok());
  EXPECT_EQ(store_->GetMachine("m")->nodes, 2);
  ASSERT_TRUE(store_->DeleteMachine("m").ok());
}

// So the error must not advise to delete the machine that has the name.
TEST_P(MachineTest, TheOneBeforeStaysAwayWhileItsNameIsInUse) {
  MachineRecord machine = MachineNamed("m");
  machine.nodes = 1;
  ASSERT_TRUE(store_->CreateMachine(machine, "").ok());
  ASSERT_TRUE(store_->DeleteMachine("m").ok());
  now_us_ += 1;
  machine.nodes = 2;
  ASSERT_TRUE(store_->CreateMachine(machine, "").ok());
  const absl::Status taken = store_->UndeleteMachine("m", {});
  EXPECT_EQ(taken.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(taken.message(), HasSubstr("Deleting it does not help"));
  ASSERT_TRUE(store_->DeleteMachine("m").ok());
  ASSERT_TRUE(store_->UndeleteMachine("m", {}).ok());
  EXPECT_EQ(store_->GetMachine("m")->nodes, 2);
  // The way out of docs/deploy.md.
  ASSERT_TRUE(store_->DeleteMachine("m").ok());
  store_.reset();
  Ask("UPDATE deleted_machine SET delete_time_us ="
      " (SELECT max(delete_time_us) + 1 FROM deleted_machine)"
      " WHERE name = 'm' AND delete_time_us ="
      " (SELECT min(delete_time_us) FROM deleted_machine WHERE name = 'm')");
  store_ = Open();
  ASSERT_TRUE(store_->UndeleteMachine("m", {}).ok());
  EXPECT_EQ(store_->GetMachine("m")->nodes, 1);
}

COX_ON_EACH_ENGINE(MachineTest);

}  // namespace
}  // namespace cox::store
