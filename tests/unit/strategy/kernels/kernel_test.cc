#include "strategy/kernels/kernel.h"

#include <cmath>
#include <limits>
#include <string>

#include "domain/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace cox::strategy {
namespace {

using ::testing::HasSubstr;

// What the paper's Tables II to V count: words of the busiest rank (H, M), supersteps (S) and
// messages of the busiest rank (R).
struct Totals {
  double words = 0;
  double supersteps = 0;
  double messages = 0;
  double volume = 0;
  double operations = 0;
};

Totals TotalsOf(const model::Schedule& schedule, double word_bytes) {
  Totals totals;
  for (const model::Phase& phase : schedule) {
    const model::RankTraffic& any = phase.traffic.any;
    totals.words += phase.times * std::max(any.out_bytes, any.in_bytes) / word_bytes;
    totals.messages += phase.times * std::max(any.sends_count, any.receives_count);
    totals.volume += phase.times * phase.traffic.network.volume_bytes / word_bytes;
    totals.operations += phase.times * phase.work.operations;
    if (phase.ends_in_barrier) totals.supersteps += phase.times;
  }
  return totals;
}

model::Schedule Build(absl::string_view name, absl::string_view variant,
                      const KernelScenario& scenario) {
  const Kernel& kernel = **FindKernel(name, variant);
  EXPECT_TRUE(Validate(scenario).ok()) << name;
  EXPECT_TRUE(kernel.applies(scenario).ok()) << name << kernel.applies(scenario);
  model::Schedule schedule;
  BuildKernel(kernel, scenario, &schedule);
  return schedule;
}

Totals TotalsOf(absl::string_view name, absl::string_view variant, const KernelScenario& scenario) {
  return TotalsOf(Build(name, variant, scenario), static_cast<double>(scenario.word_bytes));
}

TEST(Kernels, MatmulMovesWhatTableTwoSays) {
  for (const int64_t q : {2, 3, 4, 10}) {
    const int64_t p = q * q * q;
    const auto n = static_cast<double>(q * q * 5);
    const Totals totals = TotalsOf("matmul-3d", "", {.n = q * q * 5, .ranks = p, .word_bytes = 8});
    const auto side = static_cast<double>(q);
    EXPECT_NEAR(totals.words, 3 * n * n / (side * side), 1e-6);
    EXPECT_EQ(totals.supersteps, 2);
    EXPECT_EQ(totals.messages, 3 * side);
    EXPECT_NEAR(totals.operations, 2 * n * n * n / static_cast<double>(p), 1e-6);
    EXPECT_EQ(TotalsOf("matmul-3d", "unbuffered", {.n = q * q * 5, .ranks = p}).supersteps, 3);
  }
}

// The short-message programs of section 6: as many words and supersteps, a message for each word.
TEST(Kernels, WordsAreSentOneByOne) {
  const KernelScenario cube = {.n = 64, .ranks = 64};
  const Totals blocks = TotalsOf("matmul-3d", "", cube);
  const Totals words = TotalsOf("matmul-3d", "words", cube);
  EXPECT_EQ(words.words, blocks.words);
  EXPECT_EQ(words.volume, blocks.volume);
  EXPECT_EQ(words.supersteps, blocks.supersteps);
  EXPECT_EQ(words.messages, words.words);

  const KernelScenario keys = {.n = 64 * 640, .ranks = 64, .word_bytes = 8};
  const Totals sorted = TotalsOf("bitonic-sort", "words", keys);
  EXPECT_EQ(sorted.messages, 21 * 640);
  EXPECT_EQ(sorted.words, TotalsOf("bitonic-sort", "", keys).words);

  // 10 keys of 8 bytes for each bucket: 10 messages, or 3 of 32 bytes.
  const Totals one_by_one = TotalsOf("sample-sort", "words", keys);
  const Totals packed = TotalsOf("sample-sort", "32-bytes", keys);
  EXPECT_EQ(one_by_one.messages - packed.messages, 640 - 64 * 3);
  EXPECT_EQ(one_by_one.words, packed.words);
  EXPECT_EQ(one_by_one.operations, TotalsOf("sample-sort", "ssdr", keys).operations);
}

TEST(Kernels, CannonRotatesBlocks) {
  const Totals totals = TotalsOf("matmul-cannon", "", {.n = 100, .ranks = 25});
  EXPECT_EQ(totals.messages, 2 * 5);
  EXPECT_EQ(totals.words, 2 * 5 * 400);
  EXPECT_EQ(totals.supersteps, 5);
  EXPECT_EQ(totals.volume, 400 * (2 * 20 + 4 * 50));
  EXPECT_NEAR(totals.operations, 2 * 1e6 / 25, 1e-6);
}

TEST(Kernels, BitonicSortExchangesAsTableThreeSays) {
  for (const int64_t d : {1, 3, 6, 10}) {
    const int64_t p = int64_t{1} << d;
    const Totals totals = TotalsOf("bitonic-sort", "", {.n = 1024 * p, .ranks = p});
    const auto steps = static_cast<double>(d) * static_cast<double>(d + 1) / 2;
    EXPECT_EQ(totals.words, steps * 1024);
    EXPECT_EQ(totals.supersteps, steps);
    EXPECT_EQ(totals.messages, steps);
    EXPECT_EQ(totals.operations, steps * 1024 + 4 * (256 + 1024));
  }
}

// H = (p - 1) s + 2 p - 3 + b_max, S = 4.
TEST(Kernels, SampleSortMovesWhatTableFourSays) {
  const KernelScenario scenario = {
      .n = 65536, .ranks = 64, .oversampling = 32, .largest_bucket = 1200};
  const Totals totals = TotalsOf("sample-sort", "bsp", scenario);
  EXPECT_EQ(totals.words, 3341);
  EXPECT_EQ(totals.supersteps, 4);
  EXPECT_EQ(totals.operations, 4 * (256 + 32 * 64) + 4 * (256 + 1024) + 4 * (256 + 1200.0));
  EXPECT_EQ(TotalsOf("sample-sort", "bsp", {.n = 2, .ranks = 2}).supersteps, 4);
}

// M = (p - 1) (s + log p + m_avg), R = 2 (p - 1 + log p); with a butterfly
// M = (p - 1) (s + log p) + log p m_avg, R = 4 log p.
TEST(Kernels, SampleSortByTreesMovesWhatTableFourSays) {
  for (const int64_t d : {1, 2, 5, 9}) {
    const int64_t p = int64_t{1} << d;
    const auto ranks = static_cast<double>(p);
    const auto log_p = static_cast<double>(d);
    const KernelScenario scenario = {.n = 64 * p * p, .ranks = p, .oversampling = 8};
    const double keys = 64 * ranks;
    const Totals direct = TotalsOf("sample-sort", "ssdr", scenario);
    EXPECT_NEAR(direct.words, (ranks - 1) * (8 + log_p + keys / ranks), 1e-6);
    EXPECT_EQ(direct.messages, 2 * (ranks - 1 + log_p));
    const Totals butterfly = TotalsOf("sample-sort", "ssbr", scenario);
    EXPECT_NEAR(butterfly.words, (ranks - 1) * (8 + log_p) + log_p * keys / 2, 1e-6);
    EXPECT_EQ(butterfly.messages, 4 * log_p);
  }
}

// Up the tree, s words of every rank but one pass a last time into a rank that holds them.
TEST(Kernels, SampleTreeCollectsFromAnyNumberOfRanks) {
  for (const int64_t p : {2, 3, 5, 6, 7, 12, 100}) {
    const model::Schedule schedule =
        Build("sample-sort", "ssdr", {.n = p, .ranks = p, .word_bytes = 1, .oversampling = 3});
    double messages = 0, to_root = 0;
    for (size_t i = 1; i < schedule.size() && schedule[i].times == 1 && i < schedule.size() - 2;
         ++i) {
      messages += schedule[i].traffic.network.messages_count;
      to_root += schedule[i].traffic.any.in_bytes;
      EXPECT_TRUE(schedule[i].traffic.disjoint);
    }
    EXPECT_EQ(messages, static_cast<double>(p - 1)) << p;
    EXPECT_EQ(to_root, static_cast<double>(3 * (p - 1))) << p;
  }
}

// M = (sqrt p - 1) (m1 + m2) + s log p (log p + 1) + 2 sqrt p - 2 + 0.5 log p,
// R = 4 sqrt p - 4 + log p (log p + 1) + 1.5 log p.
TEST(Kernels, SampleSortInGroupsMovesWhatTableFourSays) {
  for (const int64_t d : {2, 6, 10}) {
    const int64_t p = int64_t{1} << d;
    const double side = std::sqrt(static_cast<double>(p));
    const auto log_p = static_cast<double>(d);
    const Totals totals =
        TotalsOf("sample-sort", "maspar", {.n = 512 * p, .ranks = p, .oversampling = 16});
    EXPECT_NEAR(totals.words,
                (side - 1) * 2 * 512 / side + 16 * log_p * (log_p + 1) + 2 * side - 2 + log_p / 2,
                1e-6);
    EXPECT_EQ(totals.messages, 4 * side - 4 + log_p * (log_p + 1) + 1.5 * log_p);
  }
}

TEST(Kernels, ShortestPathsMoveWhatTableFiveSays) {
  for (const int64_t side : {2, 4, 8}) {
    const int64_t p = side * side;
    const KernelScenario scenario = {.n = 16 * p, .ranks = p};
    const auto n = static_cast<double>(scenario.n);
    const auto root = static_cast<double>(side);
    const double log_p = 2 * std::log2(root);
    const Totals rows = TotalsOf("apsp-1", "", scenario);
    EXPECT_NEAR(rows.words, 4 * n * n / root, 1e-6);
    EXPECT_EQ(rows.supersteps, 2 * n);
    const Totals tree = TotalsOf("apsp-1", "tree", scenario);
    EXPECT_NEAR(tree.words, log_p * n * n / root, 1e-6);
    EXPECT_NEAR(tree.messages, n * log_p, 1e-6);
    const Totals blocks = TotalsOf("apsp-2", "", scenario);
    EXPECT_NEAR(blocks.words, 6 * n * n / root, 1e-6);
    EXPECT_EQ(blocks.supersteps, 6 * root);
    const Totals block_tree = TotalsOf("apsp-2", "tree", scenario);
    EXPECT_NEAR(block_tree.words, 2 * log_p * n * n / root, 1e-6);
    EXPECT_NEAR(block_tree.messages, 2 * root * log_p, 1e-6);
    for (const Totals& totals : {rows, tree, blocks, block_tree}) {
      EXPECT_NEAR(totals.operations, n * n * n / static_cast<double>(p), 1e-3);
    }
  }
}

// 4 n / sqrt p + 2 log(p / n) words in each of n iterations.
TEST(Kernels, ShortestPathsWordByWordDoubleWhereVerticesAreFew) {
  const Totals totals = TotalsOf("apsp-1", "words", {.n = 128, .ranks = 1024});
  EXPECT_EQ(totals.words, 128 * (4 * 128 / 32 + 2 * 3));
  EXPECT_EQ(totals.messages, totals.words);
}

// 64, 16, 4 points and 1: twice each, the coarsest grid once. n - 1 planes are passed on.
TEST(Kernels, MultigridPassesItsPlanesOnOnEveryGrid) {
  const Totals totals = TotalsOf("multigrid", "", {.n = 8, .ranks = 5});
  EXPECT_EQ(totals.words, 2 * (64 + 16 + 4) + 1);
  EXPECT_EQ(totals.messages, 7);
  EXPECT_EQ(totals.supersteps, 7);
  EXPECT_EQ(totals.volume, 4 * totals.words);
  EXPECT_EQ(totals.operations, totals.words);
  for (const int64_t ranks : {2, 3}) {
    const model::Schedule schedule = Build("multigrid", "", {.n = 2, .ranks = ranks});
    EXPECT_EQ(schedule[0].traffic.disjoint, ranks == 2) << "a rank between does both";
  }
}

TEST(Kernels, OneRankOnlyWorks) {
  for (const Kernel& kernel : Kernels()) {
    model::Schedule schedule;
    const KernelScenario scenario = {.n = 64, .ranks = 1};
    ASSERT_TRUE(kernel.applies(scenario).ok()) << kernel.name;
    BuildKernel(kernel, scenario, &schedule);
    const Totals totals = TotalsOf(schedule, 4);
    EXPECT_EQ(totals.messages, 0) << kernel.name;
    EXPECT_EQ(totals.supersteps, 0) << kernel.name;
    EXPECT_GT(totals.operations, 0) << kernel.name;
  }
}

// 2^30 is a cube, a square, a power of two and of four; 2^40 its multiple.
TEST(Kernels, StayFiniteAndSoundAtTheLimits) {
  for (const Kernel& kernel : Kernels()) {
    for (const int64_t p : {int64_t{64}, int64_t{1} << 30}) {
      const KernelScenario scenario = {.n = kMaxKernelSize, .ranks = p, .word_bytes = 1 << 20};
      ASSERT_TRUE(Validate(scenario).ok());
      ASSERT_TRUE(kernel.applies(scenario).ok()) << kernel.name << kernel.applies(scenario);
      model::Schedule schedule;
      BuildKernel(kernel, scenario, &schedule);
      EXPECT_EQ(schedule.whole().processors_count, static_cast<double>(p));
      for (const model::Phase& phase : schedule) {
        const model::LevelTraffic& network = phase.traffic.network;
        EXPECT_TRUE(std::isfinite(phase.times * network.volume_bytes)) << kernel.name;
        EXPECT_TRUE(std::isfinite(phase.times * phase.work.operations)) << kernel.name;
        EXPECT_EQ(phase.traffic.any.in_bytes, network.in_bytes);
        EXPECT_LE(network.out_bytes, network.volume_bytes) << kernel.name << kernel.variant;
        EXPECT_LE(
            network.volume_bytes,
            static_cast<double>(p) * std::max(network.out_bytes, network.in_bytes) * (1 + 1e-12))
            << kernel.name << kernel.variant;
        EXPECT_GE(network.sends_count * network.max_message_bytes, network.out_bytes * (1 - 1e-12));
      }
    }
  }
}

TEST(Kernels, SayWhatTheyNeed) {
  const auto refusal = [](absl::string_view name, absl::string_view variant, int64_t n, int64_t p) {
    const absl::Status status = (*FindKernel(name, variant))->applies({.n = n, .ranks = p});
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << name;
    return std::string(status.message());
  };
  EXPECT_THAT(refusal("matmul-3d", "", 64, 10), HasSubstr("a cube of ranks"));
  EXPECT_THAT(refusal("matmul-3d", "", 10, 64), HasSubstr("16 divides, not 10"));
  EXPECT_THAT(refusal("matmul-cannon", "", 64, 8), HasSubstr("a square of ranks"));
  EXPECT_THAT(refusal("bitonic-sort", "", 60, 6), HasSubstr("a power of two"));
  EXPECT_THAT(refusal("bitonic-sort", "", 65, 64), HasSubstr("64 divides"));
  EXPECT_THAT(refusal("sample-sort", "ssbr", 60, 6), HasSubstr("a power of two"));
  EXPECT_THAT(refusal("sample-sort", "maspar", 64, 8), HasSubstr("a power of four"));
  EXPECT_THAT(refusal("apsp-1", "", 8, 16), HasSubstr("\"words\" takes fewer"));
  EXPECT_THAT(refusal("apsp-2", "tree", 9, 16), HasSubstr("4 divides, not 9"));
  EXPECT_THAT(refusal("multigrid", "", 12, 4), HasSubstr("a power of two of points"));
}

TEST(Kernels, AreFoundByName) {
  EXPECT_EQ((*FindKernel("sample-sort"))->variant, "bsp");
  EXPECT_EQ((*FindKernel("sample-sort", "maspar"))->variant, "maspar");
  const absl::Status unknown = FindKernel("quick-sort").status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(unknown.message()),
              HasSubstr("bitonic-sort?variant=words, sample-sort?variant=bsp"));
  EXPECT_FALSE(FindKernel("sample-sort", "ssd").ok());
}

TEST(Kernels, RefuseWhatIsOutOfRange) {
  const auto field = [](const KernelScenario& scenario) {
    return domain::FieldOf(Validate(scenario));
  };
  EXPECT_EQ(field({.n = 0}), "n");
  EXPECT_EQ(field({.n = kMaxKernelSize + 1}), "n");
  EXPECT_EQ(field({.ranks = 0}), "ranks");
  EXPECT_EQ(field({.ranks = int64_t{1} << 31}), "ranks");
  EXPECT_EQ(field({.word_bytes = 0}), "word_bytes");
  EXPECT_EQ(field({.oversampling = 0}), "oversampling");
  EXPECT_EQ(field({.n = 64, .ranks = 4, .largest_bucket = 15}), "largest_bucket");
  EXPECT_EQ(field({.n = 64, .ranks = 4, .largest_bucket = 65}), "largest_bucket");
  EXPECT_EQ(field({.n = 64, .ranks = 4, .largest_bucket = 16}), "");
}

}  // namespace
}  // namespace cox::strategy
