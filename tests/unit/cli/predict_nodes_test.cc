// cox predict names the nodes of each number of ranks of a sweep.
#include <cox/v1/advice.grpc.pb.h>
#include <gmock/gmock.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/app.h"
#include "folder.h"

namespace cox::cli {
namespace {

// Answers with a node for every four ranks; a second switch from five nodes on.
class Advice final : public v1::AdviceService::Service {
  grpc::Status Predict(grpc::ServerContext*, const v1::PredictRequest* request,
                       v1::PredictResponse* response) override {
    const int64_t nodes = (request->ranks() + 3) / 4;
    v1::NodesInUse* const in_use = response->mutable_nodes_in_use();
    in_use->set_node_count(nodes);
    in_use->set_switch_count(nodes > 4 ? 2 : 1);
    in_use->set_mean_distance_count(nodes > 4 ? 3 : 2);
    in_use->set_bisection_link_count(1);
    v1::Prediction* const prediction = response->add_predictions();
    prediction->set_strategy("alltoall/linear");
    prediction->set_model("hockney");
    prediction->set_time_s(1e-6);
    return grpc::Status::OK;
  }
};

// What the command says beside its answer.
std::string Said(const char* ranks, const char* bytes) {
  const Folder folder;
  const std::string address = "unix:" + folder.Path("socket");
  Advice advice;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials());
  builder.RegisterService(&advice);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  const std::vector<const char*> words = {
      "cox", "--server", address.c_str(), "predict", "-m", "m",           "-c",    "alltoall", "-p",
      ranks, "-b",       bytes,           "--ppn",   "4",  "--node-list", "n[1-8]"};
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(Run(static_cast<int>(words.size()), words.data(), out, err), 0) << err.str();
  server->Shutdown();
  return err.str();
}

TEST(PredictNodesTest, ASweepNamesTheNodesOfEachNumberOfRanks) {
  EXPECT_EQ(Said("3,4,20", "8,64"),
            "cox: 3, 4 ranks: 1 node at 1 switch, 2 links between two nodes, 1 between halves\n"
            "cox: 20 ranks: 5 nodes at 2 switches, 3 links between two nodes, 1 between halves\n");
}

TEST(PredictNodesTest, OneNumberOfRanksNeedsNoName) {
  EXPECT_EQ(Said("20", "8,64"),
            "cox: 5 nodes at 2 switches, 3 links between two nodes, 1 between halves\n");
}

}  // namespace
}  // namespace cox::cli
