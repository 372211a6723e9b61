// Predictions and recommendations that depend on the nodes of a job, through the daemon.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "daemon.h"

namespace cox {
namespace {

using ::testing::HasSubstr;
using Advice = v1::AdviceService::Stub;
using Machines = v1::MachineService::Stub;

constexpr char kSlurm[] =
    "SwitchName=s0 Nodes=n[1-8]\n"
    "SwitchName=s1 Nodes=n[9-16]\n"
    "SwitchName=s2 Nodes=n[17-24]\n"
    "SwitchName=s3 Nodes=n[25-32]\n"
    "SwitchName=s4 Nodes=n[33-40]\n"
    "SwitchName=top Switches=s[0-4]\n";
constexpr char kTwoSwitches[] = "n[1-16]";
constexpr char kFiveSwitches[] = "n[1-4,9-11,17-19,25-27,33-35]";

v1::SetSwitchesRequest Switches(const std::string& text = kSlurm) {
  v1::SetSwitchesRequest request;
  request.set_name("machines/delta/switches");
  request.set_text(text);
  request.add_taper_ratio(2);
  return request;
}

struct TreeDaemon : Daemon {
  TreeDaemon() {
    Register("delta", 40, 8);
    SetProfile("delta", {{"hockney", "node", "alpha", 5e-7},
                         {"hockney", "node", "beta", 1e-10},
                         {"hockney", "network", "alpha", 2e-6},
                         {"hockney", "network", "beta", 1e-9}});
    v1::Switches stored;
    EXPECT_TRUE(Call(&Machines::SetSwitches, this->Machines(), Switches(), &stored).ok());
    EXPECT_EQ(stored.node_count(), 40);
    EXPECT_EQ(stored.switch_count(), 6);
  }
};

v1::PredictRequest Alltoall(const std::string& node_list) {
  v1::PredictRequest request;
  request.set_machine("delta");
  request.set_collective("alltoall");
  request.set_strategy("alltoall/linear");
  request.set_ranks(16);
  request.set_ppn(1);
  request.set_block_bytes(1000);
  request.set_node_list(node_list);
  return request;
}

// 15 blocks leave a node: 15 us at 1 ns a byte. 8 x 8 blocks leave a switch by 4 up-links: 16 us; 3
// x 13 blocks leave one with 3 of the nodes by 1.5: 26 us.
TEST(Placement, APredictionDependsOnTheNodes) {
  TreeDaemon daemon;
  const auto stub = daemon.Advice();
  v1::PredictResponse unplaced;
  v1::PredictResponse two;
  v1::PredictResponse five;
  ASSERT_TRUE(Call(&Advice::Predict, stub, Alltoall(""), &unplaced).ok());
  ASSERT_TRUE(Call(&Advice::Predict, stub, Alltoall(kTwoSwitches), &two).ok());
  ASSERT_TRUE(Call(&Advice::Predict, stub, Alltoall(kFiveSwitches), &five).ok());
  EXPECT_FALSE(unplaced.has_nodes_in_use());
  EXPECT_EQ(two.nodes_in_use().switch_count(), 2);
  EXPECT_EQ(five.nodes_in_use().switch_count(), 5);
  EXPECT_NEAR(two.nodes_in_use().mean_distance_count(), 2 + 256.0 / 240, 1e-12);
  EXPECT_NEAR(five.nodes_in_use().mean_distance_count(), 3.7, 1e-12);
  EXPECT_NEAR(five.nodes_in_use().bisection_link_count(), 4, 1e-12);
  EXPECT_NEAR(two.predictions(0).time_s() - unplaced.predictions(0).time_s(), 1e-6, 1e-12);
  EXPECT_NEAR(five.predictions(0).time_s() - unplaced.predictions(0).time_s(), 11e-6, 1e-12);
  // 4 x 12 blocks by 4 up-links take less than 15 blocks by one link.
  v1::PredictRequest idle = Alltoall(kFiveSwitches);
  idle.set_assume_idle_switches(true);
  v1::PredictResponse alone;
  ASSERT_TRUE(Call(&Advice::Predict, stub, idle, &alone).ok());
  EXPECT_EQ(alone.predictions(0).time_s(), unplaced.predictions(0).time_s());
}

grpc::Status AllToAllPattern(const Daemon& daemon, const std::string& node_list,
                             v1::EvaluatePatternResponse* response) {
  v1::EvaluatePatternRequest request;
  v1::PatternHeader* header = request.mutable_header();
  header->set_machine("delta");
  header->set_ranks(16);
  header->set_ppn(1);
  header->set_pattern("all-to-all");
  header->set_block_bytes(1000);
  header->set_node_list(node_list);
  const auto stub = daemon.Advice();
  grpc::ClientContext context;
  const auto writer = stub->EvaluatePattern(&context, response);
  writer->Write(request);
  writer->WritesDone();
  return writer->Finish();
}

// The figures of the prediction above.
TEST(Placement, AnExplanationAndAPatternDependOnTheNodesToo) {
  TreeDaemon daemon;
  const auto stub = daemon.Advice();
  std::map<std::string, double> explained_s;
  std::map<std::string, double> pattern_s;
  for (const char* const nodes : {"", kTwoSwitches, kFiveSwitches}) {
    v1::ExplainRequest request;
    *request.mutable_scenario() = Alltoall(nodes);
    v1::ExplainResponse explained;
    ASSERT_TRUE(Call(&Advice::Explain, stub, request, &explained).ok());
    EXPECT_EQ(explained.has_nodes_in_use(), *nodes != '\0');
    explained_s[nodes] = explained.predictions(0).time_s();
    v1::EvaluatePatternResponse pattern;
    const grpc::Status status = AllToAllPattern(daemon, nodes, &pattern);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(pattern.has_nodes_in_use(), *nodes != '\0');
    pattern_s[nodes] = pattern.predictions(0).time_s();
  }
  for (auto* times_s : {&explained_s, &pattern_s}) {
    EXPECT_NEAR((*times_s)[kTwoSwitches] - (*times_s)[""], 1e-6, 1e-12);
    EXPECT_NEAR((*times_s)[kFiveSwitches] - (*times_s)[""], 11e-6, 1e-12);
  }
}

TEST(Placement, ARecommendationAloneAndInABatchIsTheSame) {
  TreeDaemon daemon;
  const auto stub = daemon.Advice();
  v1::BatchRecommendRequest batch;
  for (const char* const nodes : {"", kTwoSwitches, kFiveSwitches, "n[1-3]"}) {
    v1::RecommendRequest* request = batch.add_requests();
    request->set_machine("delta");
    request->set_library("openmpi-4.1");
    request->set_collective("alltoall");
    request->set_ranks(16);
    request->set_ppn(1);
    request->set_block_bytes(100'000);
    request->add_candidates("linear");
    request->set_node_list(nodes);
  }
  v1::BatchRecommendResponse together;
  ASSERT_TRUE(Call(&Advice::BatchRecommend, stub, batch, &together).ok());
  ASSERT_EQ(together.responses_size(), 4);
  for (int i = 0; i < 3; ++i) {
    v1::RecommendResponse alone;
    ASSERT_TRUE(Call(&Advice::Recommend, stub, batch.requests(i), &alone).ok());
    EXPECT_EQ(alone.SerializeAsString(), together.responses(i).SerializeAsString());
  }
  EXPECT_LT(together.responses(0).predicted_time_s(), together.responses(1).predicted_time_s());
  EXPECT_LT(together.responses(1).predicted_time_s(), together.responses(2).predicted_time_s());
  EXPECT_THAT(together.responses(3).error(), HasSubstr("has 3 nodes; the job needs 16"));
}

v1::GetTuningRequest TableOf(const std::string& node_list) {
  v1::GetTuningRequest request;
  request.set_machine("delta");
  request.set_library("openmpi-4.1");
  request.set_nodes(16);
  request.set_ppn(1);
  request.set_assume_commutative(true);
  request.set_assume_elements_at_least_ranks(true);
  for (const char* const collective : {"allreduce", "bcast", "reduce"}) {
    request.add_collectives(collective);
  }
  request.set_node_list(node_list);
  return request;
}

// The rows as text, after a check that Recommend decides each as the table does.
std::string RowsLikeRecommend(const Daemon& daemon, const std::string& node_list) {
  const auto stub = daemon.Advice();
  v1::GetTuningResponse table;
  const grpc::Status status = Call(&Advice::GetTuning, stub, TableOf(node_list), &table);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(table.has_nodes_in_use(), !node_list.empty());
  std::string rows;
  for (const v1::TuningRow& row : table.rows()) {
    v1::RecommendRequest question;
    question.set_machine("delta");
    question.set_library("openmpi-4.1");
    question.set_collective(row.collective());
    question.set_nodes(16);
    question.set_ppn(1);
    question.set_block_bytes(row.block_bytes());
    question.set_type_bytes(8);
    question.set_assume_commutative(true);
    question.set_assume_elements_at_least_ranks(true);
    question.set_node_list(node_list);
    v1::RecommendResponse answer;
    EXPECT_TRUE(Call(&Advice::Recommend, stub, question, &answer).ok());
    EXPECT_EQ(row.algorithm(), answer.algorithm()) << row.ShortDebugString();
    EXPECT_EQ(row.predicted_time_s(), answer.predicted_time_s()) << row.ShortDebugString();
    EXPECT_EQ(table.nodes_in_use().SerializeAsString(), answer.nodes_in_use().SerializeAsString());
    absl::StrAppend(&rows, row.collective(), " ", row.block_bytes(), " ", row.algorithm(), "\n");
  }
  return rows;
}

TEST(Placement, ATableIsDecidedAsRecommendDecidesForTheNodes) {
  TreeDaemon daemon;
  const std::string unplaced = RowsLikeRecommend(daemon, "");
  const std::string two = RowsLikeRecommend(daemon, kTwoSwitches);
  const std::string five = RowsLikeRecommend(daemon, kFiveSwitches);
  EXPECT_NE(unplaced, five);
  EXPECT_NE(two, five);
  EXPECT_EQ(RowsLikeRecommend(daemon, ""), unplaced) << "from what was decided before";
  EXPECT_EQ(RowsLikeRecommend(daemon, kTwoSwitches), two);
}

TEST(Placement, ATableIsKeptUntilTheSwitchesChange) {
  TreeDaemon daemon;
  const auto stub = daemon.Advice();
  v1::GetTuningRequest request = TableOf(kFiveSwitches);
  v1::GetTuningResponse first;
  ASSERT_TRUE(Call(&Advice::GetTuning, stub, request, &first).ok());
  EXPECT_THAT(first.text(), HasSubstr("16 nodes of 1 rank, at 5 switches\n"));
  request.set_etag(first.etag());
  v1::GetTuningResponse again;
  ASSERT_TRUE(Call(&Advice::GetTuning, stub, request, &again).ok());
  EXPECT_TRUE(again.not_modified());
  request.set_assume_idle_switches(true);
  v1::GetTuningResponse idle;
  ASSERT_TRUE(Call(&Advice::GetTuning, stub, request, &idle).ok());
  EXPECT_FALSE(idle.not_modified());
  // One switch has all nodes.
  v1::Switches stored;
  ASSERT_TRUE(Call(&Machines::SetSwitches, daemon.Machines(),
                   Switches("SwitchName=s Nodes=n[1-40]"), &stored)
                  .ok());
  request.set_assume_idle_switches(false);
  v1::GetTuningResponse flat;
  ASSERT_TRUE(Call(&Advice::GetTuning, stub, request, &flat).ok());
  EXPECT_FALSE(flat.not_modified());
  EXPECT_EQ(flat.nodes_in_use().switch_count(), 1);
  RowsLikeRecommend(daemon, kFiveSwitches);
}

TEST(Placement, WhatIsWrongOfATableIsNamedAsInARecommendation) {
  TreeDaemon daemon;
  const auto refused = [&](const std::string& node_list) {
    v1::GetTuningResponse response;
    return Call(&Advice::GetTuning, daemon.Advice(), TableOf(node_list), &response);
  };
  for (const char* const wrong : {"n[1-15],n99", "n[1-16],n3", "n[1-", "n[1-15]"}) {
    EXPECT_EQ(FieldOf(refused(wrong)), "node_list") << wrong;
  }
  EXPECT_THAT(refused("n[1-15]").error_message(), HasSubstr("has 15 nodes; the job needs 16"));
  EXPECT_EQ(FieldOf(refused("n[1-17]")), "node_list");
  EXPECT_THAT(refused("n[1-17]").error_message(), HasSubstr("has 17 nodes, but nodes is 16"));
  v1::GetTuningRequest idle = TableOf("");
  idle.set_assume_idle_switches(true);
  v1::GetTuningResponse response;
  EXPECT_EQ(FieldOf(Call(&Advice::GetTuning, daemon.Advice(), idle, &response)),
            "assume_idle_switches");
}

// Without `nodes`, ranks fill the first nodes of the list: one list may serve a sweep of ranks.
TEST(Placement, ARecommendationTakesNoMoreNodesThanItStates) {
  TreeDaemon daemon;
  v1::RecommendRequest request;
  request.set_machine("delta");
  request.set_library("openmpi-4.1");
  request.set_collective("bcast");
  request.set_ranks(16);
  request.set_ppn(1);
  request.set_block_bytes(1000);
  request.set_node_list("n[1-17]");
  v1::RecommendResponse response;
  ASSERT_TRUE(Call(&Advice::Recommend, daemon.Advice(), request, &response).ok());
  EXPECT_EQ(response.nodes_in_use().node_count(), 16);
  request.set_nodes(16);
  const grpc::Status status = Call(&Advice::Recommend, daemon.Advice(), request, &response);
  EXPECT_EQ(FieldOf(status), "node_list");
  EXPECT_THAT(status.error_message(), HasSubstr("has 17 nodes, but nodes is 16"));
}

TEST(Placement, ABatchNamesFewLists) {
  TreeDaemon daemon;
  v1::BatchRecommendRequest batch;
  for (int i = 0; i < 65; ++i) batch.add_requests()->set_node_list("n1");
  v1::BatchRecommendResponse response;
  EXPECT_EQ(FieldOf(Call(&Advice::BatchRecommend, daemon.Advice(), batch, &response)), "requests");
}

TEST(Placement, SwitchesAreReadBackAndReplaced) {
  TreeDaemon daemon;
  const auto stub = daemon.Machines();
  v1::GetSwitchesRequest get;
  get.set_name("machines/delta/switches");
  v1::Switches read;
  ASSERT_TRUE(Call(&Machines::GetSwitches, stub, get, &read).ok());
  EXPECT_EQ(read.name(), "machines/delta/switches");
  EXPECT_THAT(read.topology_conf(), HasSubstr("SwitchName=s4 Nodes=n[33-40] Taper=2\n"));
  v1::Switches replaced;
  ASSERT_TRUE(
      Call(&Machines::SetSwitches, stub, Switches("SwitchName=a Nodes=x[1-2]"), &replaced).ok());
  ASSERT_TRUE(Call(&Machines::GetSwitches, stub, get, &read).ok());
  EXPECT_EQ(read.SerializeAsString(), replaced.SerializeAsString());
  EXPECT_EQ(read.node_count(), 2);
  // The last answer's tree is not remembered.
  v1::PredictResponse response;
  EXPECT_EQ(FieldOf(Call(&Advice::Predict, daemon.Advice(), Alltoall(kTwoSwitches), &response)),
            "node_list");
}

// In a ring of 16 nodes the busiest link carries 1 + ... + 7 + 8 blocks of 1000 bytes, the busiest
// node sends 15; the farthest node is 8 links away.
TEST(Placement, ATorusIsStoredAndPriced) {
  TreeDaemon daemon;
  v1::SetSwitchesRequest ring = Switches("Torus=16 Nodes=n[1-16] HopTime=1e-6\n");
  v1::Switches stored;
  EXPECT_EQ(FieldOf(Call(&Machines::SetSwitches, daemon.Machines(), ring, &stored)), "taper_ratio");
  ring.clear_taper_ratio();
  ASSERT_TRUE(Call(&Machines::SetSwitches, daemon.Machines(), ring, &stored).ok());
  EXPECT_EQ(stored.topology_conf(), "Torus=16 Nodes=n[1-16] HopTime=1e-06\n");
  const auto stub = daemon.Advice();
  v1::PredictResponse unplaced;
  v1::PredictResponse placed;
  ASSERT_TRUE(Call(&Advice::Predict, stub, Alltoall(""), &unplaced).ok());
  ASSERT_TRUE(Call(&Advice::Predict, stub, Alltoall(kTwoSwitches), &placed).ok());
  EXPECT_EQ(placed.nodes_in_use().switch_count(), 16);
  EXPECT_NEAR(placed.predictions(0).time_s() - unplaced.predictions(0).time_s(),
              (36 - 15) * 1e-6 + 7e-6, 1e-12);
}

TEST(Placement, WhatIsWrongIsNamed) {
  TreeDaemon daemon;
  daemon.Register("bare");
  const auto advice = daemon.Advice();
  const auto machines = daemon.Machines();
  v1::PredictResponse response;
  EXPECT_EQ(FieldOf(Call(&Advice::Predict, advice, Alltoall("n[1-15],n99"), &response)),
            "node_list");
  EXPECT_EQ(FieldOf(Call(&Advice::Predict, advice, Alltoall("n[1-16],n3"), &response)),
            "node_list");
  EXPECT_EQ(FieldOf(Call(&Advice::Predict, advice, Alltoall("n[1-"), &response)), "node_list");
  v1::PredictRequest idle = Alltoall("");
  idle.set_assume_idle_switches(true);
  EXPECT_EQ(FieldOf(Call(&Advice::Predict, advice, idle, &response)), "assume_idle_switches");
  v1::ExplainRequest explain;
  *explain.mutable_scenario() = Alltoall("n[1-15],n99");
  v1::ExplainResponse explained;
  EXPECT_EQ(FieldOf(Call(&Advice::Explain, advice, explain, &explained)), "scenario.node_list");
  v1::EvaluatePatternResponse answer;
  EXPECT_EQ(FieldOf(AllToAllPattern(daemon, "n[1-15]", &answer)), "header.node_list");

  v1::Switches stored;
  const auto refused = [&](const v1::SetSwitchesRequest& request) {
    return Call(&Machines::SetSwitches, machines, request, &stored);
  };
  EXPECT_EQ(FieldOf(refused(Switches(""))), "text");
  EXPECT_EQ(FieldOf(refused(Switches(std::string(4'000'001, '#')))), "text");
  const grpc::Status loop = refused(Switches("SwitchName=a Switches=b\nSwitchName=b Switches=a\n"));
  EXPECT_EQ(FieldOf(loop), "switches");
  EXPECT_THAT(loop.error_message(), HasSubstr("line 1: switch a is in or below a loop"));
  v1::SetSwitchesRequest request = Switches();
  request.set_format("opa");
  EXPECT_EQ(FieldOf(refused(request)), "format");
  request = Switches();
  request.set_taper_ratio(0, -1);
  EXPECT_EQ(FieldOf(refused(request)), "taper_ratio[0]");
  request = Switches();
  request.set_name("machines/delta");
  EXPECT_EQ(FieldOf(refused(request)), "name");
  request.set_name("machines/none/switches");
  EXPECT_EQ(refused(request).error_code(), grpc::StatusCode::NOT_FOUND);
  v1::GetSwitchesRequest get;
  get.set_name("machines/bare/switches");
  EXPECT_EQ(Call(&Machines::GetSwitches, machines, get, &stored).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST(Placement, WithoutSwitchesItSaysHowToStoreThem) {
  Daemon daemon;
  daemon.Register("delta", 40, 8);
  daemon.SetProfile("delta", {{"hockney", "node", "alpha", 5e-7},
                              {"hockney", "node", "beta", 1e-10},
                              {"hockney", "network", "alpha", 2e-6},
                              {"hockney", "network", "beta", 1e-9}});
  v1::PredictResponse response;
  const grpc::Status status =
      Call(&Advice::Predict, daemon.Advice(), Alltoall(kTwoSwitches), &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("cox machine switches delta --slurm"));
  v1::GetTuningResponse table;
  const grpc::Status refused =
      Call(&Advice::GetTuning, daemon.Advice(), TableOf(kTwoSwitches), &table);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(refused.error_message(), status.error_message());
}

}  // namespace
}  // namespace cox
