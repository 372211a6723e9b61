// What the models say against what their papers print or what follows from their formulas, each
// with its arithmetic. Ids: K alpha-beta (L. V. Kale, S. Kumar, K. Varadarajan, A framework for
// collective personalized communication, 2003), H hyperbolic (I. Stoica, F. Sultan, D. Keyes,
// 1996).
#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "model/model.h"
#include "model/schedule.h"
#include "strategy/catalogue.h"

namespace cox {
namespace {

double Seconds(absl::string_view model_id, const std::vector<double>& values,
               const model::Schedule& schedule) {
  const model::Model& model = **model::FindModel(model_id);
  EXPECT_EQ(values.size(), model.parameters().size());
  return model.Price(values, schedule).TotalSeconds();
}

// A rank on a node of its own for each process, as the papers have it.
model::Schedule Build(absl::string_view name, int64_t ranks, int64_t block_bytes, int64_t ppn = 1) {
  const strategy::Strategy strategy = *strategy::ParseStrategy(name);
  const strategy::Scenario scenario{.collective = strategy.algorithm->collective,
                                    .ranks = ranks,
                                    .ppn = ppn,
                                    .block_bytes = block_bytes};
  EXPECT_TRUE(strategy.algorithm->applies(scenario, strategy.knobs).ok());
  model::Schedule schedule;
  strategy::Build(strategy, scenario, &schedule);
  return schedule;
}

// `messages` of one rank between nodes, together `bytes`, the whole node `node_bytes`.
model::Schedule Messages(double messages, double bytes, double node_bytes = 0) {
  model::Schedule schedule;
  model::Traffic& traffic = schedule.Add().traffic;
  traffic.any = {messages, messages, bytes, bytes, bytes / messages};
  static_cast<model::RankTraffic&>(traffic.network) = traffic.any;
  traffic.network.node_out_bytes = node_bytes;
  return schedule;
}

// Hockney: node alpha and beta (idle here), network alpha and beta, copy, reduce. The example of
// the paper: alpha = 5 us, beta = 3.33 ns per byte.
const std::vector<double> kAlphaBeta = {0, 0, 5e-6, 3.33e-9, 0, 0};

struct AlphaBeta {
  const char* id;
  const char* strategy;
  int64_t ranks;
  int64_t block_bytes;
  double expected_s;
  double tolerance_s;
};

class AlphaBetaGolden : public ::testing::TestWithParam<AlphaBeta> {};

TEST_P(AlphaBetaGolden, IsReproduced) {
  const AlphaBeta& check = GetParam();
  EXPECT_NEAR(Seconds("hockney", kAlphaBeta, Build(check.strategy, check.ranks, check.block_bytes)),
              check.expected_s, check.tolerance_s);
}

INSTANTIATE_TEST_SUITE_P(
    All, AlphaBetaGolden,
    ::testing::Values(
        // 999 (5 us + 100 x 3.33 ns) = 5.327667 ms; the paper prints 5.33 ms.
        AlphaBeta{"K-1", "alltoall/pairwise", 1000, 100, 5.33e-3, 0.005e-3},
        AlphaBeta{"K-1", "alltoall/linear", 1000, 100, 5.327667e-3, 1e-9},
        // Eq. (5), log P (alpha + P/2 m beta) = 10 (5 us + 512 x 76 x 3.33 ns) = 1345.7696 us.
        AlphaBeta{"K-7", "alltoall/bruck", 1024, 76, 1345.7696e-6, 0.001e-6},
        // Eq. (1), 1023 (5 us + 76 x 3.33 ns) = 5373.9008 us.
        AlphaBeta{"K-9", "alltoall/pairwise", 1024, 76, 5373.9008e-6, 0.001e-6},
        // ceil(log2 1000) (alpha + m beta) = 10 (5 us + 1000 x 3.33 ns) = 83.3 us.
        AlphaBeta{"binomial", "bcast/binomial", 1000, 1000, 83.3e-6, 1e-12},
        // 2 log2 P alpha + 2 (P - 1)/P m beta = 20 x 5 us + 2 x 1023/1024 x 2^20 x 3.33 ns.
        AlphaBeta{"rabenseifner", "allreduce/rabenseifner", 1024, 1 << 20, 7076.69632e-6, 1e-9},
        // 2 (P - 1) (alpha + m/P beta) = 2046 (5 us + 1024 x 3.33 ns).
        AlphaBeta{"ring", "allreduce/ring", 1024, 1 << 20, 17206.69632e-6, 1e-9},
        // log2 P alpha + (P - 1) m beta = 10 x 5 us + 1023 x 1000 x 3.33 ns.
        AlphaBeta{"recursive-doubling", "allgather/recursive-doubling", 1024, 1000, 3456.59e-6,
                  1e-9},
        // (p - 2 + segments) (alpha + s beta) = (62 + 16) (5 us + 4096 x 3.33 ns).
        AlphaBeta{"pipeline", "bcast/pipeline?segment=4096", 64, 65536, 1453.89504e-6, 1e-9}));

struct Hyperbola {
  const char* id;
  double bytes;
  double expected;
};

class HyperbolicGolden : public ::testing::TestWithParam<Hyperbola> {};

// T(x; 1, 1) = 1 / (1 + x) + x.
TEST_P(HyperbolicGolden, IsReproduced) {
  const Hyperbola& check = GetParam();
  EXPECT_NEAR(Seconds("hyperbolic", {0, 0, 1, 1, 0, 0}, Messages(1, check.bytes)), check.expected,
              1e-5);
}

INSTANTIATE_TEST_SUITE_P(All, HyperbolicGolden,
                         ::testing::Values(Hyperbola{"H-1.0", 0, 1.0}, Hyperbola{"H-1.1", 1, 1.5},
                                           Hyperbola{"H-1.2", 2, 2.333333},
                                           Hyperbola{"H-1.4", 4, 4.2},
                                           Hyperbola{"H-1.10", 10, 10.090909}));

// Rule 3: three messages of 2 and of 8 bytes together are one of 30 bytes' time through (3 a, b):
// 9 / (3 + 10) + 10 for a = b = 1 and 10 bytes in all.
TEST(HyperbolicRule3, CombinesMessages) {
  EXPECT_NEAR(Seconds("hyperbolic", {0, 0, 1, 1, 0, 0}, Messages(3, 10)), 9.0 / 13 + 10, 1e-12);
}

// Limits: a at no bytes, b x for long messages, b x where a = 0, a where b = 0.
TEST(HyperbolicLimits, AreThoseOfTheFormula) {
  EXPECT_EQ(Seconds("hyperbolic", {0, 0, 35e-3, 53.2e-6, 0, 0}, Messages(1, 0)), 35e-3);
  EXPECT_NEAR(Seconds("hyperbolic", {0, 0, 35e-3, 53.2e-6, 0, 0}, Messages(1, 1e9)), 53.2e3, 1e-4);
  EXPECT_EQ(Seconds("hyperbolic", {0, 0, 0, 2, 0, 0}, Messages(1, 7)), 14);
  EXPECT_EQ(Seconds("hyperbolic", {0, 0, 3, 0, 0, 0}, Messages(1, 7)), 3);
  EXPECT_EQ(Seconds("hyperbolic", {0, 0, 0, 0, 0, 0}, Messages(1, 7)), 0);
}

// T = alpha + k n / min(R_N, k R_C) with R_C = 2 GB/s, R_N = 6 GB/s, alpha = 1 us, n = 1 MB: as
// many as R_N / R_C = 3 ranks of a node send at full rate.
TEST(MaxRateGolden, SharesTheInjectionRate) {
  // Parameters: node alpha, beta, network alpha, beta = 1 / R_C, injection = 1 / R_N, copy, reduce.
  const std::vector<double> values = {0, 0, 1e-6, 1 / 2e9, 1 / 6e9, 0, 0};
  for (double k : {1.0, 2.0, 3.0, 4.0, 16.0}) {
    const double expected_s = 1e-6 + k * 1e6 / std::min(6e9, k * 2e9);
    EXPECT_NEAR(Seconds("max-rate", values, Messages(1, 1e6, k * 1e6)), expected_s, 1e-12) << k;
  }
}

// The same from a strategy: a shift to the next node by 16 ranks of each node, one step of pairwise
// alltoall between two nodes, where every byte of the node crosses.
TEST(MaxRateGolden, SeesTheNodeOfAStrategy) {
  const std::vector<double> values = {0, 0, 0, 1 / 2e9, 1 / 6e9, 0, 0};
  // 1024 ranks, 16 to a node: 2 x 15 near shifts, where a node's ranks send 16 x 1008 - 993 x 16
  // blocks between them, and 993 far ones of 16 blocks each.
  const double near_blocks = (16.0 * 1008 - 993 * 16) / 30;
  const double block_s = 1e6 / 6e9;
  const double near_s = std::max(1e6 / 2e9, near_blocks * block_s);
  const double far_s = 16 * block_s;
  EXPECT_NEAR(Seconds("max-rate", values, Build("alltoall/pairwise", 1024, 1'000'000, 16)),
              30 * near_s + 993 * far_s, 1e-9);
}

// LogGP, one message of k bytes: o + (k - 1) G + L + o. Ours has k G: one byte's time more.
TEST(LogGpGolden, OneMessage) {
  // Parameters: node L, o, g, G, network L, o, g, G, copy, reduce. Of a Meiko CS-2's
  // size: L = 7.5 us, o = 1.7 us, g = 13.6 us, G = 0.03 us.
  const std::vector<double> values = {0, 0, 0, 0, 7.5e-6, 1.7e-6, 13.6e-6, 0.03e-6, 0, 0};
  const double k = 1000;
  const double paper_s = 1.7e-6 + (k - 1) * 0.03e-6 + 7.5e-6 + 1.7e-6;
  EXPECT_NEAR(Seconds("loggp", values, Messages(1, k)), paper_s + 0.03e-6, 1e-12);
}

// LogGP, n short messages out and in of each rank: between two sends at least g passes, of which
// two overheads (a send and a receive) are part: L + 2 n o + (n - 1) (g - 2 o).
TEST(LogGpGolden, ManyShortMessagesWaitForTheGap) {
  const std::vector<double> values = {0, 0, 0, 0, 7.5e-6, 1.7e-6, 13.6e-6, 0, 0, 0};
  EXPECT_NEAR(Seconds("loggp", values, Messages(10, 0)),
              7.5e-6 + 20 * 1.7e-6 + 9 * (13.6e-6 - 2 * 1.7e-6), 1e-12);
  // Where the overheads fill the gap, it costs nothing more.
  const std::vector<double> busy = {0, 0, 0, 0, 7.5e-6, 8e-6, 13.6e-6, 0, 0, 0};
  EXPECT_NEAR(Seconds("loggp", busy, Messages(10, 0)), 7.5e-6 + 20 * 8e-6, 1e-12);
}

}  // namespace
}  // namespace cox
