// Writes that carry a request id happen once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine.h"
#include "scratch.h"
#include "store/limits.h"

namespace cox::store {
namespace {

using ::testing::HasSubstr;

constexpr const char* kId = "6f1d2c3a-0b1e-4c5d-8e9f-001122334455";

class RequestTest : public StoreTest {
 protected:
  RequestTest() { Reopen(); }
  void Reopen() {
    store_.reset();
    store_ = Open(Options(), [this] { return now_us_.load(); });
  }
  static ProfileRecord Profile() {
    ProfileRecord profile;
    profile.machine = "m";
    profile.provenance = "edited";
    return profile;
  }

  std::atomic<int64_t> now_us_{1'000'000};
  std::unique_ptr<Store> store_;
};

TEST_P(RequestTest, AResentCreationIsNoSecondOne) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("m"), kId).ok());
  EXPECT_TRUE(store_->CreateMachine(MachineNamed("m"), kId).ok());
  Reopen();
  EXPECT_TRUE(store_->CreateMachine(MachineNamed("m"), kId).ok());
  EXPECT_EQ(store_->CreateMachine(MachineNamed("m"), "").code(), absl::StatusCode::kAlreadyExists);
}

TEST_P(RequestTest, AResentProfileIsTheFirstRevision) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_EQ(store_->AddProfile(Profile(), kId)->revision, 1);
  ASSERT_EQ(store_->AddProfile(Profile(), "")->revision, 2);
  EXPECT_EQ(store_->AddProfile(Profile(), kId)->revision, 1);
  Reopen();
  EXPECT_EQ(store_->AddProfile(Profile(), kId)->revision, 1);
  EXPECT_EQ(store_->ListProfiles("m", 0, 10)->size(), 2u);
}

TEST_P(RequestTest, AnIdIsForOneMethodAndOneMachine) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("m"), kId).ok());
  const absl::Status other = store_->CreateMachine(MachineNamed("n"), kId);
  EXPECT_EQ(other.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(other.message(), HasSubstr(kId));
  EXPECT_EQ(store_->AddProfile(Profile(), kId).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(store_->GetMachine("n").status().code(), absl::StatusCode::kNotFound);
}

TEST_P(RequestTest, AFailureIsNotRemembered) {
  EXPECT_EQ(store_->AddProfile(Profile(), kId).status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("m"), "").ok());
  EXPECT_EQ(store_->AddProfile(Profile(), kId)->revision, 1);
}

TEST_P(RequestTest, IsForgottenWhenItIsOld) {
  ASSERT_TRUE(store_->CreateMachine(MachineNamed("m"), "").ok());
  ASSERT_EQ(store_->AddProfile(Profile(), kId)->revision, 1);
  now_us_ += kRequestKeptUs - 1;
  EXPECT_EQ(store_->AddProfile(Profile(), kId)->revision, 1);
  now_us_ += 1;
  EXPECT_EQ(store_->AddProfile(Profile(), kId)->revision, 2);
  EXPECT_EQ(store_->AddProfile(Profile(), kId)->revision, 2);
}

COX_ON_EACH_ENGINE(RequestTest);

}  // namespace
}  // namespace cox::store
