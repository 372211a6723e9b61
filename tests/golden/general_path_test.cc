// Compares the general path (strategy or kernel, schedule, traffic, model) with the papers' closed
// forms. Comments say by how much the two differ, and why.
#include <cmath>
#include <string>

#include "alpha_beta_forms.h"
#include "bsp_forms.h"
#include "bsp_machines.h"
#include "domain/shape.h"
#include "gtest/gtest.h"
#include "model/analysis/block_inference.h"
#include "model/analysis/blocks.h"
#include "model/analysis/gather_window.h"
#include "model/extent.h"
#include "pricing.h"
#include "strategy/kernels/kernel.h"
#include "strategy/traffic/message_patterns.h"

namespace cox::golden {
namespace {

model::Schedule KernelSchedule(absl::string_view name, absl::string_view variant,
                               const strategy::KernelScenario& scenario) {
  const strategy::Kernel& kernel = **strategy::FindKernel(name, variant);
  EXPECT_TRUE(kernel.applies(scenario).ok()) << name;
  model::Schedule schedule;
  strategy::BuildKernel(kernel, scenario, &schedule);
  return schedule;
}

void ExpectSame(double ours, double papers) { EXPECT_NEAR(ours, papers, 1e-9 * papers); }

class KernelTotals : public ::testing::TestWithParam<const char*> {};

// Tables II to V on 64 processors.
TEST_P(KernelTotals, AreThoseOfThePaper) {
  Machine m = MachineOf(GetParam());
  m.p = 64;
  const int64_t p = 64;
  for (const int64_t n : {256, 1024, 4096}) {
    const auto size = static_cast<double>(n);
    const strategy::KernelScenario matrix = {
        .n = n, .ranks = p, .word_bytes = static_cast<int64_t>(m.word_bytes)};
    strategy::KernelScenario keys = matrix;
    keys.n = n * p;
    keys.largest_bucket = n + 100;
    keys.oversampling = 16;
    ExpectSame(BspUs(m, KernelSchedule("matmul-3d", "", matrix)),
               BspUs(m, MatmulBsp(size, m.p, 2)));
    ExpectSame(BpramUs(m, KernelSchedule("matmul-3d", "", matrix)),
               BpramUs(m, MatmulBpram(size, m.p)));
    ExpectSame(BspUs(m, KernelSchedule("bitonic-sort", "", keys)), BspUs(m, BitonicBsp(size, m.p)));
    ExpectSame(BspUs(m, KernelSchedule("sample-sort", "bsp", keys)),
               BspUs(m, SampleSortBsp(16, size + 100, m.p)));
    ExpectSame(BspUs(m, KernelSchedule("apsp-1", "", matrix)), BspUs(m, Apsp1Bsp(size, m.p)));
    ExpectSame(BspUs(m, KernelSchedule("apsp-2", "", matrix)), BspUs(m, Apsp2Bsp(size, m.p)));
    ExpectSame(BpramUs(m, KernelSchedule("apsp-1", "tree", matrix)),
               BpramUs(m, Apsp1Bpram(size, m.p)));
    ExpectSame(BpramUs(m, KernelSchedule("apsp-2", "tree", matrix)),
               BpramUs(m, Apsp2Bpram(size, m.p)));
    ExpectSame(EBspUs(m, KernelSchedule("apsp-1", "", matrix)), Apsp1EBspUs(m, size));
    ExpectSame(EBspUs(m, KernelSchedule("apsp-2", "", matrix)), Apsp2EBspUs(m, size));
    // A balanced kernel: both models agree.
    ExpectSame(EBspUs(m, KernelSchedule("bitonic-sort", "", keys)),
               BspUs(m, BitonicBsp(size, m.p)));
    ExpectSame(EBspUs(m, KernelSchedule("matmul-3d", "", matrix)),
               BspUs(m, MatmulBsp(size, m.p, 2)));
  }
}

INSTANTIATE_TEST_SUITE_P(TableOne, KernelTotals,
                         ::testing::Values("Paragon", "GCel", "T3E", "CM-5"), [](const auto& info) {
                           return std::string(info.param) == "CM-5" ? "Cm5" : info.param;
                         });

// Table 1 of the hyperbolic paper, n planes on an Ethernet or an FDDI ring: n - 1 messages on the
// wire, of which an inner plane sends one and receives one.
TEST(GeneralPath, PassesPlanesOnAsTableOne) {
  const model::MachineBlocks machines[] = {{{750, 1.05}, {250, 0.95}}, {{380, 0.13}, {5, 0.11}}};
  for (const model::MachineBlocks& blocks : machines) {
    const NamedValues values = {{"a", 2 * blocks.processor.a_s},
                                {"b", blocks.processor.b_s_per_byte},
                                {"a_channel", blocks.network.a_s},
                                {"b_channel", blocks.network.b_s_per_byte},
                                {"half_duplex", 1}};
    for (const int64_t planes : {2, 4, 8}) {
      for (const double bytes : {0.0, 1e3, 1e6}) {
        model::Schedule schedule;
        const auto messages = *strategy::MessagesOf("planes", planes, bytes);
        ASSERT_TRUE(strategy::BuildPattern(messages, {.ranks = planes}, &schedule).ok());
        ExpectSame(Price("hyperbolic", values, schedule),
                   model::BlockSeconds(
                       *model::NeighbourExchange(model::NetworkKind::kSharedMedium, blocks, planes),
                       bytes));
      }
    }
  }
}

// The multigrid solver on the paper's Ethernet: every pass of a plane is one of Table 1.
TEST(GeneralPath, MultigridIsMadeOfTableOne) {
  const model::MachineBlocks blocks = {{750, 1.05}, {250, 0.95}};
  const NamedValues values = {
      {"a", 1500}, {"b", 1.05}, {"a_channel", 250}, {"b_channel", 0.95}, {"half_duplex", 1}};
  for (const int64_t planes : {4, 8}) {
    const model::Block exchange =
        *model::NeighbourExchange(model::NetworkKind::kSharedMedium, blocks, planes);
    double papers_us = model::BlockSeconds(exchange, 8);
    for (const double side : {128, 64, 32, 16, 8, 4, 2}) {
      papers_us += 2 * model::BlockSeconds(exchange, side * side * 8);
    }
    ExpectSame(Price("hyperbolic", values,
                     KernelSchedule("multigrid", "", {.n = 128, .ranks = planes, .word_bytes = 8})),
               papers_us);
  }
}

// Section 2.3: max(g V/p, g' h) + L, where L is no part of the comparison. 64 ranks, words of 4
// bytes; V/p = 128 and h = 1024 words are a superstep of APSP 2 for n = 256.
double SuperstepUs(double g, double l, double g_scatter, double l_scatter) {
  model::Schedule schedule;
  schedule.Clear({64, 1, 1});
  model::Phase& phase = schedule.Add();
  phase.ends_in_barrier = true;
  phase.traffic.network.volume_bytes = 64 * 128 * 4;
  phase.traffic.network.messages_count = phase.traffic.network.pairs_count = 64;
  phase.traffic.network.sends_count = phase.traffic.network.receives_count = 8;
  phase.traffic.network.out_bytes = phase.traffic.network.in_bytes = 1024 * 4;
  phase.traffic.any = phase.traffic.network;
  return 1e6 * Price("e-bsp",
                     {{"g", g * 1e-6 / 4},
                      {"L", l * 1e-6},
                      {"g_scatter", g_scatter * 1e-6 / 4},
                      {"L_scatter", l_scatter * 1e-6}},
                     schedule);
}

TEST(GeneralPath, TakesTheLargerByteTimeBeforeL) {
  ExpectSame(SuperstepUs(172.7, 2.6e5, 87.9, 2.6e5), 87.9 * 1024 + 2.6e5);
  ExpectSame(SuperstepUs(172.7, 2.6e5, 10, 2.6e5), 172.7 * 128 + 2.6e5);
  ExpectSame(SuperstepUs(172.7, 2.6e5, 87.9, 0), 87.9 * 1024);
}

TEST(GeneralPath, PricesWordsAsTheMasPar) {
  const Machine m = MachineOf("MasPar");
  for (const int64_t n : {128, 1024, 2048}) {
    const model::Schedule schedule = KernelSchedule("apsp-1", "words", {.n = n, .ranks = 1024});
    const auto size = static_cast<double>(n);
    ExpectSame(1e6 * Price("mp-bsp", {{"g", m.g * 1e-6 / 4}, {"L", m.l * 1e-6}}, schedule) / size,
               Apsp1MpBspIterationUs(m, size));
    ExpectSame(1e6 *
                   Price("mp-e-bsp", {{"active", 0.84e-6}, {"root", 11.8e-6}, {"base", 73.3e-6}},
                         schedule) /
                   size,
               Apsp1MpEBspIterationUs(size, 1024));
  }
}

// Half duplex: twice the bytes' time of a full permutation (section 5.3).
TEST(GeneralPath, ChargesBothWaysOfASinglePort) {
  const Machine m = MachineOf("Paragon");
  const model::Schedule schedule = KernelSchedule("apsp-2", "tree", {.n = 1024, .ranks = 64});
  Machine slower = m;
  slower.sigma *= 2;
  ExpectSame(
      1e6 * Price("bpram-1port", {{"sigma", m.sigma * 1e-6}, {"ell", m.ell * 1e-6}}, schedule),
      BpramUs(slower, Apsp2Bpram(1024, 64)));
}

// A full mesh: Eqs. (2a), (3a), (5) and (1) exactly.
TEST(GeneralPath, RoutesAsTheEquationsSay) {
  const AlphaBeta example = {5e-6, 3.33e-9};
  const NamedValues values = {{"alpha", example.alpha_s}, {"beta", example.beta_s_per_byte}};
  const auto price = [&values](absl::string_view strategy, int64_t ranks) {
    return Price("hockney", values, ScheduleOf(strategy, ranks, 76));
  };
  for (const int64_t ranks : {64, 4096}) {
    const Personalized x = {static_cast<double>(ranks), 76};
    ExpectSame(price("alltoall/mesh2d", ranks), DimensionsSeconds(example, x, 2));
    ExpectSame(price("alltoall/grid3d", ranks), DimensionsSeconds(example, x, 3));
    ExpectSame(price("alltoall/hypercube", ranks), HypercubeSeconds(example, x, 0));
    ExpectSame(price("alltoall/linear", ranks), DirectSeconds(example, x));
  }
}

// With holes the paper gives bounds: 2 sqrt(P) m beta more than Eq. (2) with the real root, "which
// can be ignored", Eq. (4), and Eq. (6). The actual messages cost less, except on the hypercube:
// Eq. (6) has log P phases and omits the first and the last one, from guests to hosts and back,
// with an alpha and P - 1 blocks each. Nor do they cost much less: a tenth, and on the grid, whose
// last plane may be nearly empty, a fifth.
TEST(GeneralPath, StaysBelowTheBoundsForHoles) {
  const AlphaBeta example = {5e-6, 3.33e-9};
  const NamedValues values = {{"alpha", example.alpha_s}, {"beta", example.beta_s_per_byte}};
  for (const int64_t ranks : {1000, 1030, 2047, 3000}) {
    const Personalized x = {static_cast<double>(ranks), 76};
    const auto price = [&](absl::string_view strategy) {
      return Price("hockney", values, ScheduleOf(strategy, ranks, 76));
    };
    EXPECT_LE(price("alltoall/mesh2d"),
              LargeDimensionsSeconds(example, x, 2) + 2 * std::sqrt(x.processors) * 76 * 3.33e-9)
        << ranks;
    EXPECT_GE(price("alltoall/mesh2d"), 0.9 * LargeDimensionsSeconds(example, x, 2)) << ranks;
    EXPECT_GE(price("alltoall/grid3d"), 0.8 * LargeDimensionsSeconds(example, x, 3)) << ranks;
    EXPECT_GE(price("alltoall/hypercube"), 0.9 * HypercubeSeconds(example, x, 0)) << ranks;
    EXPECT_LE(price("alltoall/grid3d"), GridWithHolesSeconds(example, x, 1)) << ranks;
    EXPECT_LE(price("alltoall/hypercube"), HypercubeSeconds(example, x, 1) +
                                               2 * DirectSeconds({0, example.beta_s_per_byte}, x) +
                                               2 * example.alpha_s)
        << ranks;
  }
}

// Communication units of a strategy on a mesh of 16 x 16 with the Delta's packets and set-up.
double UnitsOnMesh(absl::string_view strategy, int64_t block_bytes) {
  const domain::Shape mesh = {domain::Topology::kMesh, {16, 16}};
  return Price("c3", {{"unit_time", 1}, {"s", 8}, {"l", 512}},
               ScheduleOf(strategy, 256, block_bytes, 1, &mesh));
}

// Figure 2 from the strategies: stars and everything at once.
TEST(GeneralPath, CountsUnitsAsFigureTwo) {
  const double h = 32.0 / 3;
  EXPECT_NEAR(UnitsOnMesh("scatter/linear", 512), 255 * 9 + h + 16 + h, 1e-9);
  EXPECT_NEAR(UnitsOnMesh("gather/linear", 512), 255 + 16 + h, 1e-9);
  EXPECT_NEAR(UnitsOnMesh("alltoall/linear", 512), 255 * 9 + h + 255 + 4080 + 255 * h, 1e-9);
}

// Figure 3 from the strategies, per byte (its trees are C3-9b and C3-12b of golden_checks.csv). The
// paper's simplified forms have p for p - 1 and truncate h: they are up to 5 % above.
TEST(GeneralPath, CountsUnitsAsFigureThree) {
  const auto per_packet = [](absl::string_view name) {
    return UnitsOnMesh(name, 1024) - UnitsOnMesh(name, 512);
  };
  const double direct = per_packet("scatter/linear");
  const double two_levels = per_packet("scatter/2-lev-rec");
  const double three_levels = per_packet("scatter/3-lev-sq");
  EXPECT_NEAR(direct, 255 + 16 + 32.0 / 3, 1e-9);
  EXPECT_NEAR(two_levels, (16 + 1) * (15 + 15 + 16.0 / 3), 1e-9);
  EXPECT_NEAR(three_levels, 16 * (15 + 1 + 32.0 / 3) + (4 + 1) * (3 + 3 + 4.0 / 3), 1e-9);
  EXPECT_NEAR(direct / 512, 0.55, 0.05 * 0.55);
  EXPECT_NEAR(two_levels / 512, 1.23, 0.05 * 1.23);
  EXPECT_NEAR(three_levels / 512, 0.93, 0.05 * 0.93);
}

// Eq. (1) of the cluster paper is the binomial tree's price, round by round. Packets of one byte.
TEST(GeneralPath, BroadcastsAsThePostalEquationSays) {
  const model::PacketPath path = {0, 3, 0, 0, 0};
  for (const int64_t ranks : {2, 16, 100}) {
    for (const int64_t packets : {1, 4, 100}) {
      EXPECT_NEAR(Price("postal", {{"lambda", 3}, {"g", 1}, {"packet", 1}},
                        ScheduleOf("bcast/binomial", ranks, packets)),
                  *model::PostalBroadcastSeconds(path, 1, ranks, packets), 1e-9);
    }
  }
}

// Eq. (8), with everything sent at once: the receiver's packets pass one every g_r. In us, the
// parameters of Table 1 at 1500 bytes.
TEST(GeneralPath, GathersAsTheLowerBoundSays) {
  const NamedValues values = {
      {"O_s", 44.32},     {"g_s", 122.427},       {"g_r", 123.186},          {"L", 16.684},
      {"L_byte", 0.0826}, {"L_processor", 1.556}, {"switch_byte", 1 / 90.0}, {"O_r", 76.526},
      {"U_r", 9.93},      {"packet", 1500}};
  const double transfer_us = 1.556 * 16 + 16.684 + 0.0826 * 1500 * (16 * 1500 / (90 * 122.427));
  const model::PacketPath path = {44.32, transfer_us, 76.526, 9.93, 0};
  for (const int64_t packets : {1, 44, 700}) {
    const double bound_us = *model::GatherLeastSeconds({122.427, 123.186, 1935}, path, 15, packets);
    EXPECT_NEAR(Price("cluster", values, ScheduleOf("gather/linear", 16, 1500 * packets)), bound_us,
                1e-9 * bound_us);
  }
}

// The same parameters: Eq. (2) for a message of many packets.
TEST(GeneralPath, BroadcastsAsTheClusterEquationSays) {
  const NamedValues values = {{"O_s", 44.32},
                              {"g_s", 122.427},
                              {"g_r", 123.186},
                              {"L", 16.684},
                              {"L_byte", 0.0826},
                              {"L_processor", 1.556},
                              {"switch_byte", 1 / 90.0},
                              {"O_r", 76.526},
                              {"U_r", 9.93},
                              {"packet", 1500},
                              {"B_L", 1935}};
  for (const int64_t ranks : {4, 8, 16}) {
    const auto p = static_cast<double>(ranks);
    const double load = std::max(1.0, p * 1500 / (90 * 122.427));
    const model::PacketPath path = {44.32, 1.556 * p + 16.684 + 0.0826 * 1500 * load, 76.526, 9.93,
                                    0};
    for (const int64_t packets : {1, 100}) {
      const double papers_us = *model::ClusterBroadcastSeconds(path, 122.427, ranks, packets);
      EXPECT_NEAR(Price("cluster", values, ScheduleOf("bcast/binomial", ranks, 1500 * packets)),
                  papers_us, 1e-9 * papers_us);
      if (ranks == 16 && packets == 100) {
        EXPECT_NEAR(papers_us, 46688.89, 0.01);
      }
    }
  }
}

// 15 senders of 700 packets overrun the buffer of 1935 packets (Eq. (6) allows 3), 3 do not.
TEST(GeneralPath, AWindowAvoidsTheCostOfLoss) {
  NamedValues values = {{"O_s", 44.32},  {"g_s", 122.427},   {"g_r", 123.186},
                        {"L", 16.684},   {"L_byte", 0.0826}, {"L_processor", 1.556},
                        {"O_r", 76.526}, {"U_r", 9.93},      {"packet", 1500}};
  const auto price = [&](absl::string_view strategy, int64_t packets) {
    return Price("cluster", values, ScheduleOf(strategy, 16, 1500 * packets));
  };
  const double lossless_us = price("gather/linear", 700);
  values.push_back({"B_L", 1935});
  EXPECT_GT(price("gather/linear", 700), lossless_us);
  EXPECT_LT(price("gather/windowed?window=3", 700), price("gather/linear", 700));
  EXPECT_LT(price("gather/linear", 100), price("gather/windowed?window=3", 100)) << "all fit";
}

}  // namespace
}  // namespace cox::golden
