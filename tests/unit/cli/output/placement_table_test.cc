#include "cli/output/placement_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>

namespace cox::cli {
namespace {

using ::testing::HasSubstr;

v1::PredictResponse Answer(int64_t switches, double ring_s, double linear_s) {
  v1::PredictResponse response;
  v1::NodesInUse* const nodes = response.mutable_nodes_in_use();
  nodes->set_node_count(16);
  nodes->set_switch_count(switches);
  nodes->set_mean_distance_count(3.7);
  nodes->set_bisection_link_count(4);
  for (const auto& [strategy, time_s] :
       {std::pair("allgather/ring", ring_s), std::pair("allgather/linear", linear_s)}) {
    if (time_s == 0) continue;
    v1::Prediction* const prediction = response.add_predictions();
    prediction->set_strategy(strategy);
    prediction->set_model("hockney");
    prediction->set_time_s(time_s);
  }
  response.add_caveats("the same for both");
  return response;
}

TEST(PlacementTableTest, HasAColumnForEachList) {
  PlacementTable table;
  table.Add("n[1-16]", Answer(2, 1e-3, 2e-3));
  table.Add("n[1-64:4]", Answer(5, 1.5e-3, 0));
  std::ostringstream out;
  table.Print(out);
  EXPECT_THAT(out.str(), HasSubstr("(1) n[1-16]: 16 nodes at 2 switches, 3.7 links between two "
                                   "nodes, 4 between halves\n"));
  EXPECT_THAT(out.str(), HasSubstr("(2) n[1-64:4]: 16 nodes at 5 switches"));
  EXPECT_THAT(out.str(), HasSubstr("(2) / (1)\n"));
  EXPECT_THAT(out.str(), HasSubstr("1.500 ms        1.5\n"));
  EXPECT_THAT(out.str(), HasSubstr("2.000 ms         -          -\n"));
  // Once, although both answers have it.
  EXPECT_THAT(out.str(), HasSubstr("\nnote: the same for both\n"));
  EXPECT_EQ(out.str().find("note"), out.str().rfind("note"));
}

}  // namespace
}  // namespace cox::cli
