#include "library/openmpi/rules.h"

#include <string>

#include "domain/collective.h"
#include "domain/errors.h"
#include "domain/limits.h"
#include "gtest/gtest.h"

namespace cox::library {
namespace {

using domain::Collective;
using domain::kMaxBlockBytes;
using domain::kMaxRanks;

constexpr int64_t kAlltoall = 3;
constexpr int64_t kAllreduce = 2;
constexpr int64_t kBcast = 7;

int64_t AlgorithmAt(const OpenMpiRules& rules, int64_t collective, int64_t ranks,
                    int64_t message_bytes) {
  const auto rule = rules.Find(collective, ranks, message_bytes);
  return rule.has_value() ? rule->algorithm : 0;
}

OpenMpiRules Parse(absl::string_view text) {
  auto rules = ParseOpenMpiRules(text);
  EXPECT_TRUE(rules.ok()) << rules.status();
  return rules.ok() ? *std::move(rules) : OpenMpiRules();
}

constexpr absl::string_view kExample = R"(
    3            # number of collectives
    3            # ALLTOALL
    2            # two communicator sizes
    4 3          # p = 4: three message rows
    0    3 0 0
    256  2 0 0
    4096 1 0 0
    8 1          # p = 8
    0 4 0 0
    2            # ALLREDUCE
    1
    2 2
    0 3 0 0
    1024 5 0 128
    7            # BCAST
    1
    2 2
    0 6 0 0
    1024 3 0 256
)";

TEST(OpenMpiRules, AnswersAsTheLibraryDoes) {
  const OpenMpiRules rules = Parse(kExample);
  EXPECT_EQ(AlgorithmAt(rules, kAlltoall, 4, 0), 3);
  EXPECT_EQ(AlgorithmAt(rules, kAlltoall, 4, 255), 3);
  EXPECT_EQ(AlgorithmAt(rules, kAlltoall, 4, 256), 2);
  EXPECT_EQ(AlgorithmAt(rules, kAlltoall, 4, 1 << 30), 1);
  EXPECT_EQ(AlgorithmAt(rules, kAlltoall, 9, 0), 4) << "the largest size not above p";
  EXPECT_EQ(AlgorithmAt(rules, kAlltoall, 6, 0), 3);
  EXPECT_EQ(AlgorithmAt(rules, kAlltoall, 3, 0), 3) << "below the first size the first is used";
  EXPECT_EQ(rules.Find(kAllreduce, 2, 1024)->segment_bytes, 128);
  EXPECT_EQ(AlgorithmAt(rules, kBcast, 1000, 5000), 3);
  EXPECT_EQ(AlgorithmAt(rules, 0, 4, 0), 0) << "no rules for allgather";
}

TEST(OpenMpiRules, AlgorithmZeroIsNoOpinion) {
  const OpenMpiRules rules = Parse("1 3 3  2 1 0 0 0 0  4 1 0 2 0 0  5 1 0 0 0 0");
  EXPECT_FALSE(rules.Find(kAlltoall, 3, 10).has_value());
  EXPECT_EQ(AlgorithmAt(rules, kAlltoall, 4, 10), 2);
  EXPECT_FALSE(rules.Find(kAlltoall, 5, 10).has_value());
}

TEST(OpenMpiRules, StopsAtTheFirstLargerOfUnsortedRows) {
  const OpenMpiRules rules = Parse("1 3 1 2 3  0 1 0 0  1024 2 0 0  512 3 0 0");
  EXPECT_EQ(AlgorithmAt(rules, kAlltoall, 2, 600), 1);
  EXPECT_EQ(AlgorithmAt(rules, kAlltoall, 2, 2000), 3);
}

TEST(OpenMpiRules, TakesTheLastOfTwoBlocksForACollective) {
  const OpenMpiRules rules = Parse("2  3 1 2 1 0 1 0 0  3 1 2 1 0 2 0 0");
  EXPECT_EQ(AlgorithmAt(rules, kAlltoall, 2, 0), 2);
}

TEST(OpenMpiRules, ReadsNumbersAsTheLibraryDoes) {
  const OpenMpiRules octal = Parse("1 3 1 2 2 0 1 0 0 010 2 0 0");
  EXPECT_EQ(AlgorithmAt(octal, kAlltoall, 2, 7), 1);
  EXPECT_EQ(AlgorithmAt(octal, kAlltoall, 2, 8), 2);
  const OpenMpiRules hexadecimal = Parse("1 3 1 2 2 0 1 0 0 0x10 2 0 0");
  EXPECT_EQ(AlgorithmAt(hexadecimal, kAlltoall, 2, 15), 1);
  EXPECT_EQ(AlgorithmAt(hexadecimal, kAlltoall, 2, 16), 2);
}

TEST(OpenMpiRules, SkipsWordsAndWhatFollowsTheLastCount) {
  const OpenMpiRules rules = Parse("collectives: 1, id 3; sizes 1 p 2 rows 1: 0 2 0 0 and 99 more");
  EXPECT_EQ(AlgorithmAt(rules, kAlltoall, 2, 0), 2);
  EXPECT_TRUE(Parse("0").collectives.empty());
  EXPECT_FALSE(Parse("1 3 0").Find(kAlltoall, 4, 0).has_value()) << "no communicator sizes";
}

// Everything that makes the library silently ignore the complete file.
class DroppedFile : public ::testing::TestWithParam<const char*> {};

TEST_P(DroppedFile, IsRefused) {
  const auto rules = ParseOpenMpiRules(GetParam());
  ASSERT_EQ(rules.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(domain::FieldOf(rules.status()), "rules");
  EXPECT_NE(rules.status().message().find("line "), absl::string_view::npos);
}

INSTANTIATE_TEST_SUITE_P(All, DroppedFile,
                         ::testing::Values("", "# only a comment", "1", "1 3 1 2 1 0 2 0",
                                           "2 3 1 2 1 0 2 0 0",         // one of two is missing
                                           "1 3 1 2 1 64 2 0 0",        // first size is not 0
                                           "23", "1 22 1 2 1 0 2 0 0",  // beyond the collectives
                                           "1 3 1 2 1 0 -2 0 0",        // negative
                                           "-1", "1 3 1 2 1 0 9223372036854775808 0 0",
                                           "1 3 99999999999 2 1 0 1 0 0"));

TEST(OpenMpiRules, NamesTheLineAtFault) {
  const auto rules = ParseOpenMpiRules("1\n3\n1\n2 1\n64 2 0 0\n");
  ASSERT_FALSE(rules.ok());
  EXPECT_NE(rules.status().message().find("line 5"), absl::string_view::npos) << rules.status();
}

TEST(OpenMpiMessageBytes, IsWhatTheLibraryCompares) {
  EXPECT_EQ(OpenMpiMessageBytes(Collective::kAlltoall, 4, 100), 400);
  EXPECT_EQ(OpenMpiMessageBytes(Collective::kAllgather, 4, 100), 400);
  EXPECT_EQ(OpenMpiMessageBytes(Collective::kScatter, 4, 100), 400);
  EXPECT_EQ(OpenMpiMessageBytes(Collective::kGather, 4, 100), 400);
  EXPECT_EQ(OpenMpiMessageBytes(Collective::kBcast, 4, 100), 100);
  EXPECT_EQ(OpenMpiMessageBytes(Collective::kAllreduce, 4, 100), 100);
  EXPECT_GT(OpenMpiMessageBytes(Collective::kAlltoall, kMaxRanks, kMaxBlockBytes), 1e27);
  EXPECT_EQ(OpenMpiCollectiveId(Collective::kAllgather), 0);
  EXPECT_EQ(OpenMpiCollectiveId(Collective::kAllreduce), kAllreduce);
  EXPECT_EQ(OpenMpiCollectiveId(Collective::kAlltoall), kAlltoall);
  EXPECT_EQ(OpenMpiCollectiveId(Collective::kBcast), kBcast);
  EXPECT_EQ(OpenMpiMessageBytes(Collective::kReduce, 4, 100), 100);
  EXPECT_EQ(OpenMpiMessageBytes(Collective::kBarrier, 4, 0), 0);
  EXPECT_EQ(OpenMpiCollectiveId(Collective::kBarrier), 6);
  EXPECT_EQ(OpenMpiCollectiveId(Collective::kExscan), 8);
  EXPECT_EQ(OpenMpiMessageBytes(Collective::kReduceScatter, 4, 100), 400);
  EXPECT_EQ(OpenMpiMessageBytes(Collective::kReduceScatterBlock, 4, 100), 400);
  EXPECT_EQ(OpenMpiCollectiveId(Collective::kReduceScatter), 12);
  EXPECT_EQ(OpenMpiCollectiveId(Collective::kReduceScatterBlock), 13);
  EXPECT_EQ(OpenMpiCollectiveId(Collective::kReduce), 11);
  EXPECT_EQ(OpenMpiCollectiveId(Collective::kScan), 14);
  // The count is left out: with elements of 8 bytes every scan of 4 ranks is one of 32 bytes.
  EXPECT_EQ(OpenMpiMessageBytes(14, 4, 100, 8), 32);
  EXPECT_EQ(OpenMpiMessageBytes(Collective::kScan, 4, 100), 0);
  EXPECT_EQ(OpenMpiRuleSizeOf(OpenMpiCollectiveId("gatherv")), OpenMpiRuleSize::kNever);
  EXPECT_EQ(OpenMpiCollectiveId("no_such"), -1);
}

}  // namespace
}  // namespace cox::library
