#include <cmath>
#include <vector>

#include "domain/errors.h"
#include "gtest/gtest.h"
#include "model/analysis/block_inference.h"

namespace cox::model {
namespace {

// Microseconds, as measured by the paper's authors.
constexpr MachineBlocks kEthernet = {{750, 1.05}, {250, 0.95}};
constexpr MachineBlocks kParagon = {{100, 0.031}, {20, 0.012}};

std::vector<LimitSample> AllToAll(const MachineBlocks& blocks, int64_t from, int64_t to) {
  std::vector<LimitSample> samples;
  for (int64_t n = from; n <= to; ++n) {
    const Block limit = AllToAllBlock(blocks, n);
    samples.push_back({n, limit.a_s, limit.b_s_per_byte});
  }
  return samples;
}

std::vector<LimitSample> Pairs(const MachineBlocks& blocks, int64_t to) {
  std::vector<LimitSample> samples;
  for (int64_t n = 1; n <= to; ++n) {
    const Block limit = PairsBlock(NetworkKind::kMeshRow, blocks, n);
    samples.push_back({n, limit.a_s, limit.b_s_per_byte});
  }
  return samples;
}

void ExpectParameter(const Inference& inference, absl::string_view name, double value,
                     Relation relation) {
  const InferredParameter* parameter = inference.Find(name);
  ASSERT_NE(parameter, nullptr) << name;
  EXPECT_NEAR(parameter->value, value, 1e-9 * std::abs(value)) << name;
  EXPECT_EQ(parameter->relation, relation) << name << " " << RelationName(parameter->relation);
}

TEST(InferSharedMedium, FindsWhatItWasMadeFrom) {
  const Inference inference = *InferSharedMedium(
      HalfRoundTrip(kEthernet), AllToAll(kEthernet, 2, 8), SharedMediumEstimator::kExact);
  ExpectParameter(inference, "a_c", 250, Relation::kEqual);
  ExpectParameter(inference, "a_w", 750, Relation::kEqual);
  ExpectParameter(inference, "b_c", 0.95, Relation::kEqual);
  ExpectParameter(inference, "b_w", 1.05, Relation::kEqual);
  EXPECT_EQ(inference.stopped_at_n, 4);
}

// The paper's estimator is too large by 4 a_w / n and meets its own rule first among eleven.
TEST(InferSharedMedium, ThePapersEstimatorIsBiased) {
  const Inference among_eight = *InferSharedMedium(
      HalfRoundTrip(kEthernet), AllToAll(kEthernet, 2, 8), SharedMediumEstimator::kPaper);
  ExpectParameter(among_eight, "a_c", 625, Relation::kUpperBound);
  ExpectParameter(among_eight, "2 a_w + a_c", 1750, Relation::kSumOnly);
  EXPECT_EQ(among_eight.Find("a_w"), nullptr);
  EXPECT_EQ(among_eight.stopped_at_n, 0);
  const Inference among_twenty = *InferSharedMedium(
      HalfRoundTrip(kEthernet), AllToAll(kEthernet, 2, 20), SharedMediumEstimator::kPaper);
  EXPECT_EQ(among_twenty.stopped_at_n, 11);
  EXPECT_EQ(among_twenty.Find("a_w")->relation, Relation::kEqual);
}

TEST(InferSharedMedium, BoundsAFastWorkstation) {
  const MachineBlocks quick = {{750, 0.5}, {250, 0.95}};
  const Inference inference = *InferSharedMedium(HalfRoundTrip(quick), AllToAll(quick, 3, 8),
                                                 SharedMediumEstimator::kExact);
  ExpectParameter(inference, "b_c", 0.95, Relation::kEqual);
  ExpectParameter(inference, "b_w", 0.95, Relation::kUpperBound);
}

// A wire so quick that the workstations are all that shows among three.
TEST(InferSharedMedium, BoundsAFastWire) {
  const MachineBlocks quick = {{750, 1.05}, {250, 0.1}};
  const Inference inference = *InferSharedMedium(HalfRoundTrip(quick), AllToAll(quick, 3, 3),
                                                 SharedMediumEstimator::kExact);
  ExpectParameter(inference, "b_c", 0.7, Relation::kUpperBound);
  ExpectParameter(inference, "b_w", 1.05, Relation::kEqual);
}

// Among eight the workstations take 2 b_w / 8 = 0.2625 for each message; timings vary by 1 %.
TEST(InferSharedMedium, BoundsAHiddenWireInSpiteOfNoise) {
  const MachineBlocks quick = {{750, 1.05}, {250, 0.1}};
  std::vector<LimitSample> samples = AllToAll(quick, 3, 8);
  for (LimitSample& sample : samples) *sample.b_s_per_byte *= 1.01;
  const Inference inference =
      *InferSharedMedium(HalfRoundTrip(quick), samples, SharedMediumEstimator::kExact);
  ExpectParameter(inference, "b_c", 0.2625 * 1.01, Relation::kUpperBound);
  ExpectParameter(inference, "b_w", 1.05, Relation::kEqual);
}

TEST(InferSharedMedium, KeepsTheSumWhereTheWireIsTooQuick) {
  const std::vector<LimitSample> samples = {{3, 4 * 380.0 - 10, 6 * 0.11}};
  const Inference inference =
      *InferSharedMedium({380, 0.13}, samples, SharedMediumEstimator::kExact);
  ExpectParameter(inference, "2 a_w + a_c", 380, Relation::kSumOnly);
  EXPECT_EQ(inference.Find("a_c"), nullptr);
}

TEST(InferSharedMedium, RefusesWhatSaysNothing) {
  const auto field = [](const Block& half, const std::vector<LimitSample>& samples) {
    return domain::FieldOf(
        InferSharedMedium(half, samples, SharedMediumEstimator::kExact).status());
  };
  EXPECT_EQ(field({1, 1}, {}), "all_to_all");
  EXPECT_EQ(field({1, 1}, AllToAll(kEthernet, 2, 2)), "all_to_all");
  EXPECT_EQ(field({-1, 1}, {}), "half_round_trip.a_s");
  EXPECT_EQ(field({1, std::nan("")}, {}), "half_round_trip.b_s_per_byte");
  EXPECT_EQ(field({1, 1}, {{3, 1, 1}, {3, 1, 1}}), "all_to_all[1].n");
  EXPECT_EQ(field({1, 1}, {{1, 1, 1}}), "all_to_all[0].n");
  EXPECT_EQ(field({1, 1}, {{3, -1, 1}}), "all_to_all[0].a_s");
  EXPECT_EQ(field({1, 1}, {{3, 1, {}}}), "all_to_all");
  EXPECT_EQ(field({1, 1}, {{3, 1e6, 1}}), "all_to_all");  // no time left for the workstation
}

// B(7) = 0.029 inside a frame, B(14) = 0.049 across two: b_l = 8 x 0.049 / 14 = 0.028, close enough
// to the direct measurements; b_p is hidden.
TEST(InferMultistage, ReadsTheSp2) {
  const Inference inference = *InferMultistage(124, {{7, {}, 0.029}}, {{14, {}, 0.049}}, 8);
  ExpectParameter(inference, "2 a_p + a_c", 124, Relation::kSumOnly);
  ExpectParameter(inference, "b_l across frames", 0.028, Relation::kEqual);
  ExpectParameter(inference, "b_l", 0.029, Relation::kEqual);
  ExpectParameter(inference, "b_p", 0.029, Relation::kUpperBound);
}

TEST(InferMultistage, TellsProcessorFromChannel) {
  const Inference slow = *InferMultistage(124, {{7, {}, 0.040}}, {{14, {}, 0.049}}, 8);
  ExpectParameter(slow, "b_l", 0.028, Relation::kEqual);
  ExpectParameter(slow, "b_p", 0.040, Relation::kEqual);
  const Inference inside = *InferMultistage(124, {{7, {}, 0.029}}, {}, 8);
  ExpectParameter(inside, "b_l", 0.029, Relation::kUpperBound);
  ExpectParameter(inside, "b_p", 0.029, Relation::kUpperBound);
  const Inference split = *InferMultistage(100, {{1, 100.0, {}}, {4, 160.0, 0.03}}, {}, 8);
  ExpectParameter(split, "a_c", 20, Relation::kEqual);
  ExpectParameter(split, "a_p", 40, Relation::kEqual);
}

// b_l = 8 x 0.09 / 14 across frames, although no byte inside takes longer than 0.029.
TEST(InferMultistage, SlowChannelsAcrossFramesShowNoneInside) {
  const Inference inference = *InferMultistage(124, {{7, {}, 0.029}}, {{14, {}, 0.09}}, 8);
  ExpectParameter(inference, "b_l across frames", 8 * 0.09 / 14, Relation::kEqual);
  ExpectParameter(inference, "b_l", 0.029, Relation::kUpperBound);
  ExpectParameter(inference, "b_p", 0.029, Relation::kUpperBound);
}

// A start-up that grows by rounding, or by less than the rule that stops, is no slope.
TEST(InferMeshRow, KeepsTheSumWhereTheStartUpDoesNotGrow) {
  for (const double growth : {0.0, 1e-13, 1.0}) {
    std::vector<LimitSample> samples;
    for (int64_t n = 1; n <= 4; ++n) {
      samples.push_back({n, 240 + growth * static_cast<double>(n), 0.031});
    }
    const Inference inference = *InferMeshRow(samples);
    ExpectParameter(inference, "a_p + a_c", 120 + growth / 2, Relation::kSumOnly);
    EXPECT_EQ(inference.Find("a_c"), nullptr) << growth;
  }
}

TEST(InferMultistage, IgnoresPairsThatLeaveChannelsIdle) {
  const Inference idle = *InferMultistage(124, {{7, {}, 0.029}}, {{4, {}, 0.049}}, 8);
  ExpectParameter(idle, "b_l", 0.029, Relation::kUpperBound);
  EXPECT_EQ(idle.Find("b_l across frames"), nullptr);
  const Inference grown =
      *InferMultistage(124, {{7, {}, 0.029}}, {{4, {}, 0.049}, {14, {}, 0.049}}, 8);
  ExpectParameter(grown, "b_l across frames", 0.028, Relation::kEqual);
}

TEST(InferMultistage, RefusesWhatSaysNothing) {
  EXPECT_EQ(domain::FieldOf(InferMultistage(1, {}, {}, 8).status()), "inside");
  EXPECT_EQ(domain::FieldOf(InferMultistage(-1, {}, {}, 8).status()), "half_round_trip_s");
  EXPECT_EQ(domain::FieldOf(InferMultistage(1, {{1, {}, 1}}, {}, 0).status()), "channels");
  EXPECT_EQ(domain::FieldOf(InferMultistage(1, {{1, {}, 1}}, {{0, {}, 1}}, 8).status()),
            "across[0].n");
}

TEST(InferMeshRow, FindsWhatItWasMadeFrom) {
  const Inference inference = *InferMeshRow(Pairs(kParagon, 8));
  ExpectParameter(inference, "a_c", 20, Relation::kEqual);
  ExpectParameter(inference, "a_p", 100, Relation::kEqual);
  ExpectParameter(inference, "b_c", 0.012, Relation::kEqual);
  ExpectParameter(inference, "b_p", 0.031, Relation::kEqual);
  EXPECT_EQ(inference.stopped_at_n, 4);
}

TEST(InferMeshRow, KeepsTheSumAndTheBoundOfOnePair) {
  const Inference inference = *InferMeshRow(Pairs(kParagon, 1));
  ExpectParameter(inference, "a_p + a_c", 120, Relation::kSumOnly);
  ExpectParameter(inference, "b_c", 0.031, Relation::kUpperBound);
  ExpectParameter(inference, "b_p", 0.031, Relation::kUpperBound);
  EXPECT_EQ(inference.stopped_at_n, 0);
}

// One more pair changes B(n) / n by less than 5 % from 21 pairs on, for any network.
TEST(InferMeshRow, BoundsANetworkThatTheProcessorHides) {
  const MachineBlocks quick = {{100, 0.031}, {20, 0.0001}};
  const Inference inference = *InferMeshRow(Pairs(quick, 30));
  ExpectParameter(inference, "b_c", 0.031 / 30, Relation::kUpperBound);
  ExpectParameter(inference, "b_p", 0.031, Relation::kEqual);
  EXPECT_EQ(inference.stopped_at_n, 0);
}

TEST(InferMeshRow, RefusesWhatSaysNothing) {
  EXPECT_EQ(domain::FieldOf(InferMeshRow({}).status()), "pairs");
  EXPECT_EQ(domain::FieldOf(InferMeshRow({{2, 1, 1}}).status()), "pairs");
  EXPECT_EQ(domain::FieldOf(InferMeshRow({{1, 1, {}}}).status()), "pairs");
  EXPECT_EQ(domain::FieldOf(InferMeshRow({{1, 1, 1}, {1, 1, 1}}).status()), "pairs[1].n");
}

TEST(NeighbourExchange, LosesAnEndWhereThereIsNoNeighbour) {
  const auto exchange = [](NetworkKind kind, int64_t n) {
    return *NeighbourExchange(kind, kEthernet, n);
  };
  EXPECT_EQ(exchange(NetworkKind::kSharedMedium, 8), (Block{4750, 7 * 0.95}));
  EXPECT_EQ(exchange(NetworkKind::kSharedMedium, 4), (Block{4 * 750 + 3 * 250, 3 * 0.95}));
  EXPECT_EQ(exchange(NetworkKind::kSharedMedium, 3), (Block{3 * 750 + 2 * 250, 2.1}));
  EXPECT_EQ(exchange(NetworkKind::kSharedMedium, 2), HalfRoundTrip(kEthernet));
  EXPECT_EQ(exchange(NetworkKind::kMultistage, 100), (Block{3250, 2.1}));
  EXPECT_EQ(exchange(NetworkKind::kMultistage, 2), HalfRoundTrip(kEthernet));
  EXPECT_EQ(exchange(NetworkKind::kMeshRow, 5), (Block{3500, 2.1}));
  EXPECT_EQ(exchange(NetworkKind::kMeshRow, 3), (Block{2750, 2.1}));
  EXPECT_EQ(domain::FieldOf(NeighbourExchange(NetworkKind::kMeshRow, kEthernet, 1).status()), "n");
}

}  // namespace
}  // namespace cox::model
