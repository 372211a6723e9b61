// The library's choice of exchanges, and the largest number of ranks that it routes.
#include "collectives/choice/personalised.h"

#include <gtest/gtest.h>

namespace cox::collectives {
namespace {

constexpr domain::CostProfile kDearStarts{.alpha_s = 1, .beta_s_per_byte = 1e-9};
constexpr domain::CostProfile kDearBytes{.alpha_s = 1e-9, .beta_s_per_byte = 1};

// A topology that takes one message, without the cost of computing a real one.
const RouteLoads kOneMessage = {.phases = {{.sent = {}, .received = {}, .largest = {{1, 1}}}}};

TEST(Personalised, ChoosesByThePrice) {
  const RouteLoads mesh = LoadsOf(Routing::kMesh2d, 64), cube = LoadsOf(Routing::kHypercube, 64);
  const auto by = [&](const domain::CostProfile& costs) -> ExchangeCosts {
    return {64, costs, [&](Routing routing) -> const RouteLoads& {
              return routing == Routing::kHypercube ? cube : mesh;
            }};
  };
  EXPECT_EQ(CheapestExchange(by(kDearStarts), 8).id, kBruck) << "as many messages as hypercube";
  EXPECT_EQ(CheapestExchange(by(kDearBytes), 8).id, kDirect);
  EXPECT_EQ(CheapestOfMessages(by(kDearStarts), 63, {63, 504}).id, kHypercube);
  EXPECT_EQ(CheapestOfMessages(by(kDearBytes), 504, {63, 504}).id, kDirect);
}

TEST(Personalised, RoutesNothingOfVeryManyRanks) {
  for (const bool is_routed : {true, false}) {
    const int ranks = kMostRanksToRoute + (is_routed ? 0 : 1);
    int asked = 0;
    const ExchangeCosts by = {ranks, kDearStarts, [&asked](Routing) -> const RouteLoads& {
                                ++asked;
                                return kOneMessage;
                              }};
    EXPECT_EQ(CheapestExchange(by, 8).id, is_routed ? kMesh2d : kBruck);
    EXPECT_EQ(CheapestOfMessages(by, ranks, {ranks, 8 * ranks}).id, is_routed ? kMesh2d : kDirect);
    EXPECT_EQ(asked > 0, is_routed);
  }
}

// Prices are equal except for heads and records.
TEST(Personalised, MessagesOfAnySizesPayForHeadsAndRecords) {
  const RouteLoads loads = {.phases = {{.sent = {}, .received = {}, .largest = {{1, 3}}}}};
  const ExchangeCosts by = {4, kDearBytes, [&](Routing) -> const RouteLoads& { return loads; }};
  const double bytes = 3 * (8 + kRecordBytes) + kHeadBytes;
  EXPECT_EQ(CheapestOfMessages(by, bytes - 1, {3, 24}).id, kDirect);
  EXPECT_EQ(CheapestOfMessages(by, bytes + 1, {3, 24}).id, kMesh2d);
}

}  // namespace
}  // namespace cox::collectives
