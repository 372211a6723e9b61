#include "strategy/scenario.h"

#include <limits>
#include <vector>

#include "domain/collective.h"
#include "domain/errors.h"
#include "domain/limits.h"
#include "domain/parse_collective.h"
#include "gtest/gtest.h"
#include "strategy/traffic/nodes.h"
#include "strategy/traffic/residues.h"

namespace cox::strategy {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

struct Wrong {
  Scenario scenario;
  const char* field;
};

class WrongScenario : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongScenario, IsRefusedWithItsField) {
  const absl::Status status = Validate(GetParam().scenario);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(domain::FieldOf(status), GetParam().field);
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongScenario,
    ::testing::Values(
        Wrong{{.ranks = 0}, "ranks"}, Wrong{{.ranks = -5}, "ranks"},
        Wrong{{.ranks = domain::kMaxRanks + 1}, "ranks"}, Wrong{{.ranks = kMost}, "ranks"},
        Wrong{{.ranks = 4, .ppn = 0}, "ppn"}, Wrong{{.ranks = 4, .ppn = -1}, "ppn"},
        Wrong{{.ranks = 4, .ppn = kMost}, "ppn"}, Wrong{{.block_bytes = -1}, "block_bytes"},
        Wrong{{.block_bytes = domain::kMaxBlockBytes + 1}, "block_bytes"},
        Wrong{{.block_bytes = kMost}, "block_bytes"}, Wrong{{.type_bytes = 0}, "type_bytes"},
        Wrong{{.root = -1}, "root"}, Wrong{{.ranks = 4, .root = 4}, "root"}));

TEST(Scenario, SaysForWhichRanksARootIsWrong) {
  EXPECT_EQ(Validate({.ranks = 4, .root = 5}).message(),
            "root: 5 is not between 0 and 3 (with 4 ranks)");
  EXPECT_EQ(Validate({.root = 5}).message(), "root: 5 is not between 0 and 0 (with 1 rank)");
}

TEST(Scenario, AcceptsTheLimits) {
  EXPECT_TRUE(Validate({}).ok());
  EXPECT_TRUE(Validate({.ranks = domain::kMaxRanks,
                        .ppn = domain::kMaxRanks,
                        .block_bytes = domain::kMaxBlockBytes,
                        .root = domain::kMaxRanks - 1})
                  .ok());
}

TEST(Scenario, CollectiveNamesGoBothWays) {
  for (int i = 0; i < domain::kCollectiveCount; ++i) {
    const auto collective = static_cast<domain::Collective>(i);
    ASSERT_TRUE(domain::ParseCollective(domain::CollectiveName(collective)).ok());
    EXPECT_EQ(*domain::ParseCollective(domain::CollectiveName(collective)), collective);
  }
  const auto unknown = domain::ParseCollective("Bcast");
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(unknown.status().message().find("bcast"), absl::string_view::npos);
}

TEST(Scenario, CountsNodesAndElements) {
  const Scenario scenario{.ranks = 10, .ppn = 4, .block_bytes = 30, .type_bytes = 8};
  EXPECT_EQ(scenario.node_count(), 3);
  EXPECT_EQ(scenario.element_count(), 3);
  EXPECT_EQ(scenario.NodeOf(7), 1);
  EXPECT_EQ(scenario.NodeOf(9), 2);
}

TEST(Nodes, AgreeWithTheScenario) {
  for (Placement placement : {Placement::kBlock, Placement::kCyclic}) {
    for (int64_t ranks = 1; ranks < 40; ++ranks) {
      for (int64_t ppn = 1; ppn < 45; ++ppn) {
        const Scenario scenario{.ranks = ranks, .ppn = ppn, .placement = placement};
        const Nodes nodes(scenario);
        ASSERT_EQ(nodes.count, scenario.node_count());
        std::vector<int64_t> sizes(static_cast<size_t>(nodes.count));
        for (int64_t rank = 0; rank < ranks; ++rank) {
          ASSERT_EQ(nodes.Of(rank), scenario.NodeOf(rank));
          ++sizes[static_cast<size_t>(nodes.Of(rank))];
        }
        int64_t largest_count = 0;
        for (size_t node = 0; node < sizes.size(); ++node) {
          ASSERT_EQ(nodes.SizeOf(static_cast<int64_t>(node)), sizes[node]);
          ASSERT_LE(sizes[node], nodes.largest());
          ASSERT_GE(sizes[node], nodes.smallest());
          largest_count += sizes[node] == nodes.largest() ? 1 : 0;
        }
        ASSERT_EQ(largest_count, nodes.largest_count());
      }
    }
  }
}

TEST(Residues, AreThoseOfTheNumbers) {
  for (int64_t modulus = 1; modulus <= 13; ++modulus) {
    for (int64_t step : {1, 2, 4, 8, 32}) {
      for (int64_t first : {-5, 0, 3, 20}) {
        for (int64_t terms : {0, 1, 5, 29}) {
          std::vector<int64_t> counts(static_cast<size_t>(modulus));
          for (int64_t i = 0; i < terms; ++i) {
            ++counts[static_cast<size_t>(Mod(first + i * step, modulus))];
          }
          int64_t most = 0;
          for (int64_t residue = 0; residue < modulus; ++residue) {
            const int64_t count = counts[static_cast<size_t>(residue)];
            ASSERT_EQ(CountAt(residue, {first, terms}, step, modulus), count);
            most = std::max(most, count);
          }
          ASSERT_EQ(MostAtOne({{first, terms}}, step, modulus), most);
        }
      }
    }
  }
}

TEST(Residues, FloorSumIsTheSum) {
  for (int64_t divisor : {1, 2, 7, 64, 1000}) {
    for (int64_t step : {0, 1, 6, 36, 127, 5000}) {
      for (int64_t first : {0, 5, 999}) {
        int64_t sum = 0;
        for (int64_t terms = 0; terms < 50; ++terms) {
          ASSERT_EQ(FloorSum(terms, first, step, divisor), sum);
          sum += (first + terms * step) / divisor;
        }
      }
    }
  }
}

}  // namespace
}  // namespace cox::strategy
