#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine.h"
#include "scratch.h"

namespace cox::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Actor kAda = {.principal = "uid:1000", .method = "cox.v1.MachineService/CreateMachine"};
const Actor kBob = {.principal = "token:bob", .method = "cox.v1.ProfileService/PinProfile"};

class AuditTest : public StoreTest {
 protected:
  // "WHO machine: change" of each record, newest first.
  std::vector<std::string> Told(const AuditFilter& filter = {}, int64_t before_id = 0,
                                int64_t limit = 100) {
    const auto records = store_->ListAudit(filter, before_id, limit);
    EXPECT_TRUE(records.ok()) << records.status();
    std::vector<std::string> told;
    if (records.ok()) {
      for (const AuditRecord& record : *records) {
        told.push_back(record.actor.principal + " " + record.machine + ": " + record.change);
      }
    }
    return told;
  }

  std::unique_ptr<Store> store_ = Open();
};

TEST_P(AuditTest, SaysWhoDidWhatToWhichMachine) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("peak"), "", kAda).ok());
  ProfileRecord profile;
  profile.machine = "peak";
  profile.provenance = "imported";
  profile.note = "imported from peak.toml";
  ASSERT_TRUE(store_->AddProfile(profile, "", kAda).ok());
  ASSERT_TRUE(store_->PinProfile("peak", 1, kBob).ok());
  ASSERT_TRUE(store_->PinProfile("peak", 0, kBob).ok());
  ASSERT_TRUE(store_->DeleteMachine("peak", kBob).ok());
  ASSERT_TRUE(store_->AddAudit({.actor = kBob, .change = "token ci"}).ok());
  EXPECT_THAT(Told(), ElementsAre("token:bob : token ci",
                                  "token:bob peak: with all profiles and 0 observations",
                                  "token:bob peak: no pin", "token:bob peak: revision 1",
                                  "uid:1000 peak: revision 1: imported from peak.toml",
                                  "uid:1000 peak: 4 nodes of 8 cores"));
  const auto records = store_->ListAudit({}, 0, 1);
  EXPECT_EQ(records->front().actor.method, kBob.method);
  EXPECT_GT(records->front().time_us, 1'600'000'000'000'000);
}

TEST_P(AuditTest, HasNoRecordOfWhatFailedOrOfTheDaemonItself) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("peak"), "").ok());
  EXPECT_FALSE(store_->CreateMachine(MachineNamed("peak"), "", kAda).ok());
  EXPECT_FALSE(store_->PinProfile("peak", 7, kAda).ok());
  EXPECT_FALSE(store_->DeleteMachine("nobody", kAda).ok());
  EXPECT_THAT(Told(), IsEmpty());
}

TEST_P(AuditTest, AResendIsNoSecondChange) {
  constexpr const char* kId = "b9c6a5a0-1111-4222-8333-123456789abc";
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("peak"), kId, kAda).ok());
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("peak"), kId, kAda).ok());
  EXPECT_THAT(Told(), ElementsAre("uid:1000 peak: 4 nodes of 8 cores"));
}

TEST_P(AuditTest, AnImportIsARecordOfEachMachine) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("n"), "").ok());
  ObservationBatch batch = BatchOf("m", "", 0, 3);
  const ObservationBatch other = BatchOf("n", "", 0, 2);
  batch.observations.insert(batch.observations.end(), other.observations.begin(),
                            other.observations.end());
  batch.source = "times.csv";
  batch.actor = kAda;
  ASSERT_TRUE(Append(*store_, batch).ok());
  EXPECT_THAT(Told(), ElementsAre("uid:1000 n: 2 observations of source times.csv",
                                  "uid:1000 m: 3 observations of source times.csv"));
  batch.observations.back().scenario.machine = "nowhere";
  EXPECT_FALSE(Append(*store_, batch).ok());
  EXPECT_EQ(Told().size(), 2u) << "all or nothing";
}

TEST_P(AuditTest, ForgettingIsARecordOfEachMachine) {
  for (const char* machine : {"m", "n"}) {
    ASSERT_TRUE(store_->CreateMachine(MachineNamed(machine), "").ok());
    ASSERT_TRUE(Append(*store_, BatchOf(machine, "4711", machine[0], 2)).ok());
  }
  ASSERT_TRUE(store_->Forget({Reporter::Kind::kJob, "4711"}, kAda).ok());
  EXPECT_THAT(Told({.machine = "m"}),
              ElementsAre("uid:1000 m: job 4711: 4 observations of 2 machines"));
  EXPECT_THAT(Told({.machine = "n"}),
              ElementsAre("uid:1000 n: job 4711: 4 observations of 2 machines"));
}

TEST_P(AuditTest, WhatWasForgottenWhileAMachineRestedIsToldWithItsName) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_TRUE(Append(*store_, BatchOf("m", "4711", 1, 2)).ok());
  ASSERT_TRUE(Append(*store_, BatchOf("m", "4712", 1, 1)).ok());
  ASSERT_TRUE(store_->DeleteMachine("m", kAda).ok());
  const auto forgotten = store_->Forget({Reporter::Kind::kJob, "4711"}, kBob);
  ASSERT_TRUE(forgotten.ok()) << forgotten.status();
  EXPECT_TRUE(forgotten->machines.empty()) << "nobody learns for it";
  ASSERT_TRUE(store_->UndeleteMachine("m", kAda).ok());
  EXPECT_THAT(Told({.machine = "m"}),
              ElementsAre("uid:1000 m: with all profiles and 1 observation",
                          "token:bob m: job 4711: 2 observations of 1 machine",
                          "uid:1000 m: with all profiles and 3 observations"));
}

TEST_P(AuditTest, FiltersAndPages) {
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(
        store_->AddAudit({.actor = i % 2 == 0 ? kAda : kBob, .machine = "m", .change = "c"}).ok());
  }
  EXPECT_EQ(Told({.principal = "uid:1000"}).size(), 3u);
  EXPECT_EQ(Told({.principal = "token:bob", .machine = "m"}).size(), 2u);
  EXPECT_THAT(Told({.machine = "n"}), IsEmpty());
  const auto first = store_->ListAudit({}, 0, 2);
  ASSERT_EQ(first->size(), 2u);
  EXPECT_EQ((*first)[0].id, (*first)[1].id + 1);
  EXPECT_EQ(Told({}, (*first)[1].id).size(), 3u);
  EXPECT_EQ(Told({.since_us = (*first)[0].time_us + 1}).size(), 0u);
  EXPECT_EQ(store_->ListAudit({}, 0, -1).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_P(AuditTest, SurvivesTheStore) {
  ASSERT_TRUE(store_->DeleteMachine("x", kAda).code() == absl::StatusCode::kNotFound);
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("peak"), "", kAda).ok());
  store_.reset();
  store_ = Open();
  EXPECT_THAT(Told(), ElementsAre("uid:1000 peak: 4 nodes of 8 cores"));
}

COX_ON_EACH_ENGINE(AuditTest);

}  // namespace
}  // namespace cox::store
