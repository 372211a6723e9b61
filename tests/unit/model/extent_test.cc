#include "model/extent.h"

#include <string>
#include <vector>

#include "domain/errors.h"
#include "domain/shape.h"
#include "gtest/gtest.h"

namespace cox::model {
namespace {

struct Known {
  const char* name;
  domain::Topology topology;
  std::vector<int64_t> dims;
  int64_t nodes;
  double bisection_links;
  double distance_hops;
};

class KnownExtent : public ::testing::TestWithParam<Known> {};

TEST_P(KnownExtent, IsThatOfTheNetwork) {
  const Known& known = GetParam();
  const Extent extent = ExtentOf({known.topology, known.dims}, known.nodes);
  EXPECT_EQ(extent.processors_count, static_cast<double>(known.nodes));
  EXPECT_NEAR(extent.bisection_links, known.bisection_links, 1e-9);
  EXPECT_NEAR(extent.distance_hops, known.distance_hops, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(
    All, KnownExtent,
    ::testing::Values(
        // C3 section 3, p = 256.
        Known{"mesh", domain::Topology::kMesh, {16, 16}, 256, 16, 32.0 / 3},
        Known{"hypercube", domain::Topology::kHypercube, {}, 256, 128, 4},
        Known{"tree", domain::Topology::kTree, {}, 256, 1, 8},
        // A mesh whose sides are not told is as square as can be, also in three dimensions.
        Known{"square", domain::Topology::kMesh, {}, 256, 16, 32.0 / 3},
        Known{"part of a mesh", domain::Topology::kMesh, {16, 16}, 64, 8, 16.0 / 3},
        Known{"oblong", domain::Topology::kMesh, {4, 16}, 64, 4, 20.0 / 3},
        Known{"line", domain::Topology::kMesh, {1, 16}, 16, 1, 16.0 / 3},
        Known{"cube", domain::Topology::kMesh, {4, 4, 4}, 64, 16, 4},
        Known{"part of a cube", domain::Topology::kMesh, {4, 4, 4}, 8, 4, 2},
        // Rings have two links to cut.
        Known{"torus", domain::Topology::kTorus, {16, 16}, 256, 32, 8},
        Known{"odd hypercube", domain::Topology::kHypercube, {}, 9, 4, 3.169925001442312 / 2},
        Known{"bus", domain::Topology::kBus, {}, 100, 1, 1},
        Known{"crossbar", domain::Topology::kCrossbar, {}, 100, 50, 1},
        Known{"fat tree", domain::Topology::kFatTree, {}, 64, 32, 6},
        // Eight groups, a link between any two: a cut into halves meets 4 x 4.
        Known{"dragonfly", domain::Topology::kDragonfly, {8}, 64, 16, 2.75},
        // A part of the machine does not have the machine's groups.
        Known{
            "whole dragonfly", domain::Topology::kDragonfly, {64, 4, 4}, 1024, 1024, 3 - 2.0 / 64},
        Known{"part of a dragonfly", domain::Topology::kDragonfly, {64, 4, 4}, 16, 4, 2.5},
        Known{"few of many groups", domain::Topology::kDragonfly, {64}, 16, 4, 2.5},
        Known{"small dragonfly", domain::Topology::kDragonfly, {}, 4, 1, 2}),
    [](const auto& info) {
      std::string name = info.param.name;
      for (char& c : name) {
        if (c == ' ') c = '_';
      }
      return name;
    });

TEST(ExtentOf, OneNodeHasNoNetwork) {
  for (int i = 0; i < domain::kTopologyCount; ++i) {
    const Extent alone = ExtentOf({static_cast<domain::Topology>(i), {}}, 1);
    EXPECT_EQ(alone.bisection_links, 1);
    EXPECT_EQ(alone.distance_hops, 0);
  }
}

TEST(ExtentOf, CutsAtLeastOneLink) {
  for (int i = 0; i < domain::kTopologyCount; ++i) {
    for (int64_t nodes = 1; nodes < 300; ++nodes) {
      for (const std::vector<int64_t>& dims : {std::vector<int64_t>{}, {3}, {2, 7}, {2, 3, 5}}) {
        const Extent extent = ExtentOf({static_cast<domain::Topology>(i), dims}, nodes);
        EXPECT_GE(extent.bisection_links, 1);
        EXPECT_GE(extent.distance_hops, 0);
      }
    }
  }
}

TEST(Topology, NamesReadBack) {
  for (int i = 0; i < domain::kTopologyCount; ++i) {
    const auto topology = static_cast<domain::Topology>(i);
    EXPECT_EQ(domain::ParseTopology(domain::TopologyName(topology)).value(), topology);
  }
  const auto unknown = domain::ParseTopology("ring");
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(domain::FieldOf(unknown.status()), "topology.kind");
  EXPECT_NE(unknown.status().message().find("fat-tree"), absl::string_view::npos);
}

}  // namespace
}  // namespace cox::model
