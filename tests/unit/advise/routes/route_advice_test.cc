#include "advise/routes/route_advice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "domain/errors.h"
#include "every_model.h"
#include "machines.h"
#include "routes/sketches.h"
#include "strategy/traffic/message_patterns.h"

namespace cox::advise {
namespace {

// Start-ups of 63 us and 5 ns a byte, the processor busy for `cpu_s` of a start-up.
MachinePointer SlowStarts(double cpu_s = 0) {
  domain::Profile profile = learn::HockneyProfile(63e-6, 5e-9, 63e-6, 5e-9);
  if (cpu_s > 0) {
    for (const domain::Level level : {domain::Level::kNode, domain::Level::kNetwork}) {
      profile.Set(learn::MakeParameter("hockney", level, "alpha_cpu", cpu_s, 0));
      profile.Set(learn::MakeParameter("hockney", level, "beta_cpu", 1e-10, 0));
    }
  }
  return MachineWith({}, profile);
}

domain::PatternSketch AllToAll(int64_t ranks, double bytes) {
  return SketchOfMessages(*strategy::MessagesOf("all-to-all", ranks, bytes), ranks, 4);
}

absl::StatusOr<RouteAdvice> Advise(const MachinePointer& machine,
                                   const domain::PatternSketch& sketch,
                                   Objective objective = Objective::kCompletion) {
  RouteQuestion question;
  question.sketch = &sketch;
  question.objective = objective;
  question.model = "hockney";
  return AdviseRoute(*machine, question);
}

TEST(RouteAdviceTest, CombinesManyShortMessages) {
  const auto advice = Advise(SlowStarts(), AllToAll(64, 64));
  ASSERT_TRUE(advice.ok()) << advice.status();
  EXPECT_NE(advice->route, "direct");
  EXPECT_EQ(advice->route, advice->predictions.front().strategy);
  EXPECT_NE(advice->reason.find("less time than direct"), std::string::npos) << advice->reason;
  for (size_t i = 1; i < advice->predictions.size(); ++i) {
    EXPECT_LE(advice->predictions[i - 1].cost.TotalSeconds(),
              advice->predictions[i].cost.TotalSeconds());
  }
}

TEST(RouteAdviceTest, SendsFewLongMessagesDirectly) {
  const auto advice = Advise(SlowStarts(), SketchOfMessages(StencilOf(64, {1, 8}, 1 << 20), 64, 4));
  ASSERT_TRUE(advice.ok()) << advice.status();
  EXPECT_EQ(advice->route, "direct");
}

// Figure 8 against Figure 4 of the paper: what takes the least time need not take the least
// processor time. Here a byte costs the network much and the processor nothing.
TEST(RouteAdviceTest, TheObjectiveDecides) {
  const MachinePointer machine = SlowStarts(60e-6);
  const domain::PatternSketch sketch = AllToAll(64, 32'768);
  const auto completion = Advise(machine, sketch);
  const auto processor = Advise(machine, sketch, Objective::kProcessor);
  ASSERT_TRUE(completion.ok()) << completion.status();
  ASSERT_TRUE(processor.ok()) << processor.status();
  EXPECT_EQ(completion->route, "direct");
  EXPECT_NE(processor->route, "direct");
  EXPECT_NE(processor->reason.find("processor time"), std::string::npos) << processor->reason;
}

TEST(RouteAdviceTest, WithoutProcessorTimeSaysWhatIsMissing) {
  const auto advice = Advise(SlowStarts(), AllToAll(16, 64), Objective::kProcessor);
  EXPECT_TRUE(absl::IsFailedPrecondition(advice.status()));
  EXPECT_NE(advice.status().message().find("alpha_cpu"), std::string::npos);
}

TEST(RouteAdviceTest, OneModelHasProcessorTime) {
  const domain::PatternSketch sketch = AllToAll(16, 64);
  RouteQuestion question;
  question.sketch = &sketch;
  question.objective = Objective::kProcessor;
  question.model = "logp";
  const auto advice = AdviseRoute(*EveryModelsMachine(), question);
  EXPECT_TRUE(absl::IsFailedPrecondition(advice.status()));
  EXPECT_EQ(advice.status().message(), "model logp has no processor time; hockney has");
}

TEST(RouteAdviceTest, TakesOneModel) {
  const domain::PatternSketch sketch = AllToAll(16, 64);
  RouteQuestion question;
  question.sketch = &sketch;
  question.model = "all";
  EXPECT_EQ(domain::FieldOf(AdviseRoute(*SlowStarts(), question).status()), "model");
}

// 1024 ranks have more messages than are listed; an all-to-all of equal blocks needs no list.
TEST(RouteAdviceTest, LargeAllToAllsCostWhatSmallerListsSuggest) {
  domain::PatternSketch large = AllToAll(64, 64);
  large.key.ranks = 1024;
  large.key.nodes = 256;
  for (domain::PatternCounts* counts :
       {&large.destination_counts, &large.size_counts, &large.distance_counts}) {
    counts->fill(0);
  }
  large.destination_counts[10] = 1;
  large.size_counts[7] = 1023;
  large.distance_counts[9] = 1023;
  large.total_bytes = 1023 * 64;
  const auto advice = Advise(SlowStarts(), large);
  ASSERT_TRUE(advice.ok()) << advice.status();
  EXPECT_NE(advice->route, "direct");
  EXPECT_TRUE(advice->grains.empty());
  for (const Prediction& one : advice->predictions) {
    if (one.strategy != "direct") continue;
    // 1023 start-ups and 64 KB.
    EXPECT_NEAR(one.cost.TotalSeconds(), 1023 * (63e-6 + 64 * 5e-9), 0.02 * 1023 * 63e-6);
  }
}

// More messages than are listed, and no all-to-all.
TEST(RouteAdviceTest, OtherLargePatternsHaveNoAnswer) {
  domain::PatternSketch often = AllToAll(2, 8);
  for (domain::PatternCounts* counts : {&often.destination_counts, &often.distance_counts}) {
    (*counts)[1] = 2;
  }
  often.size_counts[4] = 2 * 200'000;
  often.total_bytes = 8.0 * 2 * 200'000;
  EXPECT_TRUE(absl::IsResourceExhausted(Advise(SlowStarts(), often).status()));

  domain::PatternSketch half = AllToAll(64, 64);
  half.key.ranks = 2048;
  half.key.nodes = 512;
  for (domain::PatternCounts* counts :
       {&half.destination_counts, &half.size_counts, &half.distance_counts}) {
    counts->fill(0);
  }
  half.destination_counts[11] = 1;
  half.size_counts[7] = half.distance_counts[10] = 1100;
  half.total_bytes = 1100 * 64;
  EXPECT_TRUE(absl::IsResourceExhausted(Advise(SlowStarts(), half).status()));
}

TEST(RouteAdviceTest, AnyNumberOfBytesIsPriced) {
  domain::PatternSketch large = AllToAll(2, 8);
  large.key.ranks = 1024;
  large.key.nodes = 256;
  for (domain::PatternCounts* counts :
       {&large.destination_counts, &large.size_counts, &large.distance_counts}) {
    counts->fill(0);
  }
  large.destination_counts[10] = 1;
  large.size_counts[39] = large.distance_counts[9] = 1023;
  large.total_bytes = 1e24;
  const auto advice = Advise(SlowStarts(), large);
  ASSERT_TRUE(advice.ok()) << advice.status();
  for (const Prediction& one : advice->predictions) {
    EXPECT_GT(one.cost.TotalSeconds(), 1e9) << one.strategy;
  }
}

TEST(RouteAdviceTest, HidesWhatTheProcessorNeedNotDo) {
  domain::PatternSketch sketch = SketchOfMessages(StencilOf(64, {1, 8}, 1 << 20), 64, 1);
  sketch.timed_count = 10;
  sketch.between_s = 10 * 0.1;  // much more work than communication
  const MachinePointer machine = SlowStarts(5e-6);
  const auto advice = Advise(machine, sketch);
  ASSERT_TRUE(advice.ok()) << advice.status();
  ASSERT_GE(advice->grains.size(), 5U);
  const Grain& one = advice->grains[0];
  EXPECT_EQ(one.block_count, 1);
  EXPECT_EQ(one.hidden_share, 0);
  EXPECT_NEAR(one.phase_s, 0.1 + one.communication_s, 1e-12);
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_GT(advice->grains[i].hidden_share, advice->grains[i - 1].hidden_share);
    EXPECT_LT(advice->grains[i].phase_s, advice->grains[i - 1].phase_s);
  }
  EXPECT_GT(BestGrain(advice->grains).block_count, 1);
  // With two blocks, half of what travels stays exposed.
  const double busy_s = 8 * 5e-6 + 4.0 * (1 << 20) * 1e-10;
  const double travel_s = advice->grains[1].communication_s - busy_s;
  EXPECT_NEAR(advice->grains[1].phase_s, 0.1 + busy_s + travel_s / 2, 0.02 * travel_s);
}

// One block is what `direct` sends, so both have one price, by every model.
TEST(RouteAdviceTest, OneBlockCostsWhatDirectCosts) {
  std::vector<model::Transfer> messages = StencilOf(64, {1, 2}, 100);
  for (size_t i = 0; i < messages.size(); i += 4) messages[i].bytes = 100'000;
  domain::PatternSketch sketch = SketchOfMessages(messages, 64, 1);
  sketch.timed_count = 10;
  sketch.between_s = 10 * 1e-3;
  RouteQuestion question;
  question.sketch = &sketch;
  const MachinePointer machine = EveryModelsMachine();
  for (const model::Model* const model : model::Models()) {
    question.model = std::string(model->id());
    const auto advice = AdviseRoute(*machine, question);
    ASSERT_TRUE(advice.ok()) << advice.status();
    ASSERT_FALSE(advice->grains.empty()) << question.model;
    for (const Prediction& one : advice->predictions) {
      if (one.strategy != "direct") continue;
      EXPECT_DOUBLE_EQ(advice->grains[0].communication_s, one.cost.TotalSeconds())
          << question.model;
    }
  }
}

// Work takes seconds, which units are not.
TEST(RouteAdviceTest, UnitsHaveNoBlocks) {
  domain::Profile profile = KnownProfile();
  for (const auto& [name, value] : {std::pair("l", 512.0), std::pair("s", 8.0)}) {
    profile.Set(learn::MakeParameter("c3", domain::Level::kNetwork, name, value));
  }
  domain::PatternSketch sketch = AllToAll(16, 100);
  sketch.timed_count = 10;
  sketch.between_s = 10 * 1e-3;
  RouteQuestion question;
  question.sketch = &sketch;
  question.model = "c3";
  const auto advice = AdviseRoute(*MachineWith({}, profile), question);
  ASSERT_TRUE(advice.ok()) << advice.status();
  EXPECT_GT(advice->predictions.front().cost.units, 0);
  EXPECT_TRUE(advice->grains.empty());
}

TEST(RouteAdviceTest, BlocksThatOnlyAddStartUpsAreNotBest) {
  domain::PatternSketch sketch = SketchOfMessages(StencilOf(64, {1, 8}, 8), 64, 4);
  sketch.timed_count = 10;
  sketch.between_s = 10 * 1e-3;
  // The processor does nearly all of a start-up.
  const auto advice = Advise(SlowStarts(62e-6), sketch);
  ASSERT_TRUE(advice.ok()) << advice.status();
  EXPECT_EQ(BestGrain(advice->grains).block_count, 1);
}

}  // namespace
}  // namespace cox::advise
