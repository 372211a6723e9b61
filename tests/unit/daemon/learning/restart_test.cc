// What a learner goes on with when another one has ended in the middle of its work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "daemon/learning/learner.h"
#include "forwarding_store.h"
#include "store/store.h"

namespace cox::daemon {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kSmallest = 64;  // block

// A learner that ends with the object.
class Running {
 public:
  explicit Running(store::Store* store) : learner_(store, &snapshots_, &feed_, &scenarios_, 0) {
    EXPECT_TRUE(learner_.Start().ok());
    Learn();
  }
  // Returns when all is learned.
  void Learn() {
    std::promise<void> learned;
    learner_.Notice(
        {"m"}, [&learned] { learned.set_value(); }, Learner::Pace::kUrgent);
    learned.get_future().wait();
  }
  Learner& learner() { return learner_; }

 private:
  Snapshots snapshots_;
  ProfileFeed feed_;
  ScenarioBound scenarios_{{.of_machine = 1'000, .in_all = 1'000}};
  Learner learner_;
};

// Fails once when a learner reads cells after it has recorded a drift.
class FailsAfterADrift final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  absl::StatusOr<domain::Drift> AddDrift(const domain::Drift& drift) override {
    fails_ = true;
    return ForwardingStore::AddDrift(drift);
  }
  absl::StatusOr<std::vector<store::CellRecord>> ListCells(
      absl::string_view machine, int64_t limit, const store::IsCancelled& is_cancelled) override {
    if (std::exchange(fails_, false)) return absl::UnavailableError("the disk is away");
    return ForwardingStore::ListCells(machine, limit, is_cancelled);
  }

 private:
  bool fails_ = false;
};

// Loses the answer to the first drift that it has recorded.
class LosesAnAnswer final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  absl::StatusOr<domain::Drift> AddDrift(const domain::Drift& drift) override {
    absl::StatusOr<domain::Drift> added = ForwardingStore::AddDrift(drift);
    if (std::exchange(loses_, false)) return absl::UnavailableError("the connection is lost");
    return added;
  }

 private:
  bool loses_ = true;
};

class RestartTest : public ::testing::Test {
 protected:
  RestartTest() {
    directory_ = ::testing::TempDir() + "/restart-XXXXXX";
    EXPECT_NE(mkdtemp(directory_.data()), nullptr);
    store::StoreOptions options;
    options.directory = directory_;
    store_ = *store::OpenStore(options);
    for (const char* const name : {"m", "other"}) {
      store::MachineRecord machine;
      machine.name = name;
      machine.nodes = machine.cores_per_node = 8;
      EXPECT_TRUE(store_->CreateMachine(machine, "").ok());
    }
  }
  ~RestartTest() override {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }

  // The profile that a person sets: `factor` times the truth.
  void State(double factor, int64_t observations_through_id = 0) {
    store::ProfileRecord profile;
    profile.observations_through_id = observations_through_id;
    profile.machine = "m";
    profile.provenance = "edited";
    for (const auto& [name, value] : {std::pair{"alpha", 7.5e-6}, std::pair{"beta", 2.5e-9}}) {
      domain::Parameter parameter;
      parameter.model = "hockney";
      parameter.level = domain::Level::kNetwork;
      parameter.name = name;
      parameter.value = factor * value;
      profile.parameters.push_back(parameter);
    }
    EXPECT_TRUE(store_->AddProfile(profile, "").ok());
  }

  struct Reported {
    std::string machine = "m";
    std::string job;
    std::string source;
    int count = 0;
    double factor = 1;
    int64_t smallest = kSmallest;  // block; the others are powers of four times it
  };
  void Report(const Reported& reported) {
    store::ObservationBatch batch;
    batch.job = reported.job;
    batch.sequence = ++sequence_;
    batch.source = reported.source;
    batch.kind = domain::CellKind::kJob;
    std::normal_distribution<double> noise(0, 0.03);
    for (int i = 0; i < reported.count; ++i) {
      store::ObservationRecord& row = batch.observations.emplace_back();
      row.scenario = {.machine = reported.machine,
                      .library = "openmpi-4.1",
                      .collective = "allreduce",
                      .algorithm = "recursive_doubling",
                      .nodes = 2,
                      .ppn = 8,
                      .ranks = 16,
                      .block_bytes = reported.smallest << (2 * (i % 8))};
      row.time_s = reported.factor * std::exp(noise(random_)) *
                   (3e-5 + 1e-8 * static_cast<double>(row.scenario.block_bytes));
      row.at_us = 1'700'000'000'000'000 + i;
    }
    std::promise<absl::Status> done;
    store_->AppendObservations(std::move(batch), [&](absl::StatusOr<store::AppendResult> result) {
      done.set_value(result.status());
    });
    EXPECT_TRUE(done.get_future().get().ok());
  }

  store::ProfileRecord Active() { return *store_->GetProfile("m", 0); }
  // Of the active profile.
  double Value(const std::string& name) {
    for (const domain::Parameter& parameter : Active().parameters) {
      if (parameter.name == name) return parameter.value;
    }
    return 0;
  }

  // The notes of all revisions, a line each.
  std::string Notes() {
    std::string notes;
    const auto profiles = store_->ListProfiles("m", 0, 100);
    for (const store::ProfileRecord& profile : *profiles) {
      absl::StrAppend(&notes, profile.note, "\n");
    }
    return notes;
  }
  // A machine that has become slower by `factor`, seen by two jobs.
  void Slow(double factor) {
    for (int i = 0; i < 5; ++i) {
      for (const char* const job : {"one", "two"}) {
        Report({.job = job, .source = "ada", .count = 16, .factor = factor});
      }
    }
  }

  // Teaches the truth, then what eve says: a machine that is slower. Between the others' sizes,
  // so that nothing contradicts her.
  void Poison() {
    State(1);
    Report({.job = "honest", .source = "ada", .count = 320});
    { Running running(store_.get()); }
    truth_ = Value("beta");
    Report({.job = "wrong", .source = "eve", .count = 320, .factor = 1.6, .smallest = 96});
    { Running running(store_.get()); }
    ASSERT_GT(Value("beta"), 1.01 * truth_);
  }
  void ExpectTheTruth() {
    EXPECT_NEAR(Value("beta") / truth_, 1, 1e-6);
    const int64_t revision = Active().revision;
    { Running running(store_.get()); }
    EXPECT_EQ(Active().revision, revision) << "learned again without a need";
  }

  std::string directory_;
  std::unique_ptr<store::Store> store_;
  double truth_ = 0;

 private:
  std::mt19937 random_{7};
  int64_t sequence_ = 0;
};

TEST_F(RestartTest, WhatWasForgottenBeforeTheEndIsNotInTheParameters) {
  Poison();
  ASSERT_EQ(store_->Forget({store::Reporter::Kind::kSource, "eve"})->removed_count, 320);
  { Running running(store_.get()); }
  ExpectTheTruth();
}

TEST_F(RestartTest, WhatWasForgottenWhileTheMachineRestedIsNotInTheParameters) {
  Poison();
  Running running(store_.get());
  ASSERT_TRUE(store_->DeleteMachine("m").ok());
  ASSERT_TRUE(running.learner().Refresh("m").ok());
  const auto forgotten =
      running.learner().Forget({store::Reporter::Kind::kSource, "eve"}, "without eve");
  ASSERT_TRUE(forgotten.ok()) << forgotten.status();
  ASSERT_EQ(forgotten->removed_count, 320);
  ASSERT_TRUE(store_->UndeleteMachine("m", {}).ok());
  ASSERT_TRUE(running.learner().Refresh("m").ok());
  ExpectTheTruth();
}

TEST_F(RestartTest, WhatWasForgottenWhileAProfileWasPinnedIsNotInTheParameters) {
  Poison();
  const int64_t poisoned = Active().revision;
  ASSERT_TRUE(store_->PinProfile("m", 1).ok());
  {
    Running running(store_.get());
    ASSERT_TRUE(
        running.learner().Forget({store::Reporter::Kind::kSource, "eve"}, "without eve").ok());
  }
  ASSERT_TRUE(store_->PinProfile("m", 0).ok());
  EXPECT_EQ(Active().revision, poisoned) << "it learned while a profile was pinned";
  { Running running(store_.get()); }
  ExpectTheTruth();
}

// What a detector records after 320 observations and Slow(4).
domain::Drift DriftOfFour() {
  domain::Drift drift;
  drift.machine = "m";
  drift.scope.level = domain::Level::kNetwork;
  drift.first_id = 321;
  drift.last_id = 400;
  drift.log_factor = std::log(4);
  drift.observation_count = 80;
  return drift;
}

TEST_F(RestartTest, ADriftThatWasRecordedBeforeTheEndIsFollowed) {
  State(1);
  Report({.job = "one", .source = "ada", .count = 320});
  { Running running(store_.get()); }
  Slow(4);
  ASSERT_TRUE(store_->AddDrift(DriftOfFour()).ok());
  const double before = Value("beta");
  { Running running(store_.get()); }
  EXPECT_THAT(Notes(), HasSubstr("times of the network"));
  // It is four times as large. What would be held back without a drift is not.
  EXPECT_GT(Value("beta"), 2.5 * before);
  const int64_t revision = Active().revision;
  { Running running(store_.get()); }
  EXPECT_EQ(Active().revision, revision) << "followed once more";
}

// What a person has set since contains it.
TEST_F(RestartTest, ADriftBeforeAPersonsProfileIsNotFollowed) {
  State(1);
  Report({.job = "one", .source = "ada", .count = 320});
  Slow(4);
  ASSERT_TRUE(store_->AddDrift(DriftOfFour()).ok());
  State(4);
  { Running running(store_.get()); }
  EXPECT_THAT(Notes(), Not(HasSubstr("drift")));
}

// As of a machine whose profile was pinned meanwhile: a learner reads on from before the pin.
TEST_F(RestartTest, ADriftOfBeforeAPersonsProfileThatIsNoticedLaterIsNotFollowed) {
  State(1);
  Report({.job = "one", .source = "ada", .count = 320});
  Slow(4);
  State(4, *store_->LastObservationId());
  ASSERT_TRUE(store_->AddDrift(DriftOfFour()).ok());
  { Running running(store_.get()); }
  EXPECT_THAT(Notes(), Not(HasSubstr("drift")));
}

TEST_F(RestartTest, AnErrorAfterADriftDoesNotLoseIt) {
  State(1);
  Report({.job = "one", .source = "ada", .count = 320});
  Report({.job = "two", .source = "ada", .count = 320});
  { Running running(store_.get()); }
  // Of the same page as the drift, so that it is refined after the drift was recorded.
  Report({.job = "one", .source = "ada", .count = 80});
  Slow(4);
  const double before = Value("beta");
  {
    FailsAfterADrift fails(store_.get());
    Running running(&fails);
    running.Learn();
  }
  ASSERT_EQ(store_->ListDrifts("m", 0, 10)->size(), 1u);
  EXPECT_THAT(Notes(), HasSubstr("times of the network"));
  EXPECT_GT(Value("beta"), 2.5 * before);
}

TEST_F(RestartTest, ADriftWhoseAnswerIsLostIsFollowed) {
  State(1);
  Report({.job = "one", .source = "ada", .count = 320});
  Report({.job = "two", .source = "ada", .count = 320});
  { Running running(store_.get()); }
  Slow(4);
  const double before = Value("beta");
  {
    LosesAnAnswer loses(store_.get());
    Running running(&loses);
    running.Learn();
  }
  ASSERT_EQ(store_->ListDrifts("m", 0, 10)->size(), 1u);
  EXPECT_THAT(Notes(), HasSubstr("times of the network"));
  EXPECT_GT(Value("beta"), 2.5 * before);
}

// Learning begins again from before the drift.
TEST_F(RestartTest, AForgetFollowsADriftThatStays) {
  State(1);
  Report({.job = "early", .source = "eve", .count = 32, .factor = 1.2, .smallest = 96});
  Report({.job = "one", .source = "ada", .count = 320});
  Report({.job = "two", .source = "ada", .count = 320});
  { Running running(store_.get()); }
  Slow(4);
  Running running(store_.get());
  const auto before = store_->ListDrifts("m", 0, 10);
  ASSERT_EQ(before->size(), 1u);
  ASSERT_TRUE(
      running.learner().Forget({store::Reporter::Kind::kSource, "eve"}, "without eve").ok());
  running.Learn();
  const auto after = store_->ListDrifts("m", 0, 10);
  ASSERT_EQ(after->size(), 1u);
  EXPECT_EQ(after->front().id, before->front().id);
  // Nothing of it is contradicted: neither the times before the drift, nor those since.
  EXPECT_THAT(Active().note, HasSubstr("without eve; drift: "));
  EXPECT_THAT(Active().note, HasSubstr("learned from 800 observations"));
  EXPECT_FALSE(running.learner().HeldOf("m").has_value());
}

// A learner that starts begins with the active revision, and reads the evidence again.
TEST_F(RestartTest, WhatIsHeldBackKeepsItsEvidence) {
  State(1);
  Report({.job = "honest", .source = "ada", .count = 320});
  { Running running(store_.get()); }
  Report({.job = "one", .source = "eve", .count = 320, .factor = 8, .smallest = 96});
  Running running(store_.get());
  ASSERT_TRUE(running.learner().HeldOf("m").has_value());
  // Beyond what a start reads again for other reasons.
  for (int i = 0; i < 6; ++i) {
    Report({.machine = "other", .job = "many", .source = "bob", .count = 17'000});
  }
  Report({.job = "one", .source = "eve", .count = 8, .factor = 8, .smallest = 96});
  running.Learn();
  ASSERT_TRUE(running.learner().HeldOf("m").has_value());
  const NeededRows needed = running.learner().NeedsAfter("m");
  EXPECT_EQ(needed.after_id, 0);
  EXPECT_GT(needed.unread_after_id, 0) << "where the rows are too many";
  // Once a revision contains it, it is as old as the rest.
  ASSERT_TRUE(running.learner().Accept("m").ok());
  EXPECT_EQ(running.learner().NeedsAfter("m").after_id, needed.unread_after_id);
}

}  // namespace
}  // namespace cox::daemon
