// Questions about explanations, grids, patterns, kernels and block graphs, and wrong ones
// with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "daemon.h"

namespace cox {
namespace {

using ::testing::HasSubstr;
using AdviceStub = v1::AdviceService::Stub;
using grpc::StatusCode;

constexpr int64_t kMostAsked = std::numeric_limits<int64_t>::max();

// A daemon that knows a machine with parameters for two models.
struct AskedDaemon : Daemon {
  AskedDaemon() {
    Register("delta", 256, 1);
    SetProfile("delta", {{"hockney", "node", "alpha", 5e-7},
                         {"hockney", "node", "beta", 1e-10},
                         {"hockney", "network", "alpha", 2e-6},
                         {"hockney", "network", "beta", 1e-9},
                         {"c3", "network", "s", 8},
                         {"c3", "network", "l", 512}});
  }
};

v1::PredictRequest Scenario() {
  v1::PredictRequest request;
  request.set_machine("delta");
  request.set_collective("alltoall");
  request.set_ranks(256);
  request.set_block_bytes(64);
  request.set_model("hockney");
  return request;
}

void AddWhatIf(const char* parameter, double factor, v1::PredictRequest* request) {
  v1::WhatIf* change = request->add_what_if();
  change->set_parameter(parameter);
  change->set_factor(factor);
}

TEST(WhatIf, ChangesThePredictionOnly) {
  AskedDaemon daemon;
  v1::PredictRequest request = Scenario();
  request.set_strategy("alltoall/pairwise");
  v1::PredictResponse before;
  ASSERT_TRUE(Call(&AdviceStub::Predict, daemon.Advice(), request, &before).ok());
  AddWhatIf("hockney.network.alpha", 0.1, &request);
  v1::PredictResponse changed;
  ASSERT_TRUE(Call(&AdviceStub::Predict, daemon.Advice(), request, &changed).ok());
  EXPECT_LT(changed.predictions(0).time_s(), before.predictions(0).time_s());
  request.clear_what_if();
  v1::PredictResponse after;
  ASSERT_TRUE(Call(&AdviceStub::Predict, daemon.Advice(), request, &after).ok());
  EXPECT_EQ(after.predictions(0).time_s(), before.predictions(0).time_s());
}

TEST(WhatIf, WhatIsWrongIsNamed) {
  AskedDaemon daemon;
  const struct {
    const char* field;
    std::function<void(v1::WhatIf*)> spoil;
  } cases[] = {
      {"what_if[0].parameter", [](auto* c) { c->set_parameter("hockney.network.gamma"); }},
      {"what_if[0].parameter", [](auto* c) { c->clear_parameter(); }},
      {"what_if[0]", [](auto* c) { c->clear_change(); }},
      {"what_if[0].factor", [](auto* c) { c->set_factor(std::nan("")); }},
      {"what_if[0].factor", [](auto* c) { c->set_factor(-1); }},
      {"what_if[0].value", [](auto* c) { c->set_value(HUGE_VAL); }},
  };
  for (const auto& [field, spoil] : cases) {
    v1::PredictRequest request = Scenario();
    AddWhatIf("hockney.network.alpha", 1, &request);
    spoil(request.mutable_what_if(0));
    v1::PredictResponse response;
    const grpc::Status status = Call(&AdviceStub::Predict, daemon.Advice(), request, &response);
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(FieldOf(status), field) << status.error_message();
  }
}

TEST(Explain, SaysTermsRangesAndSources) {
  AskedDaemon daemon;
  v1::ExplainRequest request;
  *request.mutable_scenario() = Scenario();
  v1::ExplainResponse response;
  const grpc::Status status = Call(&AdviceStub::Explain, daemon.Advice(), request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.model(), "hockney");
  EXPECT_EQ(response.profile_revision(), 1);
  ASSERT_GE(response.predictions_size(), 3);
  EXPECT_GT(response.predictions(0).terms_size(), 0);
  ASSERT_GE(response.ranges_size(), 2);
  EXPECT_EQ(response.ranges(0).from_block_bytes(), 1);
  EXPECT_EQ(response.ranges(0).previous_time_s(), 0);
  EXPECT_GT(response.ranges(1).previous_time_s(), response.ranges(1).time_s());
  EXPECT_EQ(response.ranges_through_block_bytes(), 16 << 20);
  EXPECT_EQ(response.parameters_size(), 4);
  EXPECT_EQ(response.parameters(0).unit(), "s");
}

TEST(Explain, CountsUnitsOfAModelWithoutSeconds) {
  AskedDaemon daemon;
  v1::ExplainRequest request;
  *request.mutable_scenario() = Scenario();
  request.mutable_scenario()->set_model("c3");
  request.set_max_block_bytes(1024);
  v1::ExplainResponse response;
  ASSERT_TRUE(Call(&AdviceStub::Explain, daemon.Advice(), request, &response).ok());
  EXPECT_EQ(response.predictions(0).time_s(), 0);
  EXPECT_GT(response.predictions(0).units(), 0);
  EXPECT_THAT(response.predictions(0).caveat(), HasSubstr("unit_time"));
  EXPECT_GT(response.ranges(0).time_s(), 0);
}

TEST(Explain, ExtremesAreAnsweredOrNamed) {
  AskedDaemon daemon;
  const struct {
    const char* field;  // "": answered
    std::function<void(v1::ExplainRequest*)> spoil;
  } cases[] = {
      {"", [](auto* r) { r->mutable_scenario()->set_ranks(1); }},
      {"", [](auto* r) { r->mutable_scenario()->set_block_bytes(0); }},
      {"", [](auto* r) { r->mutable_scenario()->set_ranks(2147483647); }},
      {"scenario.ranks", [](auto* r) { r->mutable_scenario()->set_ranks(0); }},
      {"scenario.block_bytes", [](auto* r) { r->mutable_scenario()->set_block_bytes(kMostAsked); }},
      {"scenario.model", [](auto* r) { r->mutable_scenario()->set_model("all"); }},
      {"scenario.strategy", [](auto* r) { r->mutable_scenario()->set_strategy("bcast/binomial"); }},
      {"scenario.what_if[0].parameter",
       [](auto* r) { AddWhatIf("nothing", 1, r->mutable_scenario()); }},
      {"min_block_bytes", [](auto* r) { r->set_min_block_bytes(-1); }},
      {"min_block_bytes", [](auto* r) { r->set_min_block_bytes(8); }},
      {"max_block_bytes", [](auto* r) { r->set_max_block_bytes(kMostAsked); }},
  };
  for (const auto& [field, spoil] : cases) {
    v1::ExplainRequest request;
    *request.mutable_scenario() = Scenario();
    spoil(&request);
    v1::ExplainResponse response;
    const grpc::Status status = Call(&AdviceStub::Explain, daemon.Advice(), request, &response);
    EXPECT_EQ(status.ok(), std::string(field).empty()) << field << status.error_message();
    EXPECT_EQ(FieldOf(status), field) << status.error_message();
  }
  v1::ExplainRequest request;
  v1::ExplainResponse response;
  *request.mutable_scenario() = Scenario();
  request.mutable_scenario()->set_model("loggp");
  EXPECT_EQ(Call(&AdviceStub::Explain, daemon.Advice(), request, &response).error_code(),
            StatusCode::FAILED_PRECONDITION);
}

v1::BatchEvaluateRequest Grid() {
  v1::BatchEvaluateRequest request;
  request.set_machine("delta");
  request.set_model("hockney");
  request.set_collective("allgather");
  for (const int64_t ranks : {1, 7, 64}) request.add_ranks(ranks);
  for (const int64_t bytes : {0, 1, 4096}) request.add_block_bytes(bytes);
  return request;
}

TEST(BatchEvaluate, AnswersEveryPointInOrder) {
  AskedDaemon daemon;
  v1::BatchEvaluateResponse response;
  ASSERT_TRUE(Call(&AdviceStub::BatchEvaluate, daemon.Advice(), Grid(), &response).ok());
  ASSERT_EQ(response.time_s_size(), response.strategies_size() * 9);
  EXPECT_EQ(response.model(), "hockney");
  v1::PredictRequest request = Scenario();
  request.set_collective("allgather");
  for (int i = 0; i < response.time_s_size(); ++i) {
    request.set_strategy(response.strategies(i / 9));
    request.set_ranks(Grid().ranks(i / 3 % 3));
    request.set_block_bytes(Grid().block_bytes(i % 3));
    v1::PredictResponse predicted;
    const grpc::Status status = Call(&AdviceStub::Predict, daemon.Advice(), request, &predicted);
    if (response.time_s(i) < 0) {
      EXPECT_EQ(status.error_code(), StatusCode::FAILED_PRECONDITION);
    } else {
      ASSERT_TRUE(status.ok()) << status.error_message();
      EXPECT_EQ(response.time_s(i), predicted.predictions(0).time_s());
    }
  }
}

// A bus has one link for all, a crossbar one for each pair. A ring is a torus of one side.
TEST(BatchEvaluate, AnotherTopologyChangesModelsThatDependOnIt) {
  AskedDaemon daemon;
  const auto times = [&](const std::string& model, const std::string& topology,
                         const std::vector<int64_t>& dims) {
    v1::BatchEvaluateRequest request = Grid();
    request.set_model(model);
    request.mutable_ranks()->Clear();
    request.add_ranks(64);
    request.add_strategies("allgather/ring");
    if (!topology.empty()) request.mutable_topology()->set_kind(topology);
    for (const int64_t dim : dims) request.mutable_topology()->add_dims(dim);
    v1::BatchEvaluateResponse response;
    const grpc::Status status =
        Call(&AdviceStub::BatchEvaluate, daemon.Advice(), request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return std::vector<double>(response.time_s().begin(), response.time_s().end());
  };
  const std::vector<double> own = times("c3", "", {});
  const std::vector<double> crossbar = times("c3", "crossbar", {});
  const std::vector<double> bus = times("c3", "bus", {});
  ASSERT_EQ(own.size(), 3);
  EXPECT_EQ(own, crossbar);  // nobody said how the machine's nodes are connected
  EXPECT_GT(bus[2], crossbar[2]);
  EXPECT_NE(times("c3", "torus", {64}), times("c3", "torus", {8, 8}));
  EXPECT_EQ(times("hockney", "bus", {}), times("hockney", "", {}));
}

TEST(BatchEvaluate, WhatIsWrongIsNamed) {
  AskedDaemon daemon;
  const struct {
    const char* field;
    std::function<void(v1::BatchEvaluateRequest*)> spoil;
  } cases[] = {
      {"machine", [](auto* r) { r->set_machine("D"); }},
      {"ranks", [](auto* r) { r->clear_ranks(); }},
      {"ranks[1]", [](auto* r) { r->set_ranks(1, 0); }},
      {"block_bytes", [](auto* r) { r->clear_block_bytes(); }},
      {"block_bytes[2]", [](auto* r) { r->set_block_bytes(2, kMostAsked); }},
      {"block_bytes",
       [](auto* r) {
         for (int i = 0; i < 200'000; ++i) r->add_block_bytes(i);
       }},
      {"ppn", [](auto* r) { r->set_ppn(-1); }},
      {"model", [](auto* r) { r->set_model("all"); }},
      {"strategies[0]", [](auto* r) { r->add_strategies("bcast/binomial"); }},
      {"topology.kind", [](auto* r) { r->mutable_topology(); }},
      {"topology.dims[0]",
       [](auto* r) {
         r->mutable_topology()->set_kind("torus");
         r->mutable_topology()->add_dims(0);
       }},
  };
  for (const auto& [field, spoil] : cases) {
    v1::BatchEvaluateRequest request = Grid();
    spoil(&request);
    v1::BatchEvaluateResponse response;
    const grpc::Status status =
        Call(&AdviceStub::BatchEvaluate, daemon.Advice(), request, &response);
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT) << field;
    EXPECT_EQ(FieldOf(status), field) << status.error_message();
  }
}

v1::EvaluatePatternRequest Header() {
  v1::EvaluatePatternRequest request;
  request.mutable_header()->set_machine("delta");
  request.mutable_header()->set_model("all");
  return request;
}

v1::EvaluatePatternRequest Messages(int first, int count) {
  v1::EvaluatePatternRequest request;
  for (int i = first; i < first + count; ++i) {
    request.add_sources(i % 16);
    request.add_destinations((i + 1) % 16);
    request.add_block_bytes(i);
  }
  return request;
}

grpc::Status Stream(const Daemon& daemon, const std::vector<v1::EvaluatePatternRequest>& requests,
                    v1::EvaluatePatternResponse* response) {
  const auto stub = daemon.Advice();
  grpc::ClientContext context;
  const auto writer = stub->EvaluatePattern(&context, response);
  for (const auto& request : requests) {
    if (!writer->Write(request)) break;
  }
  writer->WritesDone();
  return writer->Finish();
}

TEST(Pattern, IsPricedByEveryModelOnEveryRoute) {
  AskedDaemon daemon;
  v1::EvaluatePatternRequest header = Header();
  header.mutable_header()->add_routes("all");
  v1::EvaluatePatternResponse response;
  const grpc::Status status = Stream(daemon, {header, Messages(0, 10), Messages(10, 6)}, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.message_count(), 16);
  EXPECT_EQ(response.pair_count(), 16);
  EXPECT_EQ(response.volume_bytes(), 120);
  EXPECT_EQ(response.max_sends(), 1);
  EXPECT_EQ(response.max_out_bytes(), 15);
  EXPECT_EQ(response.profile_revision(), 1);
  EXPECT_EQ(response.predictions_size(), 8);  // hockney and c3, four routes
}

TEST(Pattern, HasANameOrNoMessages) {
  AskedDaemon daemon;
  v1::EvaluatePatternRequest header = Header();
  header.mutable_header()->set_pattern("transpose");
  header.mutable_header()->set_ranks(256);
  header.mutable_header()->set_block_bytes(1024);
  v1::EvaluatePatternResponse response;
  ASSERT_TRUE(Stream(daemon, {header}, &response).ok());
  EXPECT_EQ(response.message_count(), 240);
  EXPECT_GT(response.predictions(0).time_s(), 0);
  // A pattern without messages costs nothing.
  ASSERT_TRUE(Stream(daemon, {Header()}, &response).ok());
  EXPECT_EQ(response.message_count(), 0);
  for (const auto& prediction : response.predictions()) EXPECT_EQ(prediction.time_s(), 0);
}

TEST(Pattern, WhatIsWrongIsNamed) {
  AskedDaemon daemon;
  const auto with = [](auto spoil) {
    v1::EvaluatePatternRequest header = Header();
    spoil(header.mutable_header());
    return header;
  };
  v1::EvaluatePatternRequest uneven = Messages(0, 4);
  uneven.add_sources(1);
  v1::EvaluatePatternRequest outside = Messages(0, 4);
  outside.set_destinations(2, -1);
  v1::EvaluatePatternRequest far = Messages(0, 4);
  far.set_sources(3, kMostAsked);
  v1::EvaluatePatternRequest negative = Messages(0, 4);
  negative.set_block_bytes(1, -1);
  const struct {
    const char* field;
    std::vector<v1::EvaluatePatternRequest> requests;
  } cases[] = {
      {"header", {}},
      {"header", {Messages(0, 4)}},
      {"header", {Header(), Messages(0, 4), Header()}},
      {"destinations", {Header(), uneven}},
      {"destinations[6]", {Header(), Messages(0, 4), outside}},
      {"sources[3]", {Header(), far}},
      {"block_bytes[1]", {Header(), negative}},
      {"destinations[4]", {with([](auto* h) { h->set_ranks(5); }), Messages(0, 8)}},
      {"header.machine", {with([](auto* h) { h->set_machine("D"); })}},
      {"header.ranks", {with([](auto* h) { h->set_ranks(kMostAsked); })}},
      {"header.ranks", {with([](auto* h) { h->set_pattern("transpose"); })}},
      {"header.ppn", {with([](auto* h) { h->set_ppn(-1); })}},
      {"header.routes[0]", {with([](auto* h) { h->add_routes("tree"); })}},
      {"header.routes", {with([](auto* h) {
         for (int i = 0; i < 17; ++i) h->add_routes("direct");
       })}},
      {"header.pattern", {with([](auto* h) {
         h->set_pattern("shift?by=x");
         h->set_ranks(4);
       })}},
      {"sources", {with([](auto* h) { h->set_pattern("transpose"); }), Messages(0, 1)}},
      {"header.what_if[0]", {with([](auto* h) { h->add_what_if(); })}},
  };
  for (const auto& [field, requests] : cases) {
    v1::EvaluatePatternResponse response;
    const grpc::Status status = Stream(daemon, requests, &response);
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT) << field;
    EXPECT_EQ(FieldOf(status), field) << status.error_message();
  }
}

TEST(Pattern, IsBounded) {
  AskedDaemon daemon;
  std::vector<v1::EvaluatePatternRequest> requests = {Header()};
  for (int i = 0; i < 21; ++i) requests.push_back(Messages(0, 200'000));
  v1::EvaluatePatternResponse response;
  EXPECT_EQ(Stream(daemon, requests, &response).error_code(), StatusCode::RESOURCE_EXHAUSTED);
  // Its memory is free again.
  ASSERT_TRUE(Stream(daemon, {Header(), Messages(0, 10)}, &response).ok());
}

TEST(Pattern, EndsWithTheDaemonAndWithTheClient) {
  AskedDaemon daemon;
  const auto stub = daemon.Advice();
  {
    grpc::ClientContext gone;
    v1::EvaluatePatternResponse response;
    const auto writer = stub->EvaluatePattern(&gone, &response);
    ASSERT_TRUE(writer->Write(Header()));
    gone.TryCancel();
    EXPECT_EQ(writer->Finish().error_code(), StatusCode::CANCELLED);
  }
  grpc::ClientContext context;
  v1::EvaluatePatternResponse response;
  const auto writer = stub->EvaluatePattern(&context, &response);
  ASSERT_TRUE(writer->Write(Header()));
  ASSERT_TRUE(writer->Write(Messages(0, 4)));
  writer->WaitForInitialMetadata();  // the daemon has the stream
  std::thread stop([&daemon] { daemon.Stop(); });
  // Without an end of the client's: the daemon ends it.
  const grpc::Status status = writer->Finish();
  stop.join();
  EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE) << status.error_message();
}

v1::EvaluateKernelRequest Kernel() {
  v1::EvaluateKernelRequest request;
  request.set_machine("delta");
  request.set_kernel("sample-sort?variant=ssdr");
  request.set_size(1 << 20);
  request.set_ranks(64);
  request.set_model("all");
  return request;
}

TEST(Kernels, AreListedAndPriced) {
  AskedDaemon daemon;
  v1::ListKernelsResponse list;
  ASSERT_TRUE(
      Call(&v1::ModelService::Stub::ListKernels, daemon.Models(), v1::ListKernelsRequest(), &list)
          .ok());
  std::vector<std::string> names;
  for (const auto& kernel : list.kernels()) {
    names.push_back(kernel.name());
    EXPECT_FALSE(kernel.size().empty());
    EXPECT_FALSE(kernel.needs().empty());
    EXPECT_FALSE(kernel.source().empty());
    EXPECT_GE(kernel.variants_size(), 1);
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf(
                         {"matmul-3d", "matmul-cannon", "bitonic-sort", "sample-sort", "apsp-1"}));
  v1::EvaluateKernelResponse response;
  const grpc::Status status =
      Call(&AdviceStub::EvaluateKernel, daemon.Advice(), Kernel(), &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.predictions_size(), 2);
  EXPECT_GT(response.communication_phase_count(), 0);
  EXPECT_GT(response.operation_count(), 0);
  EXPECT_TRUE(response.caveats().empty());
}

// 64 ranks have a node each, also on a machine whose 16 nodes have room for all.
TEST(Kernels, AreSaidToHaveOneRankOnANode) {
  AskedDaemon daemon;
  daemon.Register("mesh", 16, 4);
  daemon.SetProfile("mesh", {{"c3", "network", "s", 8}, {"c3", "network", "l", 512}});
  v1::EvaluateKernelRequest request = Kernel();
  request.set_machine("mesh");
  v1::EvaluateKernelResponse response;
  ASSERT_TRUE(Call(&AdviceStub::EvaluateKernel, daemon.Advice(), request, &response).ok());
  EXPECT_THAT(response.caveats(), ::testing::ElementsAre(HasSubstr("the job has more nodes (64)"),
                                                         HasSubstr("one rank on each node")));
}

TEST(Kernels, WhatIsWrongIsNamed) {
  AskedDaemon daemon;
  const struct {
    StatusCode code;
    const char* field;
    std::function<void(v1::EvaluateKernelRequest*)> spoil;
  } cases[] = {
      {StatusCode::OK, "", [](auto* r) { r->set_ranks(1); }},
      {StatusCode::INVALID_ARGUMENT, "machine", [](auto* r) { r->set_machine("D"); }},
      {StatusCode::INVALID_ARGUMENT, "size", [](auto* r) { r->set_size(0); }},
      {StatusCode::INVALID_ARGUMENT, "size", [](auto* r) { r->set_size(kMostAsked); }},
      {StatusCode::INVALID_ARGUMENT, "ranks", [](auto* r) { r->set_ranks(kMostAsked); }},
      {StatusCode::INVALID_ARGUMENT, "word_bytes", [](auto* r) { r->set_word_bytes(-4); }},
      {StatusCode::INVALID_ARGUMENT, "kernel",
       [](auto* r) { r->set_kernel("sample-sort?variants=1"); }},
      {StatusCode::NOT_FOUND, "", [](auto* r) { r->set_kernel("quick-sort"); }},
      // Each prediction would repeat it.
      {StatusCode::INVALID_ARGUMENT, "kernel",
       [](auto* r) { r->set_kernel("sample-sort?" + std::string(1'000, '&')); }},
      {StatusCode::NOT_FOUND, "", [](auto* r) { r->set_model("none"); }},
      {StatusCode::FAILED_PRECONDITION, "", [](auto* r) { r->set_size(1001); }},
      {StatusCode::INVALID_ARGUMENT, "what_if[0]", [](auto* r) { r->add_what_if(); }},
  };
  for (const auto& [code, field, spoil] : cases) {
    v1::EvaluateKernelRequest request = Kernel();
    spoil(&request);
    v1::EvaluateKernelResponse response;
    const grpc::Status status =
        Call(&AdviceStub::EvaluateKernel, daemon.Advice(), request, &response);
    EXPECT_EQ(status.error_code(), code) << status.error_message();
    EXPECT_EQ(FieldOf(status), field) << status.error_message();
  }
}

v1::ReduceBlocksRequest Graph() {
  v1::ReduceBlocksRequest request;
  v1::BlockGraph* graph = request.mutable_graph();
  graph->set_kind(v1::BlockGraph::KIND_SERIAL);
  graph->set_dependent(true);
  for (const double a_s : {40e-6, 10e-6}) {
    v1::BlockGraph* part = graph->add_parts();
    part->set_a_s(a_s);
    part->set_b_s_per_byte(a_s / 1000);
  }
  request.add_block_bytes(0);
  request.add_block_bytes(1000);
  return request;
}

grpc::Status Reduce(const Daemon& daemon, const v1::ReduceBlocksRequest& request,
                    v1::ReduceBlocksResponse* response) {
  return Call(&v1::ModelService::Stub::ReduceBlocks, daemon.Models(), request, response);
}

// Times of the paper's Ethernet: a_w = 750 us, b_w = 1.05 us, a_c = 250 us, b_c = 0.95 us.
v1::InferBlocksRequest EthernetTimes() {
  v1::InferBlocksRequest request;
  request.set_network(v1::InferBlocksRequest::NETWORK_SHARED_MEDIUM);
  request.set_exact(true);
  const auto add = [&](v1::PatternTime::Pattern pattern, int64_t n, double a_s, double b_s) {
    for (const int64_t bytes : {0, 1 << 20}) {
      v1::PatternTime* time = request.add_times();
      time->set_pattern(pattern);
      time->set_n(n);
      time->set_block_bytes(bytes);
      time->set_time_s(bytes == 0 ? a_s : b_s * static_cast<double>(bytes));
    }
  };
  add(v1::PatternTime::PATTERN_PING_PONG, 2, 1750e-6, 1.05e-6);
  for (const int64_t n : {4, 3, 8}) {
    const auto count = static_cast<double>(n);
    add(v1::PatternTime::PATTERN_ALL_TO_ALL, n,
        4 * (count - 1) * 750e-6 + count * (count - 1) * 250e-6, count * (count - 1) * 0.95e-6);
  }
  return request;
}

TEST(Blocks, AreInferredFromTimes) {
  Daemon daemon;
  v1::InferBlocksResponse response;
  grpc::Status status =
      Call(&v1::ModelService::Stub::InferBlocks, daemon.Models(), EthernetTimes(), &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  std::map<std::string, double> found;
  for (const v1::InferredParameter& parameter : response.parameters()) {
    EXPECT_EQ(parameter.relation(), "equal") << parameter.name();
    found[parameter.name()] = parameter.value();
  }
  EXPECT_NEAR(found["a_w"], 750e-6, 1e-9);
  EXPECT_NEAR(found["a_c"], 250e-6, 1e-9);
  EXPECT_NEAR(found["b_w"], 1.05e-6, 1e-12);
  EXPECT_NEAR(found["b_c"], 0.95e-6, 1e-12);
  EXPECT_EQ(response.stopped_at_n(), 4) << "more workstations change nothing";
  for (const auto& [spoil, field] :
       std::vector<std::pair<std::function<void(v1::InferBlocksRequest*)>, std::string>>{
           {[](auto* r) { r->clear_network(); }, "network"},
           {[](auto* r) { r->set_channels(-1); }, "channels"},
           {[](auto* r) { r->clear_times(); }, "times"},
           {[](auto* r) { r->mutable_times(3)->set_n(0); }, "times[3].n"},
           {[](auto* r) { r->mutable_times(1)->set_time_s(-1); }, "times[1].time_s"},
           {[](auto* r) { r->mutable_times(2)->clear_pattern(); }, "times[2].pattern"}}) {
    v1::InferBlocksRequest wrong = EthernetTimes();
    spoil(&wrong);
    status = Call(&v1::ModelService::Stub::InferBlocks, daemon.Models(), wrong, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << field;
    EXPECT_EQ(FieldOf(status), field) << status.error_message();
  }
}

TEST(Blocks, AreReducedWithTheirSteps) {
  Daemon daemon;
  v1::ReduceBlocksResponse response;
  const grpc::Status status = Reduce(daemon, Graph(), &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_DOUBLE_EQ(response.a_s(), 50e-6);
  EXPECT_DOUBLE_EQ(response.b_s_per_byte(), 50e-9);
  ASSERT_EQ(response.steps_size(), 1);
  EXPECT_EQ(response.steps(0).rule(), 1);
  ASSERT_EQ(response.time_s_size(), 2);
  EXPECT_DOUBLE_EQ(response.time_s(0), 50e-6);
  EXPECT_DOUBLE_EQ(response.time_s(1), 75e-6);  // a^2 / (a + b x) + b x
}

TEST(Blocks, LongMessagesMayHaveAGraphOfTheirOwn) {
  Daemon daemon;
  v1::ReduceBlocksRequest request = Graph();
  request.mutable_long_graph()->set_a_s(1);
  request.mutable_long_graph()->set_b_s_per_byte(30e-9);
  v1::ReduceBlocksResponse response;
  const grpc::Status status = Reduce(daemon, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_DOUBLE_EQ(response.a_s(), 50e-6);
  EXPECT_DOUBLE_EQ(response.b_s_per_byte(), 30e-9);
  ASSERT_EQ(response.steps_size(), 2);
  EXPECT_EQ(response.steps(1).rule(), 4);
  ASSERT_EQ(response.time_s_size(), 2);
  EXPECT_DOUBLE_EQ(response.time_s(0), 50e-6);
}

TEST(Blocks, WhatIsWrongIsNamed) {
  Daemon daemon;
  const struct {
    const char* field;
    std::function<void(v1::ReduceBlocksRequest*)> spoil;
  } cases[] = {
      {"graph", [](auto* r) { r->clear_graph(); }},
      {"graph", [](auto* r) { r->mutable_graph()->clear_parts(); }},
      {"graph", [](auto* r) { r->mutable_graph()->set_kind(v1::BlockGraph::KIND_BLOCK); }},
      {"graph.kind",
       [](auto* r) { r->mutable_graph()->set_kind(static_cast<v1::BlockGraph::Kind>(17)); }},
      {"graph.parts[1].a_s", [](auto* r) { r->mutable_graph()->mutable_parts(1)->set_a_s(-1); }},
      {"graph.parts[0].b_s_per_byte",
       [](auto* r) { r->mutable_graph()->mutable_parts(0)->set_b_s_per_byte(std::nan("")); }},
      {"graph.message_count",
       [](auto* r) {
         r->mutable_graph()->mutable_parts()->RemoveLast();
         r->mutable_graph()->set_kind(v1::BlockGraph::KIND_CONCURRENT);
       }},
      {"long_graph.parts[0].a_s",
       [](auto* r) {
         r->mutable_long_graph()->set_kind(v1::BlockGraph::KIND_SERIAL);
         r->mutable_long_graph()->add_parts()->set_a_s(-1);
       }},
      {"graph.followed", [](auto* r) { r->mutable_graph()->set_followed(-1); }},
      {"graph",
       [](auto* r) {
         for (int i = 0; i < 10'000; ++i) r->mutable_graph()->add_parts();
       }},
      {"block_bytes[1]", [](auto* r) { r->set_block_bytes(1, -1); }},
      {"block_bytes",
       [](auto* r) {
         for (int i = 0; i < 1'000; ++i) r->add_block_bytes(i);
       }},
  };
  for (const auto& [field, spoil] : cases) {
    v1::ReduceBlocksRequest request = Graph();
    spoil(&request);
    v1::ReduceBlocksResponse response;
    const grpc::Status status = Reduce(daemon, request, &response);
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT) << field;
    EXPECT_EQ(FieldOf(status), field) << status.error_message();
  }
  v1::ReduceBlocksRequest deep;
  v1::BlockGraph* at = deep.mutable_graph();
  for (int i = 0; i < 70; ++i) {
    at->set_kind(v1::BlockGraph::KIND_SERIAL);
    at = at->add_parts();
  }
  v1::ReduceBlocksResponse response;
  const grpc::Status status = Reduce(daemon, deep, &response);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(FieldOf(status), HasSubstr("graph.parts[0].parts[0]"));
}

}  // namespace
}  // namespace cox
