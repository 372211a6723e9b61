// Patterns whose messages differ in size: up to a stated number of messages c3 and bpram price the
// list of messages, beyond it the sums of each rank.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "daemon.h"

namespace cox {
namespace {

constexpr int kListedMessages = 100'000;
constexpr double kSigma = 1e-9;
constexpr double kEll = 1e-5;
constexpr double kLong_bytes = 1e6;

// A machine of one rank per node whose profile prices C3 and BPRAM.
struct SkewDaemon : Daemon {
  SkewDaemon() {
    Register("skewed", 16, 1);
    SetProfile("skewed", {{"bpram", "network", "sigma", kSigma},
                          {"bpram", "network", "ell", kEll},
                          {"bpram-1port", "network", "sigma", kSigma},
                          {"bpram-1port", "network", "ell", kEll},
                          {"c3", "network", "l", 512},
                          {"c3", "network", "s", 8}});
  }
};

v1::EvaluatePatternRequest SkewHeader(int ranks, const std::string& route) {
  v1::EvaluatePatternRequest request;
  v1::PatternHeader& header = *request.mutable_header();
  header.set_machine("skewed");
  header.set_model("all");
  header.set_ranks(ranks);
  header.set_ppn(1);
  header.add_routes(route);
  return request;
}

void AddMessage(int source, int destination, int64_t bytes, v1::EvaluatePatternRequest* request) {
  request->add_sources(source);
  request->add_destinations(destination);
  request->add_block_bytes(bytes);
}

// Each rank sends 1 byte to the next and 1023 bytes to the one after that; but rank 3 sends the
// next one a megabyte, and rank 9 the one after that.
v1::EvaluatePatternRequest Skewed(int ranks) {
  v1::EvaluatePatternRequest request;
  const auto megabyte = static_cast<int64_t>(kLong_bytes);
  for (int i = 0; i < ranks; ++i) {
    AddMessage(i, (i + 1) % ranks, i == 3 ? megabyte : 1, &request);
    AddMessage(i, (i + 2) % ranks, i == 9 ? megabyte : 1023, &request);
  }
  return request;
}

// Seconds, or units of c3, by model.
std::map<std::string, double> CostsOf(const Daemon& daemon,
                                      const std::vector<v1::EvaluatePatternRequest>& requests) {
  v1::EvaluatePatternResponse response;
  const auto stub = daemon.Advice();
  grpc::ClientContext context;
  const auto writer = stub->EvaluatePattern(&context, &response);
  for (const auto& request : requests) {
    if (!writer->Write(request)) break;
  }
  writer->WritesDone();
  const grpc::Status status = writer->Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  std::map<std::string, double> costs;
  for (const v1::Prediction& prediction : response.predictions()) {
    const bool in_units = prediction.model() == "c3";
    costs[prediction.model()] = in_units ? prediction.units() : prediction.time_s();
  }
  return costs;
}

TEST(SkewedPattern, CostsItsMessagesOneByOne) {
  SkewDaemon daemon;
  auto costs = CostsOf(daemon, {SkewHeader(16, "direct"), Skewed(16)});
  // Two staggered steps, each as long as its megabyte. By the sums of the busiest rank it would be
  // one megabyte in all.
  EXPECT_DOUBLE_EQ(costs["bpram"], 2 * kEll + kSigma * 2 * kLong_bytes);
  // A rank that sends the megabyte receives the step's other size.
  EXPECT_DOUBLE_EQ(costs["bpram-1port"], 2 * kEll + kSigma * (2 * kLong_bytes + 1 + 1023));
  // C3's definition with packets of 512 bytes: 1954 of a megabyte, 2 of 1023 bytes, 1 of a byte;
  // distance 1, 8 links. Rank 3 sends 1956 packets and receives 3.
  const double packets_per_pair = (2 * 1954 + 15 * 1 + 15 * 2) / 32.0;
  EXPECT_DOUBLE_EQ(costs["c3"],
                   (2 * 8 + 1 + 1956 + 3) + packets_per_pair * 4 + packets_per_pair * 2);
}

TEST(SkewedPattern, CostsTheSumsOfItsRanksBeyondTheLimit) {
  SkewDaemon daemon;
  const int ranks = kListedMessages / 2;
  v1::EvaluatePatternRequest messages = Skewed(ranks);
  ASSERT_EQ(messages.sources_size(), kListedMessages);
  auto listed = CostsOf(daemon, {SkewHeader(ranks, "direct"), messages});
  EXPECT_DOUBLE_EQ(listed["bpram"], 2 * kEll + kSigma * 2 * kLong_bytes);
  const double packets_per_pair = (2 * 1954 + (ranks - 1) * 3.0) / kListedMessages;
  EXPECT_DOUBLE_EQ(listed["c3"],
                   (2 * 8 + 1 + 1956 + 3) + packets_per_pair * 4 + packets_per_pair * 2);
  // One more, of a rank to itself, so it is not sent.
  AddMessage(5, 5, 1, &messages);
  auto summed = CostsOf(daemon, {SkewHeader(ranks, "direct"), messages});
  EXPECT_DOUBLE_EQ(summed["bpram"], 2 * kEll + kSigma * (kLong_bytes + 1023));
  EXPECT_GT(summed["c3"], 2 * 1956) << "as if the busiest sender were the busiest receiver";
}

// A routed phase has a message for every neighbour, most of them empty: it costs its sums.
TEST(SkewedPattern, CostsTheSumsOfItsPhasesOnARoute) {
  SkewDaemon daemon;
  auto costs = CostsOf(daemon, {SkewHeader(16, "mesh2d"), Skewed(16)});
  // Four ranks in a row and in a column: three messages each. Rank 3 hands on its megabyte in the
  // first phase or in the second, and so does rank 9.
  EXPECT_GE(costs["bpram"], 6 * kEll + kSigma * 2 * kLong_bytes);
  EXPECT_LT(costs["bpram"], 6 * kEll + kSigma * (2 * kLong_bytes + 8 * 1023));
}

}  // namespace
}  // namespace cox
