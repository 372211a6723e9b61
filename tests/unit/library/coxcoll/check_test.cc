// The checker of the profile refuses what libcoxcoll would refuse, at the same limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "domain/coxcoll_costs.h"
#include "domain/coxcoll_decisions.h"
#include "library/algorithms.h"
#include "library/formats.h"
#include "library/run_time_number.h"

namespace cox::library {
namespace {

using domain::Decisions;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// As libcoxcoll reads the file (clients/collectives/choice/cost_file.cc).
std::string LibraryRefuses(const std::string& text) {
  domain::CostProfile costs;
  Decisions decisions;
  const std::string wrong = domain::ParseCostProfile(text, &costs);
  return wrong.empty() ? domain::ParseDecisions(text, &decisions) : wrong;
}

std::string SizesOfGather(int count) {
  std::string text = "decided_ranks 8\n";
  for (int i = 0; i < count; ++i) absl::StrAppend(&text, "decide gather ", i, " linear\n");
  return text;
}

TEST(CheckCoxcollTest, HasTheLimitsOfTheLibrary) {
  const std::string most = SizesOfGather(Decisions::kMostSizes);
  EXPECT_EQ(LibraryRefuses(most), "");
  EXPECT_THAT(CheckCoxcoll(most, {}), IsEmpty());

  const std::string one_more = SizesOfGather(Decisions::kMostSizes + 1);
  EXPECT_THAT(LibraryRefuses(one_more), HasSubstr("line 34: more than 32 sizes of gather"));
  EXPECT_THAT(CheckCoxcoll(one_more, {}), ElementsAre(LibraryRefuses(one_more)));
}

TEST(CheckCoxcollTest, RefusesWhatTheLibraryRefuses) {
  for (const std::string line :
       {"decided_ranks", "decided_ranks 0", "decided_ranks 8x", "decide", "decide alltoall 0",
        "decide allgather 0 ring", "decide alltoallv 0 direct", "decide alltoall -1 direct",
        "decide alltoall 1k direct", "decide alltoall +1 direct", "decide alltoall 0 direct now",
        "decide bcast 5 binomial", "decide alltoall 0 a_name_that_is_longer_than_any_algorithm_has",
        "alpha_s", "alpha_s -1", "beta_s_per_byte nan", "gap_s 1 2"}) {
    const std::string text = absl::StrCat("decided_ranks 8\ndecide bcast 5 binomial\n", line, "\n");
    const std::string refused = LibraryRefuses(text);
    EXPECT_THAT(refused, HasSubstr("line 3: ")) << line;
    EXPECT_THAT(CheckCoxcoll(text, {}), ElementsAre(refused)) << line;
  }
}

TEST(CheckCoxcollTest, TakesCostsBesideDecisions) {
  EXPECT_THAT(CheckCoxcoll("decided_ranks 8 # why\nalpha_s 3e-6\nof_a_later_version yes\n"
                           "decide bcast 0 default\n",
                           {}),
              IsEmpty());
}

TEST(CheckCoxcollTest, KnowsTheAlgorithms) {
  EXPECT_THAT(CheckCoxcoll("decided_ranks 8\ndecide alltoall 0 rings\n", {}),
              ElementsAre("line 2: \"rings\" is not an algorithm of alltoall"));
  EXPECT_THAT(CheckCoxcoll("decide alltoall 0 direct\n", {}),
              ElementsAre(HasSubstr("no line says decided_ranks")));
}

// 16 is 4^2 and 2^4, 81 is 9^2 and 3^4; 4 and 9 are squares only.
TEST(CheckCoxcollTest, KnowsWhichRanksTreesNeed) {
  for (const std::string operation : {"gather", "scatter"}) {
    const auto check = [&](int64_t ranks, const std::string& tree) {
      // The line with the ranks may come last.
      return CheckCoxcoll(
          absl::StrCat("decide ", operation, " 0 ", tree, "\ndecided_ranks ", ranks, "\n"), {});
    };
    for (const int64_t ranks : {1, 16, 81}) {
      EXPECT_THAT(check(ranks, "2-lev-rec"), IsEmpty()) << ranks;
      EXPECT_THAT(check(ranks, "3-lev-sq"), IsEmpty()) << ranks;
    }
    for (const int64_t ranks : {4, 9}) {
      EXPECT_THAT(check(ranks, "2-lev-rec"), IsEmpty()) << ranks;
      EXPECT_THAT(check(ranks, "3-lev-sq"),
                  ElementsAre(absl::StrCat("line 1: \"3-lev-sq\" needs a fourth power of ranks; "
                                           "decided_ranks is ",
                                           ranks)));
    }
    EXPECT_THAT(check(8, "2-lev-rec"), ElementsAre(HasSubstr("needs a square number of ranks")));
    EXPECT_THAT(check(8, "binomial"), IsEmpty());
  }
  // libcoxcoll runs linear in its place.
  EXPECT_THAT(CheckCoxcoll("decided_ranks 4\ndecide gather 0 windowed?window=8\n", {}), IsEmpty());
}

TEST(CheckCoxcollTest, EveryAlgorithmFits) {
  for (const Algorithm& row : AlgorithmsOf(kCoxcoll)) {
    EXPECT_LE(row.native_name.size(), Decisions::kMostNameCharacters) << row.native_name;
  }
}

}  // namespace
}  // namespace cox::library
