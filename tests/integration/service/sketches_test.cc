// What jobs report of their messages, and the routes that RecommendRoutes names for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "daemon.h"

namespace cox {
namespace {

using grpc::StatusCode;
using ::testing::HasSubstr;
using Stub = v1::AdviceService::Stub;
using Reports = v1::ObservationService::Stub;

// Start-ups of 63 us and 5 ns a byte; the processor is busy for most of a start-up.
struct SlowStarts : Daemon {
  SlowStarts() {
    Register("lemieux", 16, 4);
    SetProfile("lemieux", {{"hockney", "node", "alpha", 63e-6},
                           {"hockney", "node", "beta", 5e-9},
                           {"hockney", "node", "alpha_cpu", 60e-6},
                           {"hockney", "network", "alpha", 63e-6},
                           {"hockney", "network", "beta", 5e-9},
                           {"hockney", "network", "alpha_cpu", 60e-6}});
  }
};

// 64 ranks in `calls` calls: each sends `bytes` to every other one, 10 ms apart.
v1::PatternSketch AllToAll(int64_t calls, int64_t bytes) {
  v1::PatternSketch sketch;
  sketch.set_machine("lemieux");
  sketch.set_application("namd");
  sketch.set_kind("alltoallv");
  sketch.set_nodes(16);
  sketch.set_ppn(4);
  sketch.set_ranks(64);
  sketch.set_phase_count(64 * calls);
  sketch.set_sampled_count(64);
  sketch.set_repeat_count(32);
  sketch.set_total_bytes(64.0 * 63 * static_cast<double>(bytes));
  sketch.set_timed_count(64);
  sketch.set_inside_s(64 * 0.004);
  sketch.set_between_s(64 * 0.01);
  // 32..63 destinations.
  for (int i = 0; i < 6; ++i) sketch.add_destination_counts(0);
  sketch.add_destination_counts(64);
  int size_class = 0;
  while ((int64_t{1} << size_class) <= bytes) ++size_class;
  for (int i = 0; i < size_class; ++i) sketch.add_size_counts(0);
  sketch.add_size_counts(64 * 63);
  // Distances 1..32, all but the last both ways.
  for (const int64_t count : {0, 2, 4, 8, 16, 32, 1}) sketch.add_distance_counts(64 * count);
  return sketch;
}

v1::ReportObservationsRequest ReportOf(const std::string& job, const v1::PatternSketch& sketch) {
  v1::ReportObservationsRequest request;
  request.set_job(job);
  request.set_sequence(1);
  *request.add_sketches() = sketch;
  return request;
}

grpc::Status Report(const Daemon& daemon, const v1::ReportObservationsRequest& request) {
  v1::ReportObservationsResponse response;
  return Call(&Reports::ReportObservations, daemon.Observations(), request, &response);
}

v1::RecommendRoutesRequest Question(const std::string& application = "namd") {
  v1::RecommendRoutesRequest request;
  request.set_machine("lemieux");
  request.set_application(application);
  return request;
}

v1::RecommendRoutesResponse Answer(const Daemon& daemon,
                                   const v1::RecommendRoutesRequest& request) {
  v1::RecommendRoutesResponse response;
  const grpc::Status status = Call(&Stub::RecommendRoutes, daemon.Advice(), request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

TEST(RecommendRoutes, AnswersForAllJobsOfAnApplicationAlsoAfterARestart) {
  SlowStarts daemon;
  // The nodes of a job report by themselves.
  for (const char* const job : {"1@n1", "1@n2", "2"}) {
    const grpc::Status reported = Report(daemon, ReportOf(job, AllToAll(10, 64)));
    ASSERT_TRUE(reported.ok()) << reported.error_message();
  }
  daemon.Stop();
  daemon.Start();
  const v1::RecommendRoutesResponse response = Answer(daemon, Question());
  ASSERT_EQ(response.patterns_size(), 1);
  const v1::SketchedPattern& pattern = response.patterns(0);
  EXPECT_EQ(pattern.application(), "namd");
  EXPECT_EQ(pattern.kind(), "alltoallv");
  EXPECT_EQ(pattern.ranks(), 64);
  EXPECT_EQ(pattern.job_count(), 2);
  EXPECT_EQ(pattern.phase_count(), 30);
  EXPECT_EQ(pattern.repeat_ratio(), 0.5);
  EXPECT_EQ(pattern.mean_destination_count(), 63);
  EXPECT_EQ(pattern.mean_bytes(), 63 * 64);
  EXPECT_DOUBLE_EQ(pattern.phase_time_s(), 0.004);
  EXPECT_DOUBLE_EQ(pattern.work_time_s(), 0.01);
  EXPECT_THAT(pattern.route(), ::testing::Not("direct"));
  EXPECT_EQ(pattern.predictions(0).strategy(), pattern.route());
  EXPECT_EQ(response.profile_revision(), 1);
}

TEST(RecommendRoutes, TheObjectiveChangesTheRoute) {
  SlowStarts daemon;
  ASSERT_TRUE(Report(daemon, ReportOf("1", AllToAll(10, 32'768))).ok());
  v1::RecommendRoutesRequest request = Question();
  EXPECT_EQ(Answer(daemon, request).patterns(0).route(), "direct");
  request.set_objective(v1::OBJECTIVE_PROCESSOR_TIME);
  const v1::RecommendRoutesResponse response = Answer(daemon, request);
  EXPECT_THAT(response.patterns(0).route(), ::testing::Not("direct"));
  EXPECT_THAT(response.patterns(0).reason(), HasSubstr("processor time"));
}

TEST(RecommendRoutes, SaysHowMuchMoreBlocksHide) {
  SlowStarts daemon;
  ASSERT_TRUE(Report(daemon, ReportOf("1", AllToAll(10, 32'768))).ok());
  const v1::RecommendRoutesResponse response = Answer(daemon, Question());
  const v1::SketchedPattern& pattern = response.patterns(0);
  ASSERT_GE(pattern.blocks_size(), 3);
  EXPECT_EQ(pattern.blocks(0).block_count(), 1);
  EXPECT_EQ(pattern.blocks(0).hidden_ratio(), 0);
  EXPECT_GT(pattern.blocks(1).hidden_ratio(), 0.2);
  EXPECT_LT(pattern.blocks(1).phase_time_s(), pattern.blocks(0).phase_time_s());
  EXPECT_GT(pattern.best_block_count(), 1);
}

TEST(RecommendRoutes, SaysWhyThereIsNoAnswer) {
  SlowStarts daemon;
  EXPECT_EQ(Answer(daemon, Question("")).patterns_size(), 0);
  v1::PatternSketch silent = AllToAll(10, 64);
  silent.clear_destination_counts();
  silent.clear_size_counts();
  silent.clear_distance_counts();
  silent.set_total_bytes(0);
  ASSERT_TRUE(Report(daemon, ReportOf("1", silent)).ok());
  const v1::RecommendRoutesResponse response = Answer(daemon, Question(""));
  ASSERT_EQ(response.patterns_size(), 1);
  EXPECT_EQ(response.patterns(0).route(), "");
  EXPECT_THAT(response.patterns(0).reason(), HasSubstr("no sampled phase"));
}

// Nearly all phases of 2^31 - 1 ranks are silent.
TEST(RecommendRoutes, TooManyRanksAreNotPriced) {
  SlowStarts daemon;
  v1::PatternSketch sketch = AllToAll(10, 64);
  const int64_t ranks = (int64_t{1} << 31) - 1;
  sketch.set_nodes(ranks);
  sketch.set_ppn(1);
  sketch.set_ranks(ranks);
  sketch.set_sampled_count(1'000'000'000'064);
  sketch.set_destination_counts(0, 1'000'000'000'000);
  const grpc::Status reported = Report(daemon, ReportOf("1", sketch));
  ASSERT_TRUE(reported.ok()) << reported.error_message();
  const v1::RecommendRoutesResponse response = Answer(daemon, Question());
  ASSERT_EQ(response.patterns_size(), 1);
  EXPECT_THAT(response.patterns(0).reason(), HasSubstr("at most 300000 are priced"));
}

// An application's sketch that counts as many messages as ranks.
v1::PatternSketch OfManyRanks(const std::string& application, int64_t calls) {
  v1::PatternSketch sketch = AllToAll(calls, 64);
  sketch.set_application(application);
  sketch.set_nodes(240'000);
  sketch.set_ranks(240'000);
  sketch.clear_destination_counts();
  sketch.clear_size_counts();
  sketch.clear_distance_counts();
  sketch.set_total_bytes(0);
  return sketch;
}

TEST(RecommendRoutes, AnAnswerPricesABoundedNumberOfMessages) {
  SlowStarts daemon;
  v1::ReportObservationsRequest report = ReportOf("1", AllToAll(1, 64));
  for (int i = 0; i < 12; ++i) {
    *report.add_sketches() = OfManyRanks(absl::StrCat("a", i), 3);
  }
  *report.add_sketches() = OfManyRanks("last", 2);
  const grpc::Status reported = Report(daemon, report);
  ASSERT_TRUE(reported.ok()) << reported.error_message();
  const v1::RecommendRoutesResponse response = Answer(daemon, Question(""));
  ASSERT_EQ(response.patterns_size(), 14);
  for (int i = 0; i < 12; ++i) {
    EXPECT_THAT(response.patterns(i).reason(), HasSubstr("no sampled phase"));
  }
  EXPECT_EQ(response.patterns(12).application(), "last");
  EXPECT_THAT(response.patterns(12).reason(), HasSubstr("not priced"));
  EXPECT_EQ(response.patterns(13).application(), "namd");
  EXPECT_NE(response.patterns(13).route(), "");
  EXPECT_THAT(Answer(daemon, Question("last")).patterns(0).reason(), HasSubstr("no sampled phase"));
}

// "@" is legal in a job's name; what follows the last one is the node.
TEST(RecommendRoutes, JobsWhoseNamesBeginAlikeAreDifferentJobs) {
  SlowStarts daemon;
  for (const char* const job : {"ann@site/1@n1", "ann@site/1@n2", "ann@site/2@n1"}) {
    ASSERT_TRUE(Report(daemon, ReportOf(job, AllToAll(10, 64))).ok());
  }
  EXPECT_EQ(Answer(daemon, Question()).patterns(0).job_count(), 2);
}

TEST(RecommendRoutes, RefusesWhatItDoesNotKnow) {
  SlowStarts daemon;
  const auto code = [&](const v1::RecommendRoutesRequest& request) {
    v1::RecommendRoutesResponse response;
    return Call(&Stub::RecommendRoutes, daemon.Advice(), request, &response).error_code();
  };
  EXPECT_EQ(code(Question("nobody")), StatusCode::NOT_FOUND);
  v1::RecommendRoutesRequest request = Question("");
  request.set_machine("nowhere");
  EXPECT_EQ(code(request), StatusCode::NOT_FOUND);
  request = Question("");
  request.set_model("all");
  EXPECT_EQ(code(request), StatusCode::INVALID_ARGUMENT);
  request.set_model("nomodel");
  EXPECT_EQ(code(request), StatusCode::NOT_FOUND);
  request.clear_machine();
  EXPECT_EQ(code(request), StatusCode::INVALID_ARGUMENT);
}

TEST(Sketches, AreCountedOnceAndForgotten) {
  SlowStarts daemon;
  const v1::ReportObservationsRequest report = ReportOf("1", AllToAll(10, 64));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Report(daemon, report).ok());
  EXPECT_EQ(Answer(daemon, Question()).patterns(0).phase_count(), 10);
  v1::ForgetObservationsRequest forget;
  forget.set_job("1");
  v1::ForgetObservationsResponse forgotten;
  ASSERT_TRUE(Call(&Reports::ForgetObservations, daemon.Observations(), forget, &forgotten).ok());
  EXPECT_EQ(Answer(daemon, Question("")).patterns_size(), 0);
}

TEST(Sketches, RegisterTheirMachineIfAsked) {
  SlowStarts daemon;
  v1::PatternSketch sketch = AllToAll(1, 64);
  sketch.set_machine("fresh");
  v1::ReportObservationsRequest report = ReportOf("1", sketch);
  EXPECT_EQ(Report(daemon, report).error_code(), StatusCode::NOT_FOUND);
  report.set_create_machines(true);
  ASSERT_TRUE(Report(daemon, report).ok());
  v1::RecommendRoutesRequest request = Question("");
  request.set_machine("fresh");
  // A machine without a profile has no prices.
  EXPECT_EQ(Answer(daemon, request).patterns(0).route(), "");
}

TEST(Sketches, RefuseWhatNoAgentWrites) {
  SlowStarts daemon;
  const std::map<std::string, std::function<void(v1::PatternSketch*)>> cases = {
      {"machine", [](auto* s) { s->clear_machine(); }},
      {"application", [](auto* s) { s->clear_application(); }},
      {"kind", [](auto* s) { s->set_kind("bcast"); }},
      {"nodes", [](auto* s) { s->set_nodes(0); }},
      {"ppn", [](auto* s) { s->set_ppn(-1); }},
      {"ranks", [](auto* s) { s->set_ranks(65); }},
      {"phase_count", [](auto* s) { s->set_phase_count(0); }},
      {"sampled_count", [](auto* s) { s->set_sampled_count(-1); }},
      {"repeat_count", [](auto* s) { s->set_repeat_count(65); }},
      {"timed_count", [](auto* s) { s->set_timed_count(-1); }},
      {"total_bytes", [](auto* s) { s->set_total_bytes(-1); }},
      {"inside_s", [](auto* s) { s->set_inside_s(1e300); }},
      {"between_s", [](auto* s) { s->set_between_s(0.0 / 0.0); }},
      {"destination_counts", [](auto* s) { s->add_destination_counts(1); }},
      {"size_counts", [](auto* s) { s->clear_size_counts(); }},
      {"distance_counts[0]", [](auto* s) { s->set_distance_counts(0, -1); }},
      // 64 phases to 32 ranks and more.
      {"distance_counts", [](auto* s) { s->clear_distance_counts(); }},
  };
  for (const auto& [field, spoil] : cases) {
    v1::PatternSketch sketch = AllToAll(10, 64);
    spoil(&sketch);
    const grpc::Status status = Report(daemon, ReportOf("1", sketch));
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT) << field;
    EXPECT_EQ(FieldOf(status), "sketches[0]." + field) << status.error_message();
  }
  v1::ReportObservationsRequest many;
  for (int i = 0; i < 257; ++i) *many.add_sketches() = AllToAll(1, 64);
  EXPECT_EQ(FieldOf(Report(daemon, many)), "sketches");
}

}  // namespace
}  // namespace cox
