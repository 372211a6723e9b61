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

namespace cox::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfiniteValue = std::numeric_limits<double>::infinity();

class ProfileTest : public StoreTest {
 protected:
  void SetUp() override { ASSERT_TRUE(store_->CreateMachine(MachineNamed("m"), "").ok()); }

  static ProfileRecord ProfileOf(double alpha_s) {
    ProfileRecord profile;
    profile.machine = "m";
    profile.provenance = "calibrated";
    profile.note = "on a quiet night";
    profile.parameters.push_back(
        {"hockney", domain::Level::kNetwork, "alpha_s", alpha_s, 1e-8, "fit"});
    profile.parameters.push_back({"hockney", domain::Level::kNode, "alpha_s", 2e-7, 0, ""});
    return profile;
  }
  std::vector<int64_t> Revisions(int64_t before, int64_t limit) {
    const auto profiles = store_->ListProfiles("m", before, limit);
    EXPECT_TRUE(profiles.ok()) << profiles.status();
    std::vector<int64_t> revisions;
    if (profiles.ok()) {
      for (const ProfileRecord& profile : *profiles) revisions.push_back(profile.revision);
    }
    return revisions;
  }

  std::unique_ptr<Store> store_ = Open();
};

TEST_P(ProfileTest, TheStatedOneIsTheNewestThatIsNoRefinement) {
  EXPECT_EQ(store_->GetStatedProfile("m")->has_value(), false);
  EXPECT_TRUE(absl::IsNotFound(store_->GetStatedProfile("unknown").status()));
  for (const char* provenance : {"refined", "calibrated", "edited", "refined", "refined"}) {
    ProfileRecord profile = ProfileOf(1e-6);
    profile.provenance = provenance;
    ASSERT_TRUE(store_->AddProfile(profile, "").ok());
  }
  const auto stated = store_->GetStatedProfile("m");
  ASSERT_TRUE(stated.ok()) << stated.status();
  ASSERT_TRUE(stated->has_value());
  EXPECT_EQ((*stated)->revision, 3);
  EXPECT_EQ((*stated)->parameters.size(), 2U);
}

TEST_P(ProfileTest, IsReadBackAsItWasAdded) {
  ProfileRecord profile = ProfileOf(1.25e-6);
  profile.revision = 77;  // ignored
  profile.observations_through_id = 5;
  const auto added = store_->AddProfile(profile, "");
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_EQ(added->revision, 1);
  EXPECT_GT(added->create_time_us, 1'600'000'000'000'000);
  store_.reset();
  store_ = Open();
  const auto read = store_->GetProfile("m", 1);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->machine, "m");
  EXPECT_EQ(read->provenance, "calibrated");
  EXPECT_EQ(read->note, "on a quiet night");
  EXPECT_EQ(read->observations_through_id, 5);
  ASSERT_EQ(read->parameters.size(), 2u);
  EXPECT_EQ(read->parameters[0].model, "hockney");
  EXPECT_EQ(read->parameters[0].level, domain::Level::kNetwork);
  EXPECT_EQ(read->parameters[0].name, "alpha_s");
  EXPECT_EQ(read->parameters[0].value, 1.25e-6);
  EXPECT_EQ(read->parameters[0].stderr_, 1e-8);
  EXPECT_EQ(read->parameters[0].source, "fit");
  EXPECT_EQ(read->parameters[1].level, domain::Level::kNode);
}

TEST_P(ProfileTest, ValuesKeepAllTheirBits) {
  for (const double value : {5e-324, 1.7976931348623157e308, -0.1, 0.0, 1.0 / 3}) {
    EXPECT_EQ(store_->AddProfile(ProfileOf(value), "")->parameters[0].value, value);
  }
}

TEST_P(ProfileTest, TheNewestSpeaksUnlessOneIsPinned) {
  EXPECT_EQ(store_->GetProfile("m", 0).status().code(), absl::StatusCode::kNotFound);
  for (int i = 1; i <= 3; ++i) ASSERT_TRUE(store_->AddProfile(ProfileOf(i), "").ok());
  EXPECT_EQ(store_->GetProfile("m", 0)->revision, 3);
  ASSERT_TRUE(store_->PinProfile("m", 2).ok());
  EXPECT_EQ(store_->GetProfile("m", 0)->revision, 2);
  EXPECT_EQ(store_->GetMachine("m")->pinned_revision, 2);
  ASSERT_TRUE(store_->AddProfile(ProfileOf(4), "").ok());
  EXPECT_EQ(store_->GetProfile("m", 0)->revision, 2);
  ASSERT_TRUE(store_->PinProfile("m", 0).ok());
  EXPECT_EQ(store_->GetProfile("m", 0)->revision, 4);
}

TEST_P(ProfileTest, UnknownOnesAreNotFound) {
  ASSERT_TRUE(store_->AddProfile(ProfileOf(1), "").ok());
  EXPECT_EQ(store_->GetProfile("m", 2).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->GetProfile("m", -1).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->GetProfile("x", 1).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->ListProfiles("x", 0, 1).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->PinProfile("m", 2).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->PinProfile("m", -1).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->PinProfile("x", 1).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->GetMachine("m")->pinned_revision, 0);
  ProfileRecord stray = ProfileOf(1);
  stray.machine = "x";
  EXPECT_EQ(store_->AddProfile(stray, "").status().code(), absl::StatusCode::kNotFound);
}

TEST_P(ProfileTest, PagesGoFromTheNewestAndStayPut) {
  for (int i = 1; i <= 5; ++i) ASSERT_TRUE(store_->AddProfile(ProfileOf(i), "").ok());
  EXPECT_THAT(Revisions(0, 2), ElementsAre(5, 4));
  ASSERT_TRUE(store_->AddProfile(ProfileOf(6), "").ok());
  EXPECT_THAT(Revisions(4, 2), ElementsAre(3, 2));
  EXPECT_THAT(Revisions(2, 2), ElementsAre(1));
  EXPECT_THAT(Revisions(1, 2), IsEmpty());
  EXPECT_EQ(store_->ListProfiles("m", 0, -1).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(store_->ListProfiles("m", 0, 1)->front().parameters.size(), 2u);
}

TEST_P(ProfileTest, RefusesWhatIsNoProfile) {
  std::vector<ProfileRecord> wrong;
  for (const char* const provenance : {"", "guessed", "Calibrated"}) {
    wrong.push_back(ProfileOf(1));
    wrong.back().provenance = provenance;
  }
  for (const double value : {kNoNumber, kInfiniteValue, -kInfiniteValue})
    wrong.push_back(ProfileOf(value));
  for (const double error : {-1.0, kNoNumber, kInfiniteValue}) {
    wrong.push_back(ProfileOf(1));
    wrong.back().parameters[1].stderr_ = error;
  }
  wrong.push_back(ProfileOf(1));
  wrong.back().observations_through_id = -1;
  wrong.push_back(ProfileOf(1));
  wrong.back().parameters.push_back(wrong.back().parameters[0]);
  for (const ProfileRecord& profile : wrong) {
    EXPECT_EQ(store_->AddProfile(profile, "").status().code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_THAT(store_->AddProfile(wrong.back(), "").status().message(),
              HasSubstr("hockney/network/alpha_s is there twice"));
  EXPECT_THAT(Revisions(0, 10), IsEmpty());
}

TEST_P(ProfileTest, ARefinementOfWhatIsNotActiveIsRefused) {
  ProfileRecord refined = ProfileOf(1e-6);
  refined.refined_revision = 0;
  ASSERT_EQ(store_->AddProfile(refined, "")->revision, 1);
  EXPECT_TRUE(absl::IsAborted(store_->AddProfile(refined, "").status()));
  refined.refined_revision = 1;
  ASSERT_EQ(store_->AddProfile(refined, "")->revision, 2);
  ASSERT_TRUE(store_->PinProfile("m", 1).ok());
  refined.refined_revision = 2;
  EXPECT_TRUE(absl::IsAborted(store_->AddProfile(refined, "").status()));
  refined.refined_revision = 1;
  EXPECT_EQ(store_->AddProfile(refined, "")->revision, 3);
  EXPECT_FALSE(store_->GetProfile("m", 3)->refined_revision.has_value());
}

TEST_P(ProfileTest, AnEmptyOneIsAProfile) {
  ProfileRecord empty = ProfileOf(1);
  empty.parameters.clear();
  ASSERT_TRUE(store_->AddProfile(empty, "").ok());
  EXPECT_THAT(store_->GetProfile("m", 0)->parameters, IsEmpty());
}

// An hour begins with each multiple of kKeptEvery_us.
class OldRevisionsTest : public ProfileTest {
 protected:
  static constexpr int64_t kMinute_us = 60'000'000;
  static constexpr int64_t kHour_us = OldRevisions::kKeptEvery_us;

  void SetUp() override {
    store_.reset();
    store_ = Open(Options(), [this] { return now_us_.load(); });
    ProfileTest::SetUp();
  }
  void Add(const char* provenance, int64_t at_us, const char* note = "learned from m") {
    now_us_ = at_us;
    ProfileRecord profile = ProfileOf(1e-6);
    profile.provenance = provenance;
    profile.note = note;
    ASSERT_TRUE(store_->AddProfile(profile, "").ok());
  }
  int64_t Remove(int64_t thin_before_us, int64_t remove_before_us) {
    const auto removed = store_->RemoveOldRevisions(
        "m", {.thin_before_us = thin_before_us, .remove_before_us = remove_before_us});
    EXPECT_TRUE(removed.ok()) << removed.status();
    return removed.value_or(-1);
  }

  std::atomic<int64_t> now_us_ = 0;  // the store's threads read it
};

TEST_P(OldRevisionsTest, TheLastOfEachHourStays) {
  Add("calibrated", 0);
  for (const int64_t at_us : {kMinute_us, 2 * kMinute_us, kHour_us - 1, kHour_us, kHour_us + 1,
                              2 * kHour_us, 2 * kHour_us + kMinute_us}) {
    Add("refined", at_us);
  }
  EXPECT_EQ(Remove(2 * kHour_us, 0), 3);
  EXPECT_THAT(Revisions(0, 100), ElementsAre(8, 7, 6, 4, 1)) << "all since the third hour";
  EXPECT_EQ(Remove(2 * kHour_us, 0), 0);
  EXPECT_EQ(Ask("SELECT count(*) FROM parameter"), 10) << "two of each";
}

TEST_P(OldRevisionsTest, WhatHasAMeaningStays) {
  Add("refined", 0);
  Add("refined", kMinute_us);  // what was active when somebody set another
  Add("edited", 2 * kMinute_us);
  Add("refined", 3 * kMinute_us, "accepted; learned from m");
  Add("refined", 4 * kMinute_us);
  Add("refined", 5 * kMinute_us);
  EXPECT_EQ(Remove(kHour_us, 0), 2);
  EXPECT_THAT(Revisions(0, 100), ElementsAre(6, 4, 3, 2));
  EXPECT_EQ(Remove(kHour_us, kHour_us), 2);
  EXPECT_THAT(Revisions(0, 100), ElementsAre(6, 3));
}

TEST_P(OldRevisionsTest, NoneBeyondTheAgeStaysButThePinnedOne) {
  for (const char* provenance : {"calibrated", "refined", "edited", "refined"}) {
    Add(provenance, kHour_us * Revisions(0, 100).size());
  }
  ASSERT_TRUE(store_->PinProfile("m", 2).ok());
  Add("refined", 9 * kHour_us);
  EXPECT_EQ(Remove(9 * kHour_us, 9 * kHour_us), 1);
  EXPECT_THAT(Revisions(0, 100), ElementsAre(5, 3, 2, 1));
}

TEST_P(OldRevisionsTest, NoNumberComesAgain) {
  Add("calibrated", 0);
  Add("refined", kMinute_us);
  EXPECT_EQ(Remove(kHour_us, kHour_us), 0) << "the newest one stays";
  Add("refined", 2 * kMinute_us);
  EXPECT_EQ(Remove(kHour_us, kHour_us), 1);
  EXPECT_THAT(Revisions(0, 100), ElementsAre(3, 1));
}

TEST_P(OldRevisionsTest, OfOneMachine) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("other"), "").ok());
  for (int i = 0; i < 2; ++i) Add("refined", kMinute_us * i);
  EXPECT_EQ(*store_->RemoveOldRevisions("other",
                                        {.thin_before_us = kHour_us, .remove_before_us = kHour_us}),
            0);
  EXPECT_THAT(Revisions(0, 100), ElementsAre(2, 1));
  EXPECT_TRUE(absl::IsNotFound(store_->RemoveOldRevisions("unknown", {}).status()));
}

COX_ON_EACH_ENGINE(ProfileTest);
COX_ON_EACH_ENGINE(OldRevisionsTest);

}  // namespace
}  // namespace cox::store
