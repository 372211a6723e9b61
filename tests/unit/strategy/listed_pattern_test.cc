// Patterns whose messages differ in size, priced from the list of their messages.
#include <vector>

#include "domain/level.h"
#include "gtest/gtest.h"
#include "model/model.h"
#include "model/models/c3_units.h"
#include "strategy/traffic/message_patterns.h"

namespace cox::strategy {
namespace {

using model::Transfer;

constexpr double kSigma = 2;
constexpr double kEll = 1000;

double Listed(const model::Model& model, const std::vector<double>& values,
              const std::vector<Transfer>& messages, int64_t ranks) {
  model::Schedule schedule;
  EXPECT_TRUE(BuildPattern(messages, {.ranks = ranks}, &schedule).ok());
  const auto cost = model.PriceListed(values, schedule, messages);
  EXPECT_TRUE(cost.has_value()) << model.id();
  return cost->units > 0 ? cost->units : cost->TotalSeconds();
}

double Bpram(const char* id, const std::vector<Transfer>& messages, int64_t ranks) {
  const model::Model& model = **model::FindModel(id);
  std::vector<double> values(model.parameters().size(), 0);
  values[0] = kSigma;
  values[1] = kEll;
  return Listed(model, values, messages, ranks);
}

// Rank 0 sends to 1 and to 2, rank 1 to 3: two steps, of 1000 and of 500 bytes, though no rank has
// more than 1010.
TEST(ListedPattern, EveryStaggeredStepIsAsLongAsItsLongestMessage) {
  const std::vector<Transfer> messages = {{0, 1, 1000}, {0, 2, 10}, {1, 3, 500}};
  EXPECT_DOUBLE_EQ(Bpram("bpram", messages, 4), 2 * kEll + kSigma * (1000 + 500));
  EXPECT_DOUBLE_EQ(Bpram("bpram-1port", messages, 4), 2 * kEll + kSigma * (1000 + 500));
  EXPECT_DOUBLE_EQ(Bpram("bpram-1port", {{0, 1, 100}, {1, 2, 40}}, 4), kEll + kSigma * 140);
}

TEST(ListedPattern, MessagesOfAPairAreStepsOfTheirOwn) {
  const std::vector<Transfer> messages = {{0, 1, 7}, {0, 1, 9}, {2, 3, 8}, {1, 1, 99}};
  EXPECT_DOUBLE_EQ(Bpram("bpram", messages, 4), 2 * kEll + kSigma * (9 + 7));
}

// One rank has three short messages, another a long one: as if equal, they are fewer packets.
TEST(ListedPattern, C3CountsEachMessagesPackets) {
  const model::Model& c3 = **model::FindModel("c3");
  std::vector<double> values;
  for (const model::ParameterSpec& spec : c3.parameters()) {
    values.push_back(spec.name == "l" ? 512 : spec.name == "s" ? 8 : 0);
  }
  const std::vector<Transfer> messages = {{0, 1, 1},   {0, 2, 1}, {0, 3, 5000},
                                          {4, 5, 700}, {5, 4, 1}, {6, 0, 512}};
  model::Schedule schedule;
  ASSERT_TRUE(BuildPattern(messages, {.ranks = 8}, &schedule).ok());
  const model::C3Machine machine{8, 512, 8, schedule.whole().distance_hops,
                                 schedule.whole().bisection_links};
  const auto exact =
      model::CommunicationUnits(model::C3Protocol::kWormholeNonblocking, machine, messages);
  EXPECT_DOUBLE_EQ(Listed(c3, values, messages, 8), exact->Total());
  EXPECT_NE(c3.Price(values, schedule).units, exact->Total());
}

// 0.1 us and 1 ns/B up to 1000 bytes, 5 us and 0.2 ns/B above. All ranks send 100 bytes to each
// other, and one of these messages has 9000: only that message costs more. (Its processor time is
// at most its time.)
TEST(ListedPattern, HockneyTakesEachMessagesOwnPiece) {
  const model::Model& hockney = **model::FindModel("hockney");
  model::ParameterValues values;
  std::vector<size_t> network;  // alpha, beta
  for (const model::ParameterSpec& spec : hockney.parameters()) {
    if (spec.level == domain::Level::kNetwork && network.size() < 2) {
      network.push_back(values.base.size());
    }
    values.base.push_back(spec.name == "alpha_cpu" ? 2e-6 : 1e-9);
  }
  values.base[network[0]] = 1e-7;
  values.pieces = {{network[0], 1000, 5e-6}, {network[1], 1000, 2e-10}};
  std::vector<Transfer> messages = *MessagesOf("all-to-all", 64, 100);
  model::Schedule schedule;
  ASSERT_TRUE(BuildPattern(messages, {.ranks = 64}, &schedule).ok());
  const double alike_s = hockney.Price(values, schedule).TotalSeconds();
  EXPECT_NEAR(alike_s, 63 * (1e-7 + 100e-9), 1e-12);
  EXPECT_NEAR(hockney.PriceListed(values, schedule, messages)->TotalSeconds(), alike_s, 1e-12);

  messages.front().bytes = 9000;
  ASSERT_TRUE(BuildPattern(messages, {.ranks = 64}, &schedule).ok());
  const auto listed = hockney.PriceListed(values, schedule, messages);
  ASSERT_TRUE(listed.has_value());
  const double expected_s = 62 * (1e-7 + 100e-9) + 5e-6 + 9000 * 2e-10;
  EXPECT_NEAR(listed->TotalSeconds(), expected_s, 1e-12);
  EXPECT_NEAR(listed->cpu_s, 62 * (1e-7 + 100e-9) + 2e-6 + 9000 * 2e-10, 1e-12);

  // A list does not say which of these stay in nodes.
  ASSERT_TRUE(BuildPattern(messages, {.ranks = 64, .ppn = 4}, &schedule).ok());
  EXPECT_FALSE(hockney.PriceListed(values, schedule, messages).has_value());
}

// Equal messages, one per rank: the list says what the phase says.
TEST(ListedPattern, OfEqualMessagesCostsWhatItsPhaseCosts) {
  for (const char* pattern : {"shift?by=3", "transpose", "all-to-all"}) {
    const std::vector<Transfer> messages = *MessagesOf(pattern, 16, 700);
    model::Schedule schedule;
    ASSERT_TRUE(BuildPattern(messages, {.ranks = 16}, &schedule).ok());
    for (const char* id : {"bpram", "c3"}) {
      const model::Model& model = **model::FindModel(id);
      const std::vector<double> values(model.parameters().size(), 1);
      const model::Cost phase = model.Price(values, schedule);
      const double expected = phase.units > 0 ? phase.units : phase.TotalSeconds();
      if (pattern[0] == 't' && id[0] == 'b') continue;  // transposing takes many staggered steps
      EXPECT_NEAR(Listed(model, values, messages, 16), expected, 1e-9 * expected) << pattern << id;
    }
  }
}

}  // namespace
}  // namespace cox::strategy
