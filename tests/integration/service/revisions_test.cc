// Answers with the parameters of an older revision, to compare revisions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "daemon.h"

namespace cox {
namespace {

using AdviceStub = v1::AdviceService::Stub;

constexpr double kSlowBeta = 4e-9;
constexpr double kFastBeta = 1e-9;

void SetNetwork(Daemon* daemon, double beta_s_per_byte) {
  daemon->SetProfile("delta", {{"hockney", "node", "alpha", 5e-7},
                               {"hockney", "node", "beta", 1e-10},
                               {"hockney", "network", "alpha", 2e-6},
                               {"hockney", "network", "beta", beta_s_per_byte}});
}

// A machine whose network is four times as fast in revision 2 as in revision 1.
struct TwiceCalibratedDaemon : Daemon {
  TwiceCalibratedDaemon() {
    Register("delta", 64, 8);
    SetNetwork(this, kSlowBeta);
    SetNetwork(this, kFastBeta);
  }
};

v1::RecommendRequest Question(int64_t revision) {
  v1::RecommendRequest request;
  request.set_machine("delta");
  request.set_library("openmpi-4.1");
  request.set_collective("allreduce");
  request.set_nodes(2);
  request.set_ppn(8);
  request.set_block_bytes(1 << 20);
  request.set_include_alternatives(true);
  request.set_assume_commutative(true);
  request.set_profile_revision(revision);
  return request;
}

v1::RecommendResponse Ask(const Daemon& daemon, int64_t revision) {
  v1::RecommendResponse response;
  const grpc::Status status =
      Call(&AdviceStub::Recommend, daemon.Advice(), Question(revision), &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

TEST(Revisions, AnOlderOneAnswersAsItDidWhileItWasActive) {
  Daemon daemon;
  daemon.Register("delta", 64, 8);
  SetNetwork(&daemon, kSlowBeta);
  const v1::RecommendResponse before = Ask(daemon, 0);
  ASSERT_EQ(before.profile_revision(), 1);
  SetNetwork(&daemon, kFastBeta);
  const v1::RecommendResponse now = Ask(daemon, 0);
  ASSERT_EQ(now.profile_revision(), 2);
  ASSERT_LT(now.predicted_time_s(), before.predicted_time_s());
  for (int i = 0; i < 2; ++i) {  // the second time from memory
    EXPECT_EQ(Ask(daemon, 1).SerializeAsString(), before.SerializeAsString());
  }
  EXPECT_EQ(Ask(daemon, 2).SerializeAsString(), now.SerializeAsString());
  EXPECT_EQ(Ask(daemon, 0).profile_revision(), 2);
}

TEST(Revisions, ABatchComparesThem) {
  TwiceCalibratedDaemon daemon;
  v1::BatchRecommendRequest batch;
  for (const int64_t revision : {0, 1, 2, 7, -1}) *batch.add_requests() = Question(revision);
  v1::BatchRecommendResponse answers;
  ASSERT_TRUE(Call(&AdviceStub::BatchRecommend, daemon.Advice(), batch, &answers).ok());
  ASSERT_EQ(answers.responses_size(), 5);
  EXPECT_EQ(answers.responses(0).profile_revision(), 2);
  EXPECT_EQ(answers.responses(1).profile_revision(), 1);
  EXPECT_GT(answers.responses(1).predicted_time_s(), answers.responses(2).predicted_time_s());
  EXPECT_THAT(answers.responses(3).error(), testing::HasSubstr("has no profile 7"));
  EXPECT_THAT(answers.responses(4).error(), testing::HasSubstr("profile_revision"));
}

TEST(Revisions, WhatIsWrongIsNamed) {
  TwiceCalibratedDaemon daemon;
  v1::RecommendResponse response;
  EXPECT_EQ(Call(&AdviceStub::Recommend, daemon.Advice(), Question(7), &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(FieldOf(Call(&AdviceStub::Recommend, daemon.Advice(), Question(-1), &response)),
            "profile_revision");
  v1::GetAccuracyRequest accuracy;
  accuracy.set_machine("delta");
  accuracy.set_profile_revision(7);
  v1::GetAccuracyResponse errors;
  EXPECT_EQ(Call(&AdviceStub::GetAccuracy, daemon.Advice(), accuracy, &errors).error_code(),
            grpc::StatusCode::NOT_FOUND);
  v1::BatchRecommendRequest batch;
  for (int64_t revision = 1; revision <= 5; ++revision) *batch.add_requests() = Question(revision);
  v1::BatchRecommendResponse answers;
  EXPECT_EQ(FieldOf(Call(&AdviceStub::BatchRecommend, daemon.Advice(), batch, &answers)),
            "requests");
}

// Of recursive doubling.
v1::Observation Timing(double time_s) {
  v1::Observation observation = MakeObservation("delta", 0);
  observation.set_block_bytes(1 << 20);
  observation.set_time_s(time_s);
  return observation;
}

double TimeOf(const v1::RecommendResponse& answer) {
  for (const v1::Alternative& alternative : answer.alternatives()) {
    if (alternative.algorithm() == "recursive_doubling") return alternative.predicted_time_s();
  }
  ADD_FAILURE() << "no prediction of recursive_doubling";
  return 0;
}

TEST(Revisions, ObservationsCorrectEveryRevisionAndShowWhichOneWasRight) {
  TwiceCalibratedDaemon daemon;
  // The machine is as revision 2 says.
  const double slow_s = TimeOf(Ask(daemon, 1));
  const double time_s = TimeOf(Ask(daemon, 2));
  ASSERT_GT(slow_s, 2 * time_s);
  v1::ReportObservationsRequest report;
  report.set_await_learning(true);
  for (int i = 0; i < 5; ++i) *report.add_observations() = Timing(time_s);
  v1::ReportObservationsResponse reported;
  ASSERT_TRUE(Call(&v1::ObservationService::Stub::ReportObservations, daemon.Observations(), report,
                   &reported)
                  .ok());
  // The view that was remembered has been renewed.
  EXPECT_NEAR(TimeOf(Ask(daemon, 1)) / time_s, 1, 0.2);

  const auto error_of = [&daemon](int64_t revision) {
    v1::GetAccuracyRequest request;
    request.set_machine("delta");
    request.set_profile_revision(revision);
    v1::GetAccuracyResponse response;
    EXPECT_TRUE(Call(&AdviceStub::GetAccuracy, daemon.Advice(), request, &response).ok());
    EXPECT_EQ(response.profile_revision(), revision);
    if (response.rows().empty() || response.rows(0).models().empty()) return -1.0;
    return response.rows(0).models(0).error().median_error();
  };
  EXPECT_NEAR(error_of(2), 0, 0.01);
  EXPECT_NEAR(error_of(1), slow_s / time_s - 1, 0.01);
}

}  // namespace
}  // namespace cox
