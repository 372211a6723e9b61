#include "strategy/catalogue.h"

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "domain/collective.h"
#include "domain/errors.h"
#include "domain/limits.h"
#include "gtest/gtest.h"
#include "model/model.h"

namespace cox::strategy {
namespace {

TEST(Catalogue, NamesAreUniqueAndGrouped) {
  std::set<std::string> names;
  std::set<domain::Collective> done;
  domain::Collective current = Catalogue().front().collective;
  for (const Algorithm& algorithm : Catalogue()) {
    EXPECT_TRUE(names.insert(FormatStrategy({&algorithm, {}})).second);
    EXPECT_FALSE(algorithm.description.empty());
    EXPECT_FALSE(algorithm.source.empty());
    EXPECT_EQ(FindAlgorithm(algorithm.collective, algorithm.name), &algorithm);
    if (algorithm.collective != current) {
      EXPECT_TRUE(done.insert(current).second);
      current = algorithm.collective;
    }
    EXPECT_FALSE(done.contains(algorithm.collective)) << "not grouped: " << algorithm.name;
  }
  EXPECT_EQ(FindAlgorithm(domain::Collective::kBcast, "bruck"), nullptr);
}

TEST(Catalogue, CarriesWhatItShould) {
  for (const char* name : {"alltoall/linear",
                           "alltoall/pairwise",
                           "alltoall/bruck",
                           "alltoall/windowed",
                           "alltoall/mesh2d",
                           "alltoall/grid3d",
                           "alltoall/hypercube",
                           "alltoall/1-lev-perm-xor",
                           "alltoall/1-lev-perm-bal",
                           "alltoall/2-lev-rc",
                           "alltoall/2-lev-sq",
                           "alltoall/logp-lev-bfly",
                           "gather/windowed",
                           "bcast/linear",
                           "bcast/binomial",
                           "bcast/chain",
                           "bcast/pipeline",
                           "bcast/binary?segment=1024",
                           "bcast/split-binary?segment=1024",
                           "bcast/knomial?radix=8",
                           "bcast/scatter-allgather",
                           "bcast/scatter-ring-allgather",
                           "allreduce/recursive-doubling",
                           "allreduce/ring",
                           "allreduce/rabenseifner",
                           "allreduce/reduce-bcast",
                           "allgather/ring",
                           "allgather/recursive-doubling",
                           "allgather/bruck",
                           "allgather/neighbor-exchange",
                           "scatter/linear",
                           "scatter/binomial",
                           "gather/linear",
                           "gather/binomial",
                           "scatter/1-lev-our-br",
                           "scatter/1-lev-sys-br",
                           "scatter/2-lev?fanout=12",
                           "gather/2-lev",
                           "scatter/2-lev-rec",
                           "scatter/3-lev-sq",
                           "scatter/logp-lev-sq",
                           "scatter/logp-lev-rec?gamma=600",
                           "gather/logp-lev-rec",
                           "gather/1-lev-our-br",
                           "gather/2-lev-rec",
                           "gather/3-lev-sq",
                           "gather/logp-lev-sq",
                           "reduce/linear",
                           "reduce/chain?segment=1024&fanout=2",
                           "reduce/pipeline?segment=1024",
                           "reduce/binary?segment=1024",
                           "reduce/binomial",
                           "reduce/in-order-binary?segment=1024",
                           "reduce/rabenseifner",
                           "barrier/linear",
                           "barrier/double-ring",
                           "barrier/recursive-doubling",
                           "barrier/dissemination",
                           "barrier/tree",
                           "reduce_scatter/reduce-scatterv",
                           "reduce_scatter/recursive-halving",
                           "reduce_scatter/ring",
                           "reduce_scatter/butterfly",
                           "reduce_scatter/pairwise",
                           "reduce_scatter/recursive-doubling",
                           "reduce_scatter/noncommutative",
                           "reduce_scatter_block/reduce-scatter",
                           "reduce_scatter_block/recursive-halving",
                           "reduce_scatter_block/butterfly",
                           "reduce_scatter_block/pairwise",
                           "reduce_scatter_block/recursive-doubling",
                           "reduce_scatter_block/noncommutative",
                           "scan/linear",
                           "scan/recursive-doubling",
                           "exscan/linear",
                           "exscan/recursive-doubling"}) {
    EXPECT_TRUE(ParseStrategy(name).ok()) << name;
  }
}

TEST(Aliases, AreReadAndWrittenAsTheRowsOwnName) {
  for (const Alias& alias : Aliases()) {
    EXPECT_EQ(FindAlgorithm(alias.collective, alias.alias), nullptr) << alias.alias;
    const std::string prefix = absl::StrCat(domain::CollectiveName(alias.collective), "/");
    const auto strategy = ParseStrategy(absl::StrCat(prefix, alias.alias));
    ASSERT_TRUE(strategy.ok()) << strategy.status();
    EXPECT_EQ(FormatStrategy(*strategy), absl::StrCat(prefix, alias.name));
  }
  EXPECT_EQ(FormatStrategy(*ParseStrategy("alltoall/1-lev-dir")), "alltoall/linear");
  EXPECT_EQ(ParseStrategy("allgather/1-lev-dir").status().code(), absl::StatusCode::kNotFound);
}

TEST(ParseStrategy, ReadsWhatFormatStrategyWrites) {
  for (const char* text : {"alltoall/bruck", "alltoall/windowed?window=32",
                           "bcast/chain?segment=8192&fanout=4", "bcast/pipeline?segment=1"}) {
    const auto strategy = ParseStrategy(text);
    ASSERT_TRUE(strategy.ok()) << strategy.status();
    EXPECT_EQ(FormatStrategy(*strategy), text);
  }
  EXPECT_EQ(FormatStrategy(*ParseStrategy("bcast/chain?fanout=4&segment=8")),
            "bcast/chain?segment=8&fanout=4");
  EXPECT_EQ(FormatStrategy(*ParseStrategy("bcast/chain?fanout=0")), "bcast/chain");
}

struct WrongText {
  const char* text;
  absl::StatusCode code;
  const char* says;
};

class WrongStrategy : public ::testing::TestWithParam<WrongText> {};

TEST_P(WrongStrategy, IsRefused) {
  const auto strategy = ParseStrategy(GetParam().text);
  ASSERT_FALSE(strategy.ok()) << GetParam().text;
  EXPECT_EQ(strategy.status().code(), GetParam().code) << strategy.status();
  EXPECT_NE(strategy.status().message().find(GetParam().says), absl::string_view::npos)
      << strategy.status();
  if (GetParam().code == absl::StatusCode::kInvalidArgument) {
    EXPECT_EQ(domain::FieldOf(strategy.status()), "strategy");
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongStrategy,
    ::testing::Values(
        WrongText{"", absl::StatusCode::kNotFound, "alltoall"},
        WrongText{"alltoall", absl::StatusCode::kNotFound, "pairwise"},
        WrongText{"transpose/linear", absl::StatusCode::kNotFound, "transpose"},
        WrongText{"bcast/bruck", absl::StatusCode::kNotFound, "binomial"},
        WrongText{"bcast/binomial?fanout=2", absl::StatusCode::kInvalidArgument, "takes none"},
        WrongText{"bcast/chain?window=2", absl::StatusCode::kInvalidArgument, "segment,fanout"},
        WrongText{"bcast/chain?fanout=-1", absl::StatusCode::kInvalidArgument, "fanout"},
        WrongText{"bcast/chain?fanout", absl::StatusCode::kInvalidArgument, "fanout"},
        WrongText{"bcast/chain?fanout=2x", absl::StatusCode::kInvalidArgument, "2x"},
        WrongText{"bcast/chain?segment=9223372036854775808", absl::StatusCode::kInvalidArgument,
                  "segment"}));

TEST(Applies, SaysWhyNot) {
  const Scenario scenario{.ranks = 7};
  const auto reason = [&](const char* name) {
    const Strategy strategy = *ParseStrategy(name);
    return strategy.algorithm->applies(scenario, strategy.knobs);
  };
  EXPECT_EQ(reason("allgather/neighbor-exchange").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(reason("allgather/neighbor-exchange").message(),
            "needs an even number of ranks, not 7");
  EXPECT_EQ(reason("allgather/recursive-doubling").message(),
            "needs a power of two of ranks, not 7");
  EXPECT_EQ(reason("scatter/2-lev-rec").message(), "needs a square number of ranks, not 7");
  EXPECT_EQ(reason("gather/3-lev-sq").message(), "needs a fourth power of ranks, not 7");
  EXPECT_EQ(reason("bcast/chain?fanout=33").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(reason("scatter/logp-lev-rec?gamma=1000").message(),
            "takes a gamma of 1 to 999 (per mille), not 1000");
  EXPECT_TRUE(reason("scatter/logp-lev-rec?gamma=999").ok());
  const Strategy most_kept = *ParseStrategy("scatter/logp-lev-rec?gamma=999");
  EXPECT_EQ(most_kept.algorithm->applies({.ranks = 1000}, most_kept.knobs).code(),
            absl::StatusCode::kFailedPrecondition);
  const Strategy uneven = *ParseStrategy("gather/logp-lev-rec");
  EXPECT_EQ(uneven.algorithm->applies({.ranks = 4096, .ppn = 2}, {}).message(),
            "is worked out for at most 2048 ranks on nodes of several, not 4096");
  EXPECT_TRUE(uneven.algorithm->applies({.ranks = 4096, .ppn = 1}, {}).ok());
  const Strategy leaders = *ParseStrategy("scatter/2-lev");
  Scenario dealt{.ranks = 4096, .ppn = 2, .placement = Placement::kCyclic};
  EXPECT_EQ(leaders.algorithm->applies(dealt, {}).message(),
            "is worked out for at most 2048 ranks dealt to nodes of several in turn, not 4096");
  dealt.placement = Placement::kBlock;
  EXPECT_TRUE(leaders.algorithm->applies(dealt, {}).ok());
  EXPECT_TRUE(reason("allgather/ring").ok());
}

class EveryAlgorithm : public ::testing::TestWithParam<size_t> {
 protected:
  const Algorithm& algorithm() const { return Catalogue()[GetParam()]; }
  model::Schedule Build(const Scenario& scenario) const {
    model::Schedule schedule;
    algorithm().build(scenario, {}, &schedule);
    return schedule;
  }
};

TEST_P(EveryAlgorithm, MovesNothingAtOneRank) {
  for (int64_t bytes : {int64_t{0}, int64_t{1}, domain::kMaxBlockBytes}) {
    const Scenario alone{.ranks = 1, .ppn = 4, .block_bytes = bytes};
    ASSERT_TRUE(algorithm().applies(alone, {}).ok());
    for (const model::Phase& phase : Build(alone)) {
      EXPECT_EQ(phase.traffic.any.sends_count, 0);
      EXPECT_EQ(phase.traffic.network.volume_bytes + phase.traffic.node.volume_bytes, 0);
    }
    algorithm().enumerate(alone, {}, [](const Message&) { ADD_FAILURE() << "a message"; });
  }
}

TEST_P(EveryAlgorithm, StaysFiniteAtTheLargestScenarios) {
  for (int64_t ranks : {domain::kMaxRanks, int64_t{1} << 30, int64_t{1'000'000}}) {
    for (int64_t ppn : {int64_t{1}, int64_t{128}, int64_t{100'003}, domain::kMaxRanks}) {
      for (Placement placement : {Placement::kBlock, Placement::kCyclic}) {
        const Scenario scenario{.ranks = ranks,
                                .ppn = ppn,
                                .block_bytes = domain::kMaxBlockBytes,
                                .type_bytes = 8,
                                .placement = placement};
        ASSERT_TRUE(Validate(scenario).ok());
        if (!algorithm().applies(scenario, {}).ok()) continue;
        const model::Schedule schedule = Build(scenario);
        ASSERT_GT(schedule.size(), 0U);
        for (const model::Model* model : model::Models()) {
          const std::vector<double> values(model->parameters().size(), 1e-6);
          const double total_s = model->Price(values, schedule).TotalSeconds();
          EXPECT_TRUE(std::isfinite(total_s) && total_s > 0) << model->id() << " p=" << ranks;
        }
        for (const model::Phase& phase : schedule) {
          EXPECT_GE(phase.traffic.node.messages_count, 0);
          EXPECT_GE(phase.traffic.network.messages_count, 0);
        }
      }
    }
  }
}

// More bytes never make a collective cheaper, under any model.
TEST_P(EveryAlgorithm, CostsMoreForMoreBytes) {
  // 64 is a square, a cube and a power of two; 16 is a fourth power.
  const int64_t ranks = algorithm().applies({.ranks = 64}, {}).ok() ? 64 : 16;
  ASSERT_TRUE(algorithm().applies({.ranks = ranks}, {}).ok());
  for (const model::Model* model : model::Models()) {
    const std::vector<double> values(model->parameters().size(), 1e-7);
    double last_s = 0;
    // From one byte on. Without bytes, steps of different size merge into one phase; a model that
    // is not linear in the number of messages (mp-e-bsp) prices their mean differently.
    for (int64_t bytes = 1; bytes < 1'000'000; bytes = 2 * bytes + 1) {
      const model::Schedule schedule =
          Build({.ranks = ranks, .ppn = 6, .block_bytes = bytes, .root = 0});
      const double here_s = model->Price(values, schedule).TotalSeconds();
      EXPECT_GE(here_s, last_s * (1 - 1e-12)) << model->id() << " at " << bytes;
      last_s = here_s;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryAlgorithm, ::testing::Range(size_t{0}, Catalogue().size()),
                         [](const auto& info) {
                           std::string name = FormatStrategy({&Catalogue()[info.param], {}});
                           for (char& c : name) {
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           }
                           return name;
                         });

// A segment has a whole number of elements: the nearest, as in Open MPI.
TEST(Pipeline, SegmentsHoldWholeElements) {
  const auto stages = [](int64_t segment, int64_t bytes, int64_t type) {
    model::Schedule schedule;
    const Strategy strategy = *ParseStrategy("bcast/pipeline");
    strategy.algorithm->build({.ranks = 2, .block_bytes = bytes, .type_bytes = type},
                              {.segment_bytes = segment}, &schedule);
    double times = 0;
    for (const model::Phase& phase : schedule) times += phase.times;
    return times;
  };
  EXPECT_EQ(stages(1000, 8000, 8), 8);
  EXPECT_EQ(stages(1003, 8000, 8), 8);  // 125 elements
  EXPECT_EQ(stages(1005, 8064, 8), 8);  // 126 elements: 1008 bytes
  EXPECT_EQ(stages(4, 8000, 8), 1);     // less than an element: not segmented
  EXPECT_EQ(stages(8000, 8000, 8), 1);
  EXPECT_EQ(stages(0, 8000, 8), 1);
  EXPECT_EQ(stages(1000, 0, 8), 1);
}

// ceil((p - 1) / window) waves, and a signal to each sender that is not in the first.
TEST(GatherWindowed, LetsSendersInByWaves) {
  const Strategy strategy = *ParseStrategy("gather/windowed?window=4");
  const auto build = [&](int64_t ranks, int64_t window) {
    model::Schedule schedule;
    Build({strategy.algorithm, {.window = window}},
          {.collective = domain::Collective::kGather,
           .ranks = ranks,
           .block_bytes = 100,
           .root = ranks / 2},
          &schedule);
    EXPECT_EQ(schedule.size(), 1U);
    return schedule[0];
  };
  const model::Phase phase = build(11, 4);
  EXPECT_EQ(phase.times, 3);
  EXPECT_DOUBLE_EQ(phase.times * phase.traffic.network.messages_count, 10 + 6);
  EXPECT_DOUBLE_EQ(phase.times * phase.traffic.network.volume_bytes, 1000);
  EXPECT_EQ(phase.traffic.any.max_message_bytes, 100);
  EXPECT_FALSE(phase.traffic.disjoint);
  EXPECT_EQ(build(11, 5).times, 2);
  EXPECT_EQ(build(11, 1).times, 10);
  for (int64_t window : {0, 10, 1000}) {
    const model::Phase at_once = build(11, window);
    EXPECT_EQ(at_once.times, 1);
    EXPECT_EQ(at_once.traffic.network.messages_count, 10);
    EXPECT_TRUE(at_once.traffic.disjoint);
  }
}

}  // namespace
}  // namespace cox::strategy
