// All-to-all in permutations and in lines, on a mesh of ranks.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "domain/shape.h"
#include "gtest/gtest.h"
#include "strategy/catalogue.h"

namespace cox::strategy {
namespace {

// A link of the mesh in one direction: along a row or a column, which one, and between which two
// ranks of it.
using Link = std::tuple<bool, int64_t, int64_t, bool>;

// The busiest link's messages in each step, if messages go along their row first.
std::vector<int64_t> BusiestLinks(const char* name, int64_t ranks, int64_t columns) {
  const Strategy strategy = *ParseStrategy(name);
  std::map<int64_t, std::map<Link, int64_t>> loads;
  const auto travel = [](bool along_row, int64_t line, int64_t from, int64_t to,
                         std::map<Link, int64_t>* load) {
    for (int64_t at = std::min(from, to); at < std::max(from, to); ++at) {
      ++(*load)[{along_row, line, at, from < to}];
    }
  };
  // Steps that are alike share a phase.
  std::map<std::pair<int64_t, int64_t>, int64_t> numbers;
  strategy.algorithm->enumerate(
      {.ranks = ranks, .block_bytes = 1}, strategy.knobs, [&](const Message& message) {
        const auto [at, is_new] = numbers.try_emplace({message.phase, message.repetition},
                                                      static_cast<int64_t>(numbers.size()));
        std::map<Link, int64_t>& load = loads[at->second];
        const int64_t row = message.source / columns;
        const int64_t column = message.destination % columns;
        travel(true, row, message.source % columns, column, &load);
        travel(false, column, row, message.destination / columns, &load);
      });
  std::vector<int64_t> busiest;
  for (const auto& [step, load] : loads) {
    int64_t most = 0;
    for (const auto& [link, messages] : load) most = std::max(most, messages);
    busiest.push_back(most);
  }
  return busiest;
}

int64_t SumOf(const std::vector<int64_t>& numbers) {
  int64_t sum = 0;
  for (const int64_t number : numbers) sum += number;
  return sum;
}

// Section 4.3 of C3: "they result in a smaller congestion over the links compared to linear and
// exclusive-or permutations".
TEST(BalancedPermutations, LoadLinksLessThanLinearAndExclusiveOr) {
  for (const int64_t side : {4, 8, 16}) {
    const int64_t ranks = side * side;
    const std::vector<int64_t> balanced = BusiestLinks("alltoall/1-lev-perm-bal", ranks, side);
    const std::vector<int64_t> linear = BusiestLinks("alltoall/pairwise", ranks, side);
    const std::vector<int64_t> exclusive = BusiestLinks("alltoall/1-lev-perm-xor", ranks, side);
    // A quarter of a line crosses its middle in each direction; one more elsewhere.
    EXPECT_LE(*std::max_element(balanced.begin(), balanced.end()), side / 4 + 1);
    EXPECT_EQ(*std::max_element(exclusive.begin(), exclusive.end()), side / 2);
    EXPECT_LT(SumOf(balanced), SumOf(linear)) << side;
    EXPECT_LT(SumOf(balanced), SumOf(exclusive)) << side;
  }
}

TEST(BalancedPermutations, ArePermutations) {
  for (const int64_t ranks : {2, 4, 8, 32, 128}) {
    std::map<int64_t, std::set<int64_t>> sources, destinations;
    std::set<std::pair<int64_t, int64_t>> pairs;
    const Strategy strategy = *ParseStrategy("alltoall/1-lev-perm-bal");
    strategy.algorithm->enumerate(
        {.ranks = ranks, .block_bytes = 1}, {}, [&](const Message& message) {
          EXPECT_TRUE(sources[message.repetition].insert(message.source).second);
          EXPECT_TRUE(destinations[message.repetition].insert(message.destination).second);
          EXPECT_TRUE(pairs.emplace(message.source, message.destination).second);
        });
    EXPECT_EQ(pairs.size(), static_cast<size_t>(ranks * (ranks - 1)));
    EXPECT_LE(sources.size(), static_cast<size_t>(ranks));
  }
}

// Two levels where p is no square: lines of rows and of columns, the last row shorter.
TEST(TwoLevelRows, SplitUnevenlyWhereThereIsNoSquare) {
  const domain::Shape mesh = {domain::Topology::kMesh, {4, 3}};
  const Scenario scenario = {.ranks = 12, .block_bytes = 1, .shape = &mesh};
  const Strategy strategy = *ParseStrategy("alltoall/2-lev-rc");
  ASSERT_TRUE(strategy.algorithm->applies(scenario, {}).ok());
  model::Schedule schedule;
  Build(strategy, scenario, &schedule);
  ASSERT_EQ(schedule.size(), 2U);
  EXPECT_EQ(schedule[0].submachine.processors_count, 4);
  EXPECT_DOUBLE_EQ(schedule[0].submachine.distance_hops, 4.0 / 3);
  EXPECT_EQ(schedule[1].submachine.processors_count, 3);
  EXPECT_DOUBLE_EQ(schedule[1].submachine.distance_hops, 1);
}

}  // namespace
}  // namespace cox::strategy
