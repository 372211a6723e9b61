// The traffic of a strategy's closed form equals that of the messages that it enumerates.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "counted_traffic.h"
#include "domain/collective.h"
#include "gtest/gtest.h"
#include "rank_counts.h"
#include "strategy/catalogue.h"

namespace cox::strategy {
namespace {

using model::LevelTraffic;
using model::RankTraffic;

constexpr int64_t kMany = kIsSanitized ? 216 : 1000;  // cubes; of 1000 a million messages each

bool Equal(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), 1.0); }

struct Field {
  const char* name;
  double RankTraffic::*of;
};
constexpr Field kRankFields[] = {
    {"sends", &RankTraffic::sends_count},
    {"receives", &RankTraffic::receives_count},
    {"out", &RankTraffic::out_bytes},
    {"in", &RankTraffic::in_bytes},
    {"max_message", &RankTraffic::max_message_bytes},
};
struct LevelField {
  const char* name;
  double LevelTraffic::*of;
};
constexpr LevelField kLevelFields[] = {
    {"pairs", &LevelTraffic::pairs_count},     {"messages", &LevelTraffic::messages_count},
    {"volume", &LevelTraffic::volume_bytes},   {"node_out", &LevelTraffic::node_out_bytes},
    {"node_in", &LevelTraffic::node_in_bytes},
};

void CompareRank(const char* level, const RankTraffic& closed, const RankTraffic& counted,
                 std::string* differences) {
  for (const Field& field : kRankFields) {
    if (!Equal(closed.*field.of, counted.*field.of)) {
      absl::StrAppend(differences, " ", level, ".", field.name, " ", closed.*field.of, " counted ",
                      counted.*field.of);
    }
  }
}

void CompareLevel(const char* level, const LevelTraffic& closed, const LevelTraffic& counted,
                  std::string* differences) {
  CompareRank(level, closed, counted, differences);
  for (const LevelField& field : kLevelFields) {
    if (!Equal(closed.*field.of, counted.*field.of)) {
      absl::StrAppend(differences, " ", level, ".", field.name, " ", closed.*field.of, " counted ",
                      counted.*field.of);
    }
  }
}

// What differs; "" if nothing does.
std::string Differences(const Strategy& strategy, const Scenario& scenario) {
  static auto& schedule = *new model::Schedule;
  Build(strategy, scenario, &schedule);
  const std::vector<CountedPhase> counted = CountTraffic(strategy, scenario, schedule);
  if (counted.size() != schedule.size()) {
    return absl::StrCat(schedule.size(), " phases, counted ", counted.size());
  }
  std::string differences;
  for (size_t i = 0; i < counted.size(); ++i) {
    std::string here;
    const model::Phase& phase = schedule[i];
    if (!Equal(phase.times, counted[i].times)) {
      absl::StrAppend(&here, " times ", phase.times, " counted ", counted[i].times);
    }
    CompareLevel("node", phase.traffic.node, counted[i].traffic.node, &here);
    CompareLevel("network", phase.traffic.network, counted[i].traffic.network, &here);
    CompareRank("any", phase.traffic.any, counted[i].traffic.any, &here);
    if (phase.traffic.disjoint != counted[i].traffic.disjoint) {
      absl::StrAppend(&here, " disjoint ", phase.traffic.disjoint);
    }
    if (!here.empty()) absl::StrAppend(&differences, " phase ", i, ":", here);
  }
  return differences;
}

std::string Describe(const Strategy& strategy, const Scenario& scenario) {
  return absl::StrCat(FormatStrategy(strategy), " p=", scenario.ranks, " ppn=", scenario.ppn,
                      scenario.placement == Placement::kBlock ? " block" : " cyclic",
                      " bytes=", scenario.block_bytes, " type=", scenario.type_bytes,
                      " root=", scenario.root);
}

// Checks a strategy in a scenario to which it applies.
void Check(const Strategy& strategy, Scenario scenario) {
  scenario.collective = strategy.algorithm->collective;
  if (!strategy.algorithm->applies(scenario, strategy.knobs).ok()) return;
  const std::string differences = Differences(strategy, scenario);
  EXPECT_EQ(differences, "") << Describe(strategy, scenario);
}

// The strategy without knobs, and with each knob set to a value that changes the traffic.
std::vector<Strategy> Variants(const Algorithm& algorithm) {
  std::vector<Strategy> variants = {{&algorithm, {}}};
  if (algorithm.knobs == "window") {
    for (int64_t window : {3, 32}) variants.push_back({&algorithm, {.window = window}});
    if (algorithm.collective == domain::Collective::kGather) {
      variants.push_back({&algorithm, {.window = 1}});
    }
  }
  if (algorithm.knobs == "fanout") {
    for (int64_t fanout : {1, 2, 5, 31, 1000}) variants.push_back({&algorithm, {.fanout = fanout}});
  }
  if (algorithm.knobs == "gamma") {
    for (int64_t gamma : {250, 500, 900}) {
      variants.push_back({&algorithm, {.gamma_permille = gamma}});
    }
  }
  if (algorithm.knobs == "columns") {
    for (int64_t columns : {2, 4, 7, 1000}) {
      variants.push_back({&algorithm, {.columns = columns}});
    }
  }
  if (algorithm.knobs == "unit") {
    for (int64_t unit : {1, 2, 3, 4, 6, 8, 12, 16}) {
      variants.push_back({&algorithm, {.unit_ranks = unit}});
    }
  }
  if (algorithm.knobs == "radix") {
    for (int64_t radix : {2, 3, 7, 100}) variants.push_back({&algorithm, {.radix = radix}});
  }
  if (algorithm.knobs == "segment") {
    for (int64_t segment : {1000, 4096})
      variants.push_back({&algorithm, {.segment_bytes = segment}});
  }
  if (algorithm.knobs == "segment,fanout") {
    for (int64_t fanout : {1, 2, 7, 32}) {
      variants.push_back(
          {&algorithm, {.segment_bytes = fanout % 2 == 0 ? 1000 : 0, .fanout = fanout}});
    }
  }
  return variants;
}

std::vector<Strategy> AllVariants() {
  std::vector<Strategy> all;
  for (const Algorithm& algorithm : Catalogue()) {
    for (const Strategy& variant : Variants(algorithm)) all.push_back(variant);
  }
  return all;
}

bool HasRoot(const Algorithm& algorithm) {
  return algorithm.collective == domain::Collective::kBcast ||
         algorithm.collective == domain::Collective::kScatter ||
         algorithm.collective == domain::Collective::kGather ||
         algorithm.collective == domain::Collective::kReduce;
}

std::vector<int64_t> RootsOf(const Strategy& strategy, int64_t ranks) {
  if (!HasRoot(*strategy.algorithm) || ranks == 1) return {0};
  if (ranks == 2) return {0, 1};
  if (ranks == kMany) return {1 + ranks / 3};
  return {0, 1 + ranks / 3, ranks - 1};
}

// All strategies for these ranks, ppn and sizes, under both placements.
void CheckAll(int64_t ranks, const std::vector<int64_t>& ppns,
              const std::vector<int64_t>& block_bytes) {
  for (const Strategy& strategy : AllVariants()) {
    for (int64_t ppn : ppns) {
      for (Placement placement : {Placement::kBlock, Placement::kCyclic}) {
        for (int64_t bytes : block_bytes) {
          for (int64_t root : RootsOf(strategy, ranks)) {
            Check(strategy, {.ranks = ranks,
                             .ppn = ppn,
                             .block_bytes = bytes,
                             .type_bytes = 8,
                             .root = root,
                             .placement = placement});
            if (::testing::Test::HasFailure()) return;
          }
        }
      }
    }
  }
}

class ClosedForm : public ::testing::TestWithParam<int64_t> {};

TEST_P(ClosedForm, IsTheEnumeration) { CheckAll(GetParam(), {1, 2, 3, 4, 5, 6, 7, 8}, {0, 5003}); }

INSTANTIATE_TEST_SUITE_P(UpTo64, ClosedForm, ::testing::ValuesIn(RankCountsUpTo(64)));
INSTANTIATE_TEST_SUITE_P(Larger, ClosedForm, ::testing::Values(81, 100, 127));

class ClosedFormLarge : public ::testing::TestWithParam<int64_t> {};

TEST_P(ClosedFormLarge, IsTheEnumeration) { CheckAll(kMany, {GetParam()}, {5003}); }

INSTANTIATE_TEST_SUITE_P(Ppn, ClosedFormLarge, ::testing::Values(1, 3, 8));

// Nodes larger than those of the property test: few, the last partly filled, one for all ranks.
TEST(ClosedFormOnLargeNodes, IsTheEnumeration) {
  const std::vector<int64_t> all = {5, 16, 31, 48, 12, 32, 63, 64};
  for (int64_t ranks : absl::MakeConstSpan(all).first(kIsSanitized ? 4 : all.size())) {
    std::vector<int64_t> ppns;
    for (int64_t ppn = 9; ppn <= ranks + 1; ++ppn) ppns.push_back(ppn);
    CheckAll(ranks, ppns, {24});
  }
}

TEST(ClosedFormAtEveryRoot, IsTheEnumeration) {
  for (const Strategy& strategy : AllVariants()) {
    if (!HasRoot(*strategy.algorithm)) continue;
    for (int64_t ranks : {7, 8, 13, 16}) {
      for (int64_t ppn = 1; ppn <= ranks; ++ppn) {
        for (Placement placement : {Placement::kBlock, Placement::kCyclic}) {
          for (int64_t root = 0; root < ranks; ++root) {
            Check(strategy, {.ranks = ranks,
                             .ppn = ppn,
                             .block_bytes = 4096,
                             .root = root,
                             .placement = placement});
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace cox::strategy
