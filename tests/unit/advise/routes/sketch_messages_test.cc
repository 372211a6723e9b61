#include "advise/routes/sketch_messages.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "advise/pattern.h"
#include "every_model.h"
#include "routes/sketches.h"
#include "strategy/traffic/message_patterns.h"

namespace cox::advise {
namespace {

double TotalBytes(const std::vector<model::Transfer>& messages) {
  double total = 0;
  for (const model::Transfer& message : messages) total += message.bytes;
  return total;
}

// Seconds by hockney, sent directly.
double DirectSeconds(const std::vector<model::Transfer>& messages, int64_t ranks, int64_t ppn) {
  PatternQuestion question;
  question.messages = messages;
  question.scenario.ranks = ranks;
  question.scenario.ppn = ppn;
  question.model = "hockney";
  const auto answer = EvaluatePattern(*EveryModelsMachine(), question);
  EXPECT_TRUE(answer.ok()) << answer.status();
  return answer.ok() ? answer->predictions[0].cost.TotalSeconds() : 0;
}

void ExpectValid(const std::vector<model::Transfer>& messages, int64_t ranks) {
  for (const model::Transfer& message : messages) {
    ASSERT_NE(message.source, message.destination);
    ASSERT_LT(message.destination, ranks);
    ASSERT_GE(message.destination, 0);
  }
}

TEST(SketchMessagesTest, AStencilKeepsItsMessagesAndBytes) {
  const auto stencil = StencilOf(64, {1, 2}, 4096);
  const auto made = MessagesOf(SketchOfMessages(stencil, 64, 4));
  ASSERT_TRUE(made.ok()) << made.status();
  ASSERT_EQ(made->size(), stencil.size());
  EXPECT_DOUBLE_EQ(TotalBytes(*made), TotalBytes(stencil));
  for (const model::Transfer& message : *made) EXPECT_DOUBLE_EQ(message.bytes, 4096);
}

TEST(SketchMessagesTest, CostsWhatThePatternCosts) {
  for (const auto& [ranks, offsets] :
       {std::pair<int64_t, std::vector<int64_t>>{64, {1, 4, 16}}, {96, {1, 12}}, {27, {1, 3, 9}}}) {
    const auto stencil = StencilOf(ranks, offsets, 8192);
    const auto made = MessagesOf(SketchOfMessages(stencil, ranks, 4));
    ASSERT_TRUE(made.ok()) << made.status();
    ExpectValid(*made, ranks);
    const double wanted_s = DirectSeconds(stencil, ranks, 4);
    EXPECT_NEAR(DirectSeconds(*made, ranks, 4), wanted_s, 0.1 * wanted_s) << ranks;
  }
}

TEST(SketchMessagesTest, AnAllToAllReachesEveryRankOnce) {
  const auto all = *strategy::MessagesOf("all-to-all", 48, 100);
  const auto made = MessagesOf(SketchOfMessages(all, 48, 4));
  ASSERT_TRUE(made.ok()) << made.status();
  std::set<std::pair<int64_t, int64_t>> pairs;
  for (const model::Transfer& message : *made) pairs.emplace(message.source, message.destination);
  EXPECT_EQ(pairs.size(), 48U * 47U);
  EXPECT_EQ(made->size(), 48U * 47U);
  EXPECT_NEAR(TotalBytes(*made), TotalBytes(all), 1);
}

// A master sends to everyone, the others answer: the busiest rank must stay much busier.
TEST(SketchMessagesTest, KeepsThatSomeRanksSendMore) {
  std::vector<model::Transfer> messages = *strategy::MessagesOf("one-to-all", 64, 1024);
  for (int64_t rank = 1; rank < 64; ++rank) messages.push_back({rank, 0, 1024});
  const auto made = MessagesOf(SketchOfMessages(messages, 64, 4));
  ASSERT_TRUE(made.ok()) << made.status();
  std::vector<int64_t> sent(64, 0);
  for (const model::Transfer& message : *made) ++sent[static_cast<size_t>(message.source)];
  std::sort(sent.begin(), sent.end());
  EXPECT_GE(sent.back(), 32);
  EXPECT_EQ(sent[32], 1);
}

TEST(SketchMessagesTest, LongAndShortMessagesKeepTheirClasses) {
  std::vector<model::Transfer> messages = StencilOf(32, {1}, 64);
  for (const model::Transfer& message : StencilOf(32, {8}, 1 << 20)) messages.push_back(message);
  const auto made = MessagesOf(SketchOfMessages(messages, 32, 4));
  ASSERT_TRUE(made.ok()) << made.status();
  int64_t short_count = 0;
  for (const model::Transfer& message : *made) short_count += message.bytes < 128 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(short_count), 64, 3);
  EXPECT_NEAR(TotalBytes(*made), TotalBytes(messages), 0.1 * TotalBytes(messages));
}

TEST(SketchMessagesTest, SeveralMessagesForADestination) {
  std::vector<model::Transfer> messages = StencilOf(16, {1}, 512);
  const std::vector<model::Transfer> once = messages;
  messages.insert(messages.end(), once.begin(), once.end());
  const auto made = MessagesOf(SketchOfMessages(messages, 16, 4));
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->size(), messages.size());
}

TEST(SketchMessagesTest, WithoutSamplesOrWithTooManyThereAreNone) {
  domain::PatternSketch empty = SketchOfMessages({}, 16, 4);
  EXPECT_TRUE(absl::IsFailedPrecondition(MessagesOf(empty).status()));
  empty.sampled_count = 0;
  empty.destination_counts.fill(0);
  EXPECT_TRUE(absl::IsFailedPrecondition(MessagesOf(empty).status()));
  domain::PatternSketch large = SketchOfMessages(StencilOf(64, {1}, 8), 64, 4);
  large.key.ranks = 1'000'000;
  EXPECT_TRUE(absl::IsResourceExhausted(MessagesOf(large).status()));
}

// One phase with one message, to 2^38 ranks or more.
TEST(SketchMessagesTest, DestinationsBeyondTheMessagesAreRefused) {
  domain::PatternSketch sketch = SketchOfMessages({}, 300'000, 4);
  sketch.destination_counts.fill(0);
  sketch.destination_counts[39] = sketch.size_counts[1] = sketch.distance_counts[1] = 1;
  const auto made = MessagesOf(sketch);
  EXPECT_TRUE(absl::IsFailedPrecondition(made.status())) << made.status();
}

TEST(SketchMessagesTest, SilentPhasesOfManyRanksAreTooMany) {
  domain::PatternSketch sketch = SketchOfMessages({}, 16, 4);
  sketch.key.ranks = (int64_t{1} << 31) - 1;
  sketch.destination_counts[0] = 1'000'000'000'000;
  sketch.size_counts[1] = sketch.distance_counts[1] = 1;
  const auto made = MessagesOf(sketch);
  EXPECT_TRUE(absl::IsResourceExhausted(made.status())) << made.status();
}

// The phases send to two ranks, by destination_counts; to a millionth of a rank, by
// distance_counts.
TEST(SketchMessagesTest, MessagesBeyondTheDestinationsAreRefused) {
  domain::PatternSketch sketch = SketchOfMessages({}, 100, 4);
  sketch.destination_counts.fill(0);
  sketch.destination_counts[2] = 1'000'000;
  sketch.distance_counts[1] = 1;
  sketch.size_counts[1] = 1'000'000'000;
  const auto made = MessagesOf(sketch);
  EXPECT_TRUE(absl::IsFailedPrecondition(made.status())) << made.status();
}

// A rank that alternates between two of its destinations counts them again. Their messages stay.
TEST(SketchMessagesTest, MoreDestinationsThanRanksAreAllOfThem) {
  domain::PatternSketch sketch = SketchOfMessages({}, 4, 4);
  sketch.destination_counts.fill(0);
  sketch.destination_counts[6] = 4;
  sketch.distance_counts[1] = sketch.size_counts[4] = 4 * 40;
  sketch.total_bytes = 8.0 * 4 * 40;
  const auto made = MessagesOf(sketch);
  ASSERT_TRUE(made.ok()) << made.status();
  ExpectValid(*made, 4);
  EXPECT_EQ(made->size(), 160U);
}

}  // namespace
}  // namespace cox::advise
