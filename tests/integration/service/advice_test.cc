#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "absl/strings/str_cat.h"
#include "daemon.h"

namespace cox {
namespace {

using AdviceStub = v1::AdviceService::Stub;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// A daemon that knows a machine with parameters for Hockney's model at both levels.
struct CalibratedDaemon : Daemon {
  CalibratedDaemon() {
    Register("delta", 64, 8);
    SetProfile("delta", {{"hockney", "node", "alpha", 5e-7},
                         {"hockney", "node", "beta", 1e-10},
                         {"hockney", "network", "alpha", 2e-6},
                         {"hockney", "network", "beta", 1e-9}});
  }
};

v1::RecommendRequest Alltoall() {
  v1::RecommendRequest request;
  request.set_machine("delta");
  request.set_library("openmpi-4.1");
  request.set_collective("alltoall");
  request.set_ranks(64);
  request.set_ppn(8);
  request.set_block_bytes(16);
  return request;
}

TEST(Recommend, WithoutDataAnswersTheDefaultAndSaysSo) {
  Daemon daemon;
  daemon.Register("delta", 64, 8);
  v1::RecommendResponse response;
  ASSERT_TRUE(Call(&AdviceStub::Recommend, daemon.Advice(), Alltoall(), &response).ok());
  EXPECT_EQ(response.algorithm(), "default");
  EXPECT_FALSE(response.has_native_id());
  EXPECT_FALSE(response.has_predicted_time_s());
  EXPECT_NE(response.reason().find("no data"), std::string::npos) << response.reason();
  EXPECT_EQ(response.profile_revision(), 0);
}

TEST(Recommend, RanksTheLibrarysAlgorithmsByTheProfile) {
  CalibratedDaemon daemon;
  v1::RecommendRequest request = Alltoall();
  request.set_include_alternatives(true);
  v1::RecommendResponse response;
  ASSERT_TRUE(Call(&AdviceStub::Recommend, daemon.Advice(), request, &response).ok());
  EXPECT_EQ(response.profile_revision(), 1);
  ASSERT_GE(response.alternatives_size(), 3);
  for (int i = 1; i < response.alternatives_size(); ++i) {
    EXPECT_LE(response.alternatives(i - 1).predicted_time_s(),
              response.alternatives(i).predicted_time_s());
  }
  // 63 small messages cost more than the six rounds of Bruck's algorithm.
  EXPECT_EQ(response.alternatives(0).strategy(), "alltoall/bruck");
}

// Two algorithms at eight sizes, `factor` times as long as in the benchmark. No job: the benchmark.
void ReportTimes(const Daemon& daemon, const std::string& job, double factor) {
  v1::ReportObservationsRequest request;
  request.set_job(job);
  request.set_sequence(1);
  request.set_await_learning(true);
  for (int size = 0; size < 8; ++size) {
    for (const char* const algorithm : {"default", "fast"}) {
      v1::Observation* observation = request.add_observations();
      *observation = MakeObservation("delta", size);
      observation->set_library("site-mpi");
      observation->set_algorithm(algorithm);
      observation->set_time_s(factor * (algorithm[0] == 'f' ? 1e-5 : 3e-5) * (1 + 0.1 * size));
      observation->set_count(100);
    }
  }
  v1::ReportObservationsResponse response;
  const grpc::Status status = Call(&v1::ObservationService::Stub::ReportObservations,
                                   daemon.Observations(), request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
}

TEST(Recommend, SaysWhatACallTakesInAJobOnceBothWereTimed) {
  Daemon daemon;
  daemon.Register("delta", 64, 8);
  v1::RecommendRequest request;
  request.set_machine("delta");
  request.set_library("site-mpi");
  request.set_collective("allreduce");
  request.set_nodes(2);
  request.set_ppn(8);
  request.set_ranks(16);
  request.set_block_bytes(64);
  const auto ask = [&daemon](const v1::RecommendRequest& question) {
    v1::RecommendResponse response;
    EXPECT_TRUE(Call(&AdviceStub::Recommend, daemon.Advice(), question, &response).ok());
    return response;
  };
  ReportTimes(daemon, "", 1);
  const v1::RecommendResponse before = ask(request);
  ASSERT_EQ(before.algorithm(), "fast");
  EXPECT_FALSE(before.has_job_time_s());
  EXPECT_EQ(before.job_interval_s_size(), 0);

  ReportTimes(daemon, "job-1", 2);
  const v1::RecommendResponse after = ask(request);
  ASSERT_EQ(after.algorithm(), "fast");
  ASSERT_TRUE(after.has_job_time_s());
  // Eight calls of each algorithm against a prior of two calls without a difference.
  EXPECT_NEAR(after.job_time_s() / after.predicted_time_s(), 2, 0.35);
  ASSERT_EQ(after.interval_s_size(), 2);
  ASSERT_EQ(after.job_interval_s_size(), 2);
  EXPECT_LT(after.job_interval_s(0), after.job_time_s());
  EXPECT_GT(after.job_interval_s(1), after.job_time_s());
  // The error of the factor adds to that of the prediction.
  EXPECT_GT(after.job_interval_s(1) / after.job_interval_s(0),
            1.05 * after.interval_s(1) / after.interval_s(0));
  // The factor is the collective's: it was learned for no other one.
  request.set_collective("bcast");
  EXPECT_FALSE(ask(request).has_job_time_s());
}

TEST(Recommend, WhatIsWrongIsNamed) {
  CalibratedDaemon daemon;
  const auto stub = daemon.Advice();
  const struct {
    const char* field;
    std::function<void(v1::RecommendRequest*)> spoil;
  } cases[] = {
      {"machine", [](auto* r) { r->set_machine("D"); }},
      {"library", [](auto* r) { r->clear_library(); }},
      {"collective", [](auto* r) { r->clear_collective(); }},
      {"ranks", [](auto* r) { r->set_ranks(0); }},
      {"ranks", [](auto* r) { r->set_ranks(-1); }},
      {"ranks", [](auto* r) { r->set_ranks(kMax); }},
      {"ranks", [](auto* r) { r->set_nodes(2); }},
      {"ppn", [](auto* r) { r->set_ppn(-1); }},
      {"nodes", [](auto* r) { r->set_nodes(-1); }},
      {"block_bytes", [](auto* r) { r->set_block_bytes(-1); }},
      {"block_bytes", [](auto* r) { r->set_block_bytes(kMax); }},
      {"type_bytes", [](auto* r) { r->set_type_bytes(-8); }},
      {"candidates",
       [](auto* r) {
         for (int i = 0; i < 257; ++i) r->add_candidates("a");
       }},
  };
  for (const auto& [field, spoil] : cases) {
    v1::RecommendRequest request = Alltoall();
    spoil(&request);
    v1::RecommendResponse response;
    const grpc::Status status = Call(&AdviceStub::Recommend, stub, request, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT)
        << request.ShortDebugString() << ": " << status.error_message();
    EXPECT_EQ(FieldOf(status), field) << status.error_message();
  }
  v1::RecommendRequest request = Alltoall();
  request.set_machine("nowhere");
  v1::RecommendResponse response;
  EXPECT_EQ(Call(&AdviceStub::Recommend, stub, request, &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
  request = Alltoall();
  request.set_ranks(0);
  request.set_nodes(kMax);
  EXPECT_EQ(Call(&AdviceStub::Recommend, stub, request, &response).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST(Recommend, ExtremesAreAnswered) {
  CalibratedDaemon daemon;
  for (const auto& [ranks, ppn, bytes] : {std::tuple<int64_t, int64_t, int64_t>{1, 1, 0},
                                          {2147483647, 128, 1},
                                          {3, 8, 0},
                                          {1048576, 1, int64_t{1} << 62},
                                          {2, 1, int64_t{1} << 62}}) {
    v1::RecommendRequest request = Alltoall();
    request.set_ranks(ranks);
    request.set_ppn(ppn);
    request.set_block_bytes(bytes);
    v1::RecommendResponse response;
    const grpc::Status status = Call(&AdviceStub::Recommend, daemon.Advice(), request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_TRUE(std::isfinite(response.predicted_time_s()));
    EXPECT_FALSE(response.algorithm().empty());
  }
}

TEST(BatchRecommend, AnswersInOrderAndABadQuestionFailsAlone) {
  CalibratedDaemon daemon;
  v1::BatchRecommendRequest request;
  for (int i = 0; i < 10; ++i) {
    *request.add_requests() = Alltoall();
    request.mutable_requests(i)->set_block_bytes(i == 4 ? -1 : int64_t{1} << (2 * i));
  }
  v1::BatchRecommendResponse response;
  ASSERT_TRUE(Call(&AdviceStub::BatchRecommend, daemon.Advice(), request, &response).ok());
  ASSERT_EQ(response.responses_size(), 10);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(response.responses(i).error().empty(), i != 4) << response.responses(i).error();
    if (i == 4) continue;
    v1::RecommendResponse alone;
    ASSERT_TRUE(Call(&AdviceStub::Recommend, daemon.Advice(), request.requests(i), &alone).ok());
    EXPECT_EQ(response.responses(i).SerializeAsString(), alone.SerializeAsString());
  }
  for (int i = 10; i < 10'001; ++i) request.add_requests();
  EXPECT_EQ(FieldOf(Call(&AdviceStub::BatchRecommend, daemon.Advice(), request, &response)),
            "requests");
}

v1::PredictRequest Bcast() {
  v1::PredictRequest request;
  request.set_machine("delta");
  request.set_collective("bcast");
  request.set_ranks(16);
  request.set_ppn(1);
  request.set_block_bytes(1000);
  request.set_strategy("bcast/binomial");
  request.set_model("hockney");
  return request;
}

TEST(Predict, GivesTheTermsThatAddUp) {
  CalibratedDaemon daemon;
  v1::PredictResponse response;
  ASSERT_TRUE(Call(&AdviceStub::Predict, daemon.Advice(), Bcast(), &response).ok());
  ASSERT_EQ(response.predictions_size(), 1);
  // Four rounds of alpha + beta m, between nodes.
  EXPECT_NEAR(response.predictions(0).time_s(), 4 * (2e-6 + 1000 * 1e-9), 1e-12);
  double sum_s = 0;
  for (const auto& term : response.predictions(0).terms()) sum_s += term.time_s();
  EXPECT_DOUBLE_EQ(sum_s, response.predictions(0).time_s());
}

TEST(Predict, WhatIsWrongIsNamed) {
  CalibratedDaemon daemon;
  const struct {
    grpc::StatusCode code;
    const char* field;
    std::function<void(v1::PredictRequest*)> spoil;
  } cases[] = {
      {grpc::StatusCode::INVALID_ARGUMENT, "ranks", [](auto* r) { r->set_ranks(0); }},
      {grpc::StatusCode::INVALID_ARGUMENT, "ranks", [](auto* r) { r->set_ranks(kMax); }},
      {grpc::StatusCode::INVALID_ARGUMENT, "ppn", [](auto* r) { r->set_ppn(-1); }},
      {grpc::StatusCode::INVALID_ARGUMENT, "block_bytes", [](auto* r) { r->set_block_bytes(-1); }},
      {grpc::StatusCode::INVALID_ARGUMENT, "type_bytes", [](auto* r) { r->set_type_bytes(-1); }},
      {grpc::StatusCode::INVALID_ARGUMENT, "root", [](auto* r) { r->set_root(16); }},
      {grpc::StatusCode::INVALID_ARGUMENT, "strategy",
       [](auto* r) { r->set_strategy("bcast/chain?segment=-1"); }},
      {grpc::StatusCode::NOT_FOUND, "", [](auto* r) { r->set_strategy("bcast/magic"); }},
      {grpc::StatusCode::NOT_FOUND, "", [](auto* r) { r->set_model("crystal-ball"); }},
      {grpc::StatusCode::NOT_FOUND, "", [](auto* r) { r->set_machine("nowhere"); }},
      {grpc::StatusCode::NOT_FOUND, "", [](auto* r) { r->set_collective("bcasts"); }},
      {grpc::StatusCode::FAILED_PRECONDITION, "", [](auto* r) { r->set_model("loggp"); }},
  };
  for (const auto& [code, field, spoil] : cases) {
    v1::PredictRequest request = Bcast();
    spoil(&request);
    v1::PredictResponse response;
    const grpc::Status status = Call(&AdviceStub::Predict, daemon.Advice(), request, &response);
    EXPECT_EQ(status.error_code(), code) << request.ShortDebugString() << status.error_message();
    EXPECT_EQ(FieldOf(status), field) << status.error_message();
  }
}

TEST(Predict, NeedsAProfile) {
  Daemon daemon;
  daemon.Register("delta", 64, 8);
  v1::PredictResponse response;
  EXPECT_EQ(Call(&AdviceStub::Predict, daemon.Advice(), Bcast(), &response).error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
}

v1::GetTuningRequest Tuning() {
  v1::GetTuningRequest request;
  request.set_machine("delta");
  request.set_library("openmpi-4.1");
  request.set_nodes(4);
  request.set_ppn(8);
  return request;
}

TEST(GetTuning, GivesTheTextOnceAndThenNotModified) {
  CalibratedDaemon daemon;
  v1::GetTuningRequest request = Tuning();
  v1::GetTuningResponse response;
  ASSERT_TRUE(Call(&AdviceStub::GetTuning, daemon.Advice(), request, &response).ok());
  EXPECT_FALSE(response.text().empty());
  EXPECT_GT(response.rows_size(), 0);
  request.set_etag(response.etag());
  v1::GetTuningResponse again;
  ASSERT_TRUE(Call(&AdviceStub::GetTuning, daemon.Advice(), request, &again).ok());
  EXPECT_TRUE(again.not_modified());
  EXPECT_EQ(again.etag(), response.etag());
  EXPECT_TRUE(again.text().empty());
}

TEST(GetTuning, FormsAndPromisesAreQuestionsOfTheirOwn) {
  CalibratedDaemon daemon;
  const auto etag_of = [&](auto change) {
    v1::GetTuningRequest request = Tuning();
    change(&request);
    v1::GetTuningResponse response;
    EXPECT_TRUE(Call(&AdviceStub::GetTuning, daemon.Advice(), request, &response).ok());
    EXPECT_FALSE(response.text().empty());
    return response.etag();
  };
  const std::string rules = etag_of([](auto* /*r*/) {});
  EXPECT_EQ(etag_of([](auto* r) { r->set_format_name("rules"); }), rules);
  EXPECT_NE(etag_of([](auto* r) { r->set_format_name("env"); }), rules);
  EXPECT_EQ(etag_of([](auto* r) { r->set_command("cox tune"); }), rules);
  EXPECT_NE(etag_of([](auto* r) { r->set_nodes(3); }), rules);
  EXPECT_EQ(etag_of([](auto* /*r*/) {}), rules) << "from what was decided before";
}

TEST(GetTuning, WhatIsWrongIsNamed) {
  CalibratedDaemon daemon;
  const struct {
    grpc::StatusCode code;
    const char* field;
    std::function<void(v1::GetTuningRequest*)> spoil;
  } cases[] = {
      {grpc::StatusCode::INVALID_ARGUMENT, "nodes", [](auto* r) { r->set_nodes(0); }},
      {grpc::StatusCode::INVALID_ARGUMENT, "nodes", [](auto* r) { r->set_nodes(kMax); }},
      {grpc::StatusCode::INVALID_ARGUMENT, "ppn", [](auto* r) { r->set_ppn(-1); }},
      {grpc::StatusCode::INVALID_ARGUMENT, "command", [](auto* r) { r->set_command("a\nb"); }},
      {grpc::StatusCode::INVALID_ARGUMENT, "format", [](auto* r) { r->set_format_name("xml"); }},
      {grpc::StatusCode::NOT_FOUND, "", [](auto* r) { r->set_machine("nowhere"); }},
      {grpc::StatusCode::UNIMPLEMENTED, "", [](auto* r) { r->set_library("mpi-0.1"); }},
  };
  for (const auto& [code, field, spoil] : cases) {
    v1::GetTuningRequest request = Tuning();
    spoil(&request);
    v1::GetTuningResponse response;
    const grpc::Status status = Call(&AdviceStub::GetTuning, daemon.Advice(), request, &response);
    EXPECT_EQ(status.error_code(), code) << request.ShortDebugString() << status.error_message();
    EXPECT_EQ(FieldOf(status), field) << status.error_message();
  }
}

v1::GetDecisionsRequest JobToSteer() {
  v1::GetDecisionsRequest request;
  request.set_machine("delta");
  request.set_library("openmpi-4.1");
  request.set_nodes(4);
  request.set_ppn(8);
  request.set_assume_commutative(true);
  return request;
}

TEST(GetDecisions, GivesRowsOnceAndThenNotModified) {
  CalibratedDaemon daemon;
  v1::GetDecisionsRequest request = JobToSteer();
  v1::GetDecisionsResponse response;
  ASSERT_TRUE(Call(&AdviceStub::GetDecisions, daemon.Advice(), request, &response).ok());
  ASSERT_GT(response.decisions_size(), 0);
  EXPECT_FALSE(response.etag().empty());
  EXPECT_FALSE(response.not_modified());
  EXPECT_GT(response.profile_revision(), 0);
  for (int i = 0; i < response.decisions_size(); ++i) {
    const v1::Decision& decision = response.decisions(i);
    const bool is_first = i == 0 || response.decisions(i - 1).collective() != decision.collective();
    const int64_t before = is_first ? -1 : response.decisions(i - 1).from_block_bytes();
    EXPECT_GT(decision.from_block_bytes(), before) << decision.ShortDebugString();
    if (is_first) {
      EXPECT_EQ(decision.from_block_bytes(), 0) << decision.ShortDebugString();
    }
    EXPECT_EQ(decision.library(), "") << decision.ShortDebugString();
  }
  request.set_etag(response.etag());
  v1::GetDecisionsResponse again;
  ASSERT_TRUE(Call(&AdviceStub::GetDecisions, daemon.Advice(), request, &again).ok());
  EXPECT_TRUE(again.not_modified());
  EXPECT_EQ(again.etag(), response.etag());
  EXPECT_EQ(again.decisions_size(), 0);
}

TEST(GetDecisions, ShapesAndCollectivesAreQuestionsOfTheirOwn) {
  CalibratedDaemon daemon;
  const auto etag_of = [&](auto change) {
    v1::GetDecisionsRequest request = JobToSteer();
    change(&request);
    v1::GetDecisionsResponse response;
    EXPECT_TRUE(Call(&AdviceStub::GetDecisions, daemon.Advice(), request, &response).ok());
    return response.etag();
  };
  const std::string plain = etag_of([](auto* /*r*/) {});
  EXPECT_NE(etag_of([](auto* r) { r->set_nodes(3); }), plain);
  EXPECT_NE(etag_of([](auto* r) { r->add_collectives("bcast"); }), plain);
  EXPECT_EQ(etag_of([](auto* /*r*/) {}), plain) << "from the cache";
}

TEST(GetDecisions, WhatIsWrongIsNamed) {
  CalibratedDaemon daemon;
  const struct {
    grpc::StatusCode code;
    const char* field;
    std::function<void(v1::GetDecisionsRequest*)> spoil;
  } cases[] = {
      {grpc::StatusCode::INVALID_ARGUMENT, "nodes", [](auto* r) { r->set_nodes(0); }},
      {grpc::StatusCode::INVALID_ARGUMENT, "ppn", [](auto* r) { r->set_ppn(-1); }},
      {grpc::StatusCode::INVALID_ARGUMENT, "explore_ratio",
       [](auto* r) { r->set_explore_ratio(0.6); }},
      {grpc::StatusCode::INVALID_ARGUMENT, "collectives[0]",
       [](auto* r) { r->add_collectives("sing"); }},
      {grpc::StatusCode::INVALID_ARGUMENT, "second_library",
       [](auto* r) { r->set_second_library("mpich-4.0"); }},
      {grpc::StatusCode::NOT_FOUND, "", [](auto* r) { r->set_machine("nowhere"); }},
      {grpc::StatusCode::UNIMPLEMENTED, "", [](auto* r) { r->set_library("mpi-0.1"); }},
  };
  for (const auto& [code, field, spoil] : cases) {
    v1::GetDecisionsRequest request = JobToSteer();
    spoil(&request);
    v1::GetDecisionsResponse response;
    const grpc::Status status =
        Call(&AdviceStub::GetDecisions, daemon.Advice(), request, &response);
    EXPECT_EQ(status.error_code(), code) << request.ShortDebugString() << status.error_message();
    EXPECT_EQ(FieldOf(status), field) << status.error_message();
  }
}

// What 30 timings of the default at some sizes teach.
void ReportDefaults(Daemon& daemon) {
  // They are far from what the profile says: a second source must agree.
  for (int job = 0; job < 2; ++job) {
    v1::ReportObservationsRequest report;
    report.set_job(absl::StrCat("job.2.", job));
    report.set_sequence(1);
    report.set_await_learning(true);
    for (int i = 15 * job; i < 15 * (job + 1); ++i) {
      v1::Observation* observation = report.add_observations();
      *observation = MakeObservation("delta", i);
      observation->set_collective(i % 2 == 0 ? "alltoall" : "bcast");
      observation->set_algorithm("default");
      observation->set_nodes(8);
      observation->set_ppn(8);
      observation->set_ranks(64);
      observation->set_block_bytes(int64_t{64} << (2 * (i % 6)));
      observation->set_time_s(1e-4 * (1 + i % 6));
    }
    v1::ReportObservationsResponse reported;
    ASSERT_TRUE(Call(&v1::ObservationService::Stub::ReportObservations, daemon.Observations(),
                     report, &reported)
                    .ok());
  }
}

// 30 timings of libcoxcoll's direct alltoall, a fifth of the default's.
void ReportFastSecondLibrary(Daemon& daemon) {
  v1::ReportObservationsRequest report;
  report.set_job("job.3");
  report.set_sequence(1);
  report.set_await_learning(true);
  for (int i = 0; i < 30; ++i) {
    v1::Observation* observation = report.add_observations();
    *observation = MakeObservation("delta", i);
    observation->set_collective("alltoall");
    observation->set_library("coxcoll");
    observation->set_algorithm("direct");
    observation->set_nodes(8);
    observation->set_ppn(8);
    observation->set_ranks(64);
    observation->set_block_bytes(int64_t{64} << (2 * (i % 6)));
    observation->set_time_s(2e-5 * (1 + i % 6));
  }
  v1::ReportObservationsResponse reported;
  ASSERT_TRUE(Call(&v1::ObservationService::Stub::ReportObservations, daemon.Observations(), report,
                   &reported)
                  .ok());
}

TEST(GetDecisions, ASecondLibraryIsNamedInItsRows) {
  CalibratedDaemon daemon;
  ReportDefaults(daemon);
  ReportFastSecondLibrary(daemon);
  v1::GetDecisionsRequest request = JobToSteer();
  request.set_nodes(8);
  const auto second_library_rows = [&] {
    v1::GetDecisionsResponse response;
    EXPECT_TRUE(Call(&AdviceStub::GetDecisions, daemon.Advice(), request, &response).ok());
    int rows = 0;
    for (const v1::Decision& decision : response.decisions()) {
      if (decision.library().empty()) continue;
      EXPECT_EQ(decision.library(), "coxcoll");
      EXPECT_NE(decision.algorithm(), "default");
      ++rows;
    }
    return rows;
  };
  EXPECT_EQ(second_library_rows(), 0) << "without being asked for";
  request.set_second_library("coxcoll");
  EXPECT_GT(second_library_rows(), 0);
}

TEST(GetAccuracy, AnswersTheErrorsOfEveryModel) {
  CalibratedDaemon daemon;
  v1::GetAccuracyRequest request;
  request.set_machine("delta");
  v1::GetAccuracyResponse response;
  ASSERT_TRUE(Call(&AdviceStub::GetAccuracy, daemon.Advice(), request, &response).ok());
  EXPECT_EQ(response.rows_size(), 0);
  EXPECT_EQ(response.model(), "hockney");
  bool says_why = false;
  for (const v1::UnpricedModel& model : response.unpriced_models()) {
    says_why |= model.model() == "bsp" && model.reason().find("network.g") != std::string::npos;
  }
  EXPECT_TRUE(says_why);

  ReportDefaults(daemon);
  ASSERT_TRUE(Call(&AdviceStub::GetAccuracy, daemon.Advice(), request, &response).ok());
  ASSERT_EQ(response.rows_size(), 3);
  EXPECT_EQ(response.rows(0).collective(), "");
  EXPECT_EQ(response.rows(1).collective(), "alltoall");
  EXPECT_EQ(response.rows(2).collective(), "bcast");
  // Refinement knows more models than the calibration did.
  EXPECT_GT(response.rows(0).models_size(), 4);
  double least = HUGE_VAL;
  for (const v1::ModelAccuracy& model : response.rows(0).models()) {
    EXPECT_EQ(model.error().cell_count(), 6);
    EXPECT_LE(model.error().median_error(), model.error().largest_error());
    least = std::min(least, model.error().median_error());
    if (model.model() == response.rows(0).best_model()) {
      EXPECT_EQ(model.error().median_error(), least);
    }
  }
  EXPECT_GT(response.rows(0).left_out().cell_count(), 0);

  request.set_collective("bcast");
  request.set_by_size(true);
  ASSERT_TRUE(Call(&AdviceStub::GetAccuracy, daemon.Advice(), request, &response).ok());
  ASSERT_GE(response.rows_size(), 2);
  for (const v1::AccuracyRow& row : response.rows()) EXPECT_EQ(row.collective(), "bcast");

  request.set_collective("broadcast");
  EXPECT_EQ(Call(&AdviceStub::GetAccuracy, daemon.Advice(), request, &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
  request.set_machine("nowhere");
  EXPECT_EQ(Call(&AdviceStub::GetAccuracy, daemon.Advice(), request, &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST(GetTuning, TrialsOnlyWhereTheyAreAllowed) {
  CalibratedDaemon daemon;
  ReportDefaults(daemon);
  const auto trials_of = [](const v1::GetTuningResponse& response) {
    return std::count_if(response.rows().begin(), response.rows().end(),
                         [](const v1::TuningRow& row) { return !row.trial().empty(); });
  };
  v1::GetTuningRequest request = Tuning();
  request.set_nodes(8);
  request.set_ppn(8);
  v1::GetTuningResponse response;
  ASSERT_TRUE(Call(&AdviceStub::GetTuning, daemon.Advice(), request, &response).ok());
  EXPECT_EQ(trials_of(response), 0);
  EXPECT_EQ(response.text().find("trial"), std::string::npos);
  const std::string etag = response.etag();

  request.set_explore_ratio(0.5);
  ASSERT_TRUE(Call(&AdviceStub::GetTuning, daemon.Advice(), request, &response).ok());
  EXPECT_GT(trials_of(response), 0);
  EXPECT_NE(response.text().find("# trial: "), std::string::npos) << response.text();
  EXPECT_NE(response.etag(), etag);

  for (const double share : {-0.1, 0.6, std::nan("")}) {
    request.set_explore_ratio(share);
    const grpc::Status status = Call(&AdviceStub::GetTuning, daemon.Advice(), request, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << share;
    EXPECT_EQ(FieldOf(status), "explore_ratio");
  }
}

// The loop, in small: observations come in, a revision follows, the recommendation changes.
TEST(Learning, ObservationsRefineTheProfileAndTheAdvice) {
  CalibratedDaemon daemon;
  // Slower than the profile says: a second source must agree.
  const auto report_job = [&daemon](const std::string& job, int first) {
    v1::ReportObservationsRequest report;
    report.set_job(job);
    report.set_sequence(1);
    report.set_await_learning(true);
    for (int i = first; i < first + 20; ++i) {
      for (const char* algorithm : {"default", "linear", "modified_bruck", "pairwise"}) {
        v1::Observation* observation = report.add_observations();
        *observation = MakeObservation("delta", i);
        observation->set_collective("alltoall");
        observation->set_algorithm(algorithm);
        observation->set_nodes(8);
        observation->set_ppn(8);
        observation->set_ranks(64);
        observation->set_block_bytes(16);
        // On this machine the linear algorithm is the fastest.
        const double noise = 1 + 0.01 * std::sin(i);
        observation->set_time_s((algorithm[0] == 'l' ? 1e-4 : 9e-4) * noise);
      }
    }
    v1::ReportObservationsResponse reported;
    EXPECT_TRUE(Call(&v1::ObservationService::Stub::ReportObservations, daemon.Observations(),
                     report, &reported)
                    .ok());
    EXPECT_EQ(reported.stored_count(), 80);
  };
  report_job("job.0", 0);
  report_job("job.1", 20);

  v1::GetProfileRequest get;
  get.set_name("machines/delta/profiles/-");
  v1::Profile profile;
  ASSERT_TRUE(Call(&v1::ProfileService::Stub::GetProfile, daemon.Profiles(), get, &profile).ok());
  EXPECT_EQ(profile.provenance(), v1::PROVENANCE_REFINED);
  EXPECT_GE(profile.revision(), 2);
  EXPECT_EQ(profile.observations_through_id(), 160);
  EXPECT_NE(profile.note().find("160"), std::string::npos) << profile.note();

  v1::RecommendResponse response;
  ASSERT_TRUE(Call(&AdviceStub::Recommend, daemon.Advice(), Alltoall(), &response).ok());
  // By this or another name: linear_sync without a window is the same code.
  EXPECT_EQ(response.strategy(), "alltoall/linear") << response.reason();
  EXPECT_NEAR(response.predicted_time_s(), 1e-4, 0.5e-4);
  EXPECT_GT(response.default_time_s(), response.predicted_time_s());

  // Forgetting the jobs takes the lesson back.
  for (const char* job : {"job.0", "job.1"}) {
    v1::ForgetObservationsRequest forget;
    forget.set_job(job);
    v1::ForgetObservationsResponse forgotten;
    ASSERT_TRUE(Call(&v1::ObservationService::Stub::ForgetObservations, daemon.Observations(),
                     forget, &forgotten)
                    .ok());
  }
  ASSERT_TRUE(Call(&AdviceStub::Recommend, daemon.Advice(), Alltoall(), &response).ok());
  EXPECT_NE(response.strategy(), "alltoall/linear") << response.reason();
}

v1::SuggestMeasurementsRequest AskForTwo() {
  v1::SuggestMeasurementsRequest request;
  request.set_machine("delta");
  request.set_library("somebodys-mpi-1.0");
  request.set_count(2);
  for (const int64_t bytes : {64, 4096, 262144}) {
    for (const char* algorithm : {"default", "direct"}) {
      v1::MeasurementCandidate* candidate = request.add_candidates();
      candidate->set_collective("alltoall");
      candidate->set_algorithm(algorithm);
      candidate->set_ranks(64);
      candidate->set_ppn(8);
      candidate->set_block_bytes(bytes);
    }
  }
  return request;
}

TEST(SuggestMeasurements, NamesCandidatesOfALibraryThatNobodyKnows) {
  Daemon daemon;
  daemon.Register("delta", 64, 8);
  v1::SuggestMeasurementsResponse response;
  ASSERT_TRUE(Call(&AdviceStub::SuggestMeasurements, daemon.Advice(), AskForTwo(), &response).ok());
  ASSERT_EQ(response.suggestions_size(), 2);
  EXPECT_EQ(response.candidate_count(), 6);
  EXPECT_GT(response.expected_loss_ratio(), 0);
  const v1::MeasurementCandidate& first = response.suggestions(0).measurement();
  const v1::MeasurementCandidate& second = response.suggestions(1).measurement();
  EXPECT_EQ(first.block_bytes(), second.block_bytes()) << "one call, all that may be the best";
  EXPECT_NE(first.algorithm(), second.algorithm());
  EXPECT_EQ(first.nodes(), 8);
  EXPECT_GT(response.suggestions(0).expected_gain_ratio(), 0);
}

TEST(SuggestMeasurements, WithoutCandidatesTakesTheLibrarysTable) {
  CalibratedDaemon daemon;
  v1::SuggestMeasurementsRequest request;
  request.set_machine("delta");
  request.set_library("openmpi-4.1");
  v1::SuggestMeasurementsResponse response;
  ASSERT_TRUE(Call(&AdviceStub::SuggestMeasurements, daemon.Advice(), request, &response).ok());
  EXPECT_EQ(response.suggestions_size(), 10);
  EXPECT_GT(response.candidate_count(), 1000);
  EXPECT_EQ(response.profile_revision(), 1);
}

TEST(SuggestMeasurements, RefusesWhatIsWrongAndNamesTheField) {
  Daemon daemon;
  daemon.Register("delta", 64, 8);
  const auto field = [&](const std::function<void(v1::SuggestMeasurementsRequest*)>& spoil) {
    v1::SuggestMeasurementsRequest request = AskForTwo();
    spoil(&request);
    v1::SuggestMeasurementsResponse response;
    const grpc::Status status =
        Call(&AdviceStub::SuggestMeasurements, daemon.Advice(), request, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
    return status.error_message().substr(0, status.error_message().find(':'));
  };
  EXPECT_EQ(field([](auto* request) { request->set_count(1001); }), "count");
  EXPECT_EQ(field([](auto* request) { request->set_count(-1); }), "count");
  EXPECT_EQ(field([](auto* request) { request->clear_library(); }), "library");
  EXPECT_EQ(field([](auto* request) { request->clear_candidates(); }), "library");
  EXPECT_EQ(field([](auto* request) { request->mutable_candidates(1)->set_ranks(0); }),
            "candidates[1].ranks");
  EXPECT_EQ(field([](auto* request) { request->mutable_candidates(2)->clear_algorithm(); }),
            "candidates[2].algorithm");
  EXPECT_EQ(field([](auto* request) {
              while (request->candidates_size() <= 20000) *request->add_candidates() = {};
            }),
            "candidates");
}

}  // namespace
}  // namespace cox
