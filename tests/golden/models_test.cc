// What models say of single phases and of collectives whose cost has a closed form of its own, each
// with its arithmetic; the papers' own numbers are in golden_checks.csv.
#include <algorithm>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "model/schedule.h"
#include "pricing.h"

namespace cox::golden {
namespace {

// `messages` of one rank between nodes, together `bytes`, the whole node `node_bytes`.
model::Schedule Messages(double messages, double bytes, double node_bytes = 0) {
  model::Schedule schedule;
  model::Traffic& traffic = schedule.Add().traffic;
  traffic.any = {messages, messages, bytes, bytes, bytes / messages};
  static_cast<model::RankTraffic&>(traffic.network) = traffic.any;
  traffic.network.node_out_bytes = node_bytes;
  return schedule;
}

// The example of the paper: alpha = 5 us, beta = 3.33 ns per byte.
const NamedValues kAlphaBeta = {{"alpha", 5e-6}, {"beta", 3.33e-9}};

struct Collective {
  const char* id;
  const char* strategy;
  int64_t ranks;
  int64_t block_bytes;
  double expected_s;
  double tolerance_s;
};

class AlphaBetaGolden : public ::testing::TestWithParam<Collective> {};

TEST_P(AlphaBetaGolden, IsReproduced) {
  const Collective& check = GetParam();
  EXPECT_NEAR(
      Price("hockney", kAlphaBeta, ScheduleOf(check.strategy, check.ranks, check.block_bytes)),
      check.expected_s, check.tolerance_s);
}

INSTANTIATE_TEST_SUITE_P(
    All, AlphaBetaGolden,
    ::testing::Values(
        // Eq. (5), log P (alpha + P/2 m beta) = 10 (5 us + 512 x 76 x 3.33 ns) = 1345.7696 us.
        Collective{"bruck", "alltoall/bruck", 1024, 76, 1345.7696e-6, 0.001e-6},
        // ceil(log2 1000) (alpha + m beta) = 10 (5 us + 1000 x 3.33 ns) = 83.3 us.
        Collective{"binomial", "bcast/binomial", 1000, 1000, 83.3e-6, 1e-12},
        // 2 log2 P alpha + 2 (P - 1)/P m beta = 20 x 5 us + 2 x 1023/1024 x 2^20 x 3.33 ns.
        Collective{"rabenseifner", "allreduce/rabenseifner", 1024, 1 << 20, 7076.69632e-6, 1e-9},
        // 2 (P - 1) (alpha + m/P beta) = 2046 (5 us + 1024 x 3.33 ns).
        Collective{"ring", "allreduce/ring", 1024, 1 << 20, 17206.69632e-6, 1e-9},
        // log2 P alpha + (P - 1) m beta = 10 x 5 us + 1023 x 1000 x 3.33 ns.
        Collective{"recursive-doubling", "allgather/recursive-doubling", 1024, 1000, 3456.59e-6,
                   1e-9},
        // (p - 2 + segments) (alpha + s beta) = (62 + 16) (5 us + 4096 x 3.33 ns).
        Collective{"pipeline", "bcast/pipeline?segment=4096", 64, 65536, 1453.89504e-6, 1e-9}));

NamedValues Block(double a, double b) { return {{"a", a}, {"b", b}}; }

// Rule 3: three messages of 2 and of 8 bytes together are one of 30 bytes' time through (3 a, b):
// 9 / (3 + 10) + 10 for a = b = 1 and 10 bytes in all.
TEST(HyperbolicRule3, CombinesMessages) {
  EXPECT_NEAR(Price("hyperbolic", Block(1, 1), Messages(3, 10)), 9.0 / 13 + 10, 1e-12);
}

// Limits: a at no bytes, b x for long messages, b x where a = 0, a where b = 0.
TEST(HyperbolicLimits, AreThoseOfTheFormula) {
  EXPECT_EQ(Price("hyperbolic", Block(35e-3, 53.2e-6), Messages(1, 0)), 35e-3);
  EXPECT_NEAR(Price("hyperbolic", Block(35e-3, 53.2e-6), Messages(1, 1e9)), 53.2e3, 1e-4);
  EXPECT_EQ(Price("hyperbolic", Block(0, 2), Messages(1, 7)), 14);
  EXPECT_EQ(Price("hyperbolic", Block(3, 0), Messages(1, 7)), 3);
  EXPECT_EQ(Price("hyperbolic", Block(0, 0), Messages(1, 7)), 0);
}

// T = alpha + k n / min(R_N, k R_C) with R_C = 2 GB/s, R_N = 6 GB/s, alpha = 1 us, n = 1 MB: as
// many as R_N / R_C = 3 ranks of a node send at full rate.
TEST(MaxRateGolden, SharesTheInjectionRate) {
  // beta = 1 / R_C, injection = 1 / R_N.
  const NamedValues values = {{"alpha", 1e-6}, {"beta", 1 / 2e9}, {"injection", 1 / 6e9}};
  for (double k : {1.0, 2.0, 3.0, 4.0, 16.0}) {
    const double expected_s = 1e-6 + k * 1e6 / std::min(6e9, k * 2e9);
    EXPECT_NEAR(Price("max-rate", values, Messages(1, 1e6, k * 1e6)), expected_s, 1e-12) << k;
  }
}

// The same from a strategy: a shift to the next node by 16 ranks of each node, one step of pairwise
// alltoall between two nodes, where every byte of the node crosses.
TEST(MaxRateGolden, SeesTheNodeOfAStrategy) {
  const NamedValues values = {{"alpha", 0}, {"beta", 1 / 2e9}, {"injection", 1 / 6e9}};
  // 1024 ranks, 16 to a node: 2 x 15 near shifts, where a node's ranks send 16 x 1008 - 993 x 16
  // blocks between them, and 993 far ones of 16 blocks each.
  const double near_blocks = (16.0 * 1008 - 993 * 16) / 30;
  const double block_s = 1e6 / 6e9;
  const double near_s = std::max(1e6 / 2e9, near_blocks * block_s);
  const double far_s = 16 * block_s;
  EXPECT_NEAR(Price("max-rate", values, ScheduleOf("alltoall/pairwise", 1024, 1'000'000, 16)),
              30 * near_s + 993 * far_s, 1e-9);
}

// LogGP, one message of k bytes: o + (k - 1) G + L + o. Ours has k G: one byte's time more.
TEST(LogGpGolden, OneMessage) {
  // Of a Meiko CS-2's size.
  const NamedValues values = {{"L", 7.5e-6}, {"o", 1.7e-6}, {"g", 13.6e-6}, {"G", 0.03e-6}};
  const double k = 1000;
  const double paper_s = 1.7e-6 + (k - 1) * 0.03e-6 + 7.5e-6 + 1.7e-6;
  EXPECT_NEAR(Price("loggp", values, Messages(1, k)), paper_s + 0.03e-6, 1e-12);
}

// LogGP, n short messages out and in of each rank: between two sends at least g passes, of which
// two overheads (a send and a receive) are part: L + 2 n o + (n - 1) (g - 2 o).
TEST(LogGpGolden, ManyShortMessagesWaitForTheGap) {
  const NamedValues values = {{"L", 7.5e-6}, {"o", 1.7e-6}, {"g", 13.6e-6}, {"G", 0}};
  EXPECT_NEAR(Price("loggp", values, Messages(10, 0)),
              7.5e-6 + 20 * 1.7e-6 + 9 * (13.6e-6 - 2 * 1.7e-6), 1e-12);
  // Where the overheads fill the gap, it costs nothing more.
  const NamedValues busy = {{"L", 7.5e-6}, {"o", 8e-6}, {"g", 13.6e-6}, {"G", 0}};
  EXPECT_NEAR(Price("loggp", busy, Messages(10, 0)), 7.5e-6 + 20 * 8e-6, 1e-12);
}

}  // namespace
}  // namespace cox::golden
