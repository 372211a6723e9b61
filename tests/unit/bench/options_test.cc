#include "bench/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cox::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ParseOutcome Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "cox-bench");
  return ParseOptions(static_cast<int>(arguments.size()), arguments.data(), "openmpi-4.1", "here");
}

std::string Refusal(std::vector<const char*> arguments) {
  const ParseOutcome outcome = Parse(std::move(arguments));
  if (outcome.options.has_value()) return "accepted";
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  return outcome.err;
}

TEST(OptionsTest, HasDefaults) {
  const Options options = *Parse({"p2p"}).options;
  EXPECT_EQ(options.mode, Options::Mode::kPointToPoint);
  EXPECT_EQ(options.machine, "here");
  EXPECT_EQ(options.library, "openmpi-4.1");
  EXPECT_EQ(options.sizes.front(), 1);
  EXPECT_EQ(options.sizes.back(), 4 << 20);
  EXPECT_THAT(options.pairs, IsEmpty());
  EXPECT_FALSE(options.run.empty());
}

TEST(OptionsTest, ReadsAllOfCollectives) {
  const Options options = *Parse({"collectives",
                                  "--collectives",
                                  "alltoall,bcast",
                                  "--sizes",
                                  "1k,64",
                                  "--machine",
                                  "m1",
                                  "--library",
                                  "mpich-4.0",
                                  "--label",
                                  "alltoall=pairwise",
                                  "--budget-s",
                                  "2.5",
                                  "--seed",
                                  "7",
                                  "--raw",
                                  "--progress",
                                  "-o",
                                  "file.csv",
                                  "--run",
                                  "r1"})
                               .options;
  EXPECT_EQ(options.mode, Options::Mode::kCollectives);
  EXPECT_THAT(options.collectives, ElementsAre("alltoall", "bcast"));
  EXPECT_THAT(options.sizes, ElementsAre(64, 1024));
  EXPECT_EQ(options.machine, "m1");
  EXPECT_EQ(options.library, "mpich-4.0");
  EXPECT_EQ(options.AlgorithmOf("alltoall"), "pairwise");
  EXPECT_EQ(options.AlgorithmOf("bcast"), "default");
  EXPECT_EQ(options.budget_s, 2.5);
  EXPECT_EQ(options.seed, 7);
  EXPECT_TRUE(options.raw);
  EXPECT_TRUE(options.progress);
  EXPECT_EQ(options.output, "file.csv");
  EXPECT_EQ(options.run, "r1");
}

TEST(OptionsTest, ReadsAllOfBlocks) {
  const Options usual = *Parse({"blocks", "--network", "shared-medium"}).options;
  EXPECT_EQ(usual.mode, Options::Mode::kBlocks);
  EXPECT_EQ(usual.network, Network::kSharedMedium);
  EXPECT_THAT(usual.sizes, ElementsAre(1, 1 << 20)) << "a short and a long message";
  EXPECT_THAT(usual.counts, IsEmpty());
  EXPECT_FALSE(usual.mean_of_ranks);
  const Options all = *Parse({"blocks", "--network", "multistage", "--n", "2..4:+1",
                              "--frame-nodes", "14", "--mean", "--sizes", "8,1M"})
                           .options;
  EXPECT_EQ(all.network, Network::kMultistage);
  EXPECT_THAT(all.counts, ElementsAre(2, 3, 4));
  EXPECT_EQ(all.frame_nodes, 14);
  EXPECT_TRUE(all.mean_of_ranks);
  EXPECT_THAT(all.sizes, ElementsAre(8, 1 << 20));
  EXPECT_THAT(Refusal({"blocks"}), HasSubstr("--network is required"));
  EXPECT_THAT(Refusal({"blocks", "--network", "ring"}),
              HasSubstr("'ring' is not one of: shared-medium, multistage, mesh-row"));
  EXPECT_THAT(Refusal({"blocks", "--network", "mesh-row", "--frame-nodes", "2"}),
              HasSubstr("--frame-nodes: needs --network multistage"));
  EXPECT_THAT(Refusal({"blocks", "--network", "mesh-row", "--n", "0"}), HasSubstr("--n: n is"));
}

TEST(OptionsTest, LabelsOverrideTheCommonOne) {
  const Options options = *Parse({"collectives", "--algorithm", "ring", "--label",
                                  "bcast=chain,alltoall=linear", "--label", "allgather=bruck"})
                               .options;
  EXPECT_EQ(options.AlgorithmOf("allreduce"), "ring");
  EXPECT_EQ(options.AlgorithmOf("bcast"), "chain");
  EXPECT_EQ(options.AlgorithmOf("alltoall"), "linear");
  EXPECT_EQ(options.AlgorithmOf("allgather"), "bruck");
}

TEST(OptionsTest, CoxcollRunsWhatLabelsName) {
  const Options options =
      *Parse({"collectives", "--library", "coxcoll", "--label", "gather=windowed?window=4",
              "--label", "alltoall=mesh2d,gather=windowed?window=4"})
           .options;
  EXPECT_TRUE(options.TimesCoxcoll());
  EXPECT_THAT(options.collectives, ElementsAre("gather", "alltoall"));
  EXPECT_EQ(options.AlgorithmOf("gather"), "windowed?window=4");
  EXPECT_EQ(options.ShownAlgorithmOf("alltoall"), "coxcoll/mesh2d");

  const Options common = *Parse({"collectives", "--library", "coxcoll", "--collectives",
                                 "bcast,gather", "--algorithm", "binomial"})
                              .options;
  EXPECT_THAT(common.collectives, ElementsAre("bcast", "gather"));
  EXPECT_EQ(common.AlgorithmOf("bcast"), "binomial");

  const Options other = *Parse({"collectives", "--label", "alltoall=mesh2d"}).options;
  EXPECT_FALSE(other.TimesCoxcoll());
  EXPECT_EQ(other.collectives.size(), 4) << "labels force nothing, and leave nothing out";
  EXPECT_EQ(other.ShownAlgorithmOf("alltoall"), "mesh2d");
}

TEST(OptionsTest, CoxcollNeedsAnAlgorithmOfEachCollective) {
  EXPECT_THAT(Refusal({"collectives", "--library", "coxcoll"}),
              HasSubstr("--label: --library coxcoll needs the algorithm of each collective"));
  EXPECT_THAT(
      Refusal({"collectives", "--library", "coxcoll", "--collectives", "bcast,gather", "--label",
               "bcast=postal"}),
      HasSubstr("--label: --library coxcoll needs the algorithm of each collective, as gather="));
  EXPECT_THAT(Refusal({"collectives", "--library", "coxcoll", "--label", "bcast=default"}),
              HasSubstr("each collective, as bcast=NAME"));
  EXPECT_THAT(Refusal({"collectives", "--library", "coxcoll", "--collectives", "reduce"}),
              HasSubstr("--collectives: coxcoll has no reduce; it has alltoall, bcast, gather, "));
  EXPECT_THAT(Refusal({"collectives", "--library", "coxcoll", "--label", "allgather=ring"}),
              HasSubstr("--label: coxcoll has no allgather; it has"));
}

TEST(OptionsTest, RefusesNamingTheOption) {
  EXPECT_THAT(Refusal({"p2p", "--sizes", "8..4"}), HasSubstr("--sizes: '8..4' goes down"));
  EXPECT_THAT(Refusal({"p2p", "--kinds", "gap,x"}), HasSubstr("--kinds: 'x' is not one of: all"));
  EXPECT_THAT(Refusal({"p2p", "--pairs", "0"}), HasSubstr("--pairs: a number of pairs"));
  EXPECT_THAT(Refusal({"p2p", "--pairs", "two"}), HasSubstr("--pairs: 'two'"));
  EXPECT_THAT(Refusal({"p2p", "--budget-s", "-1"}), HasSubstr("--budget-s"));
  EXPECT_THAT(Refusal({"p2p", "--budget-s", "nan"}), HasSubstr("--budget-s"));
  EXPECT_THAT(Refusal({"p2p", "--seed", "x"}), HasSubstr("--seed"));
  EXPECT_THAT(Refusal({"p2p", "--machine", "a,b"}), HasSubstr("--machine: 'a,b'"));
  EXPECT_THAT(Refusal({"p2p", "--machine", ""}), HasSubstr("--machine"));
  EXPECT_THAT(Refusal({"p2p", "--collectives", "bcast"}), HasSubstr("--collectives"));
  EXPECT_THAT(Refusal({"collectives", "--collectives", "bcst"}),
              HasSubstr("--collectives: 'bcst' is unknown; cox-bench times allgather"));
  EXPECT_THAT(Refusal({"collectives", "--label", "bcast"}), HasSubstr("--label: 'bcast' is not"));
  EXPECT_THAT(Refusal({"collectives", "--label", "bcast=a\"b"}), HasSubstr("--label"));
  EXPECT_THAT(Refusal({"collectives", "--algorithm", "a,b"}), HasSubstr("--algorithm"));
  EXPECT_THAT(Refusal({"collectives", "--pairs", "1"}), HasSubstr("--pairs"));
  EXPECT_THAT(Refusal({"collectives", "-o"}), HasSubstr("--output"));
  EXPECT_THAT(Refusal({}), HasSubstr("no mode: p2p, blocks, collectives or suite"));
  EXPECT_THAT(Refusal({"collect"}), HasSubstr("'collect' is not a mode"));
}

TEST(OptionsTest, HelpTeaches) {
  const ParseOutcome outcome = Parse({"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("mpirun.openmpi"));
  EXPECT_THAT(outcome.out, HasSubstr("Exit codes"));
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(Parse({"p2p", "--help"}).out, HasSubstr("--pairs"));
}

}  // namespace
}  // namespace cox::bench
