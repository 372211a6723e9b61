#include "cli/run/obedience_traps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "domain/parse_collective.h"
#include "library/mpich/tree.h"
#include "library/openmpi/rules.h"

namespace cox::cli {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

const std::string kOpenMpi = "openmpi-4.1";
const std::string kMpich = "mpich-4.0";

TEST(ObedienceTest, LibrariesWithoutATestSaySo) {
  EXPECT_TRUE(absl::IsNotFound(TrapCollectives("nobody-1.0").status()));
  EXPECT_THAT(std::string(TrapCollectives("nobody-1.0").status().message()), HasSubstr(kOpenMpi));
  EXPECT_TRUE(absl::IsUnimplemented(TrapCollectives("openmpi-5.0").status()));
  EXPECT_TRUE(absl::IsUnimplemented(TrapText("openmpi-5.0", {}).status()));
  EXPECT_THAT(TrapVariables("openmpi-5.0", "/f"), IsEmpty());
  EXPECT_THAT(*TrapCollectives(kOpenMpi), Contains("alltoall"));
  EXPECT_THAT(*TrapCollectives(kMpich), SizeIs(TrapCollectives(kOpenMpi)->size()));
}

// What the library does with a call: an algorithm, 0 for its own choice.
int64_t Chosen(const library::OpenMpiRules& rules, const std::string& name, int64_t block_bytes) {
  const auto collective = *domain::ParseCollective(name);
  const auto rule = rules.Find(
      library::OpenMpiCollectiveId(collective), kTrapRanks,
      static_cast<int64_t>(library::OpenMpiMessageBytes(collective, kTrapRanks, block_bytes)));
  return rule.has_value() ? rule->algorithm : 0;
}

TEST(ObedienceTest, OpenMpisTrapIsForLargeMessagesOfItsCollectivesOnly) {
  const std::vector<std::string> all = *TrapCollectives(kOpenMpi);
  for (const std::string& trapped : all) {
    const auto rules = library::ParseOpenMpiRules(*TrapText(kOpenMpi, {trapped}));
    ASSERT_TRUE(rules.ok()) << rules.status();
    for (const std::string& name : all) {
      EXPECT_EQ(Chosen(*rules, name, kTrappedBlock_bytes), name == trapped ? 99 : 0) << name;
      EXPECT_EQ(Chosen(*rules, name, kTrappedBlock_bytes - 1), 0) << name;
      EXPECT_EQ(Chosen(*rules, name, kFreeBlock_bytes), 0) << name;
    }
  }
  const auto every = library::ParseOpenMpiRules(*TrapText(kOpenMpi, all));
  ASSERT_TRUE(every.ok()) << every.status();
  for (const std::string& name : all) EXPECT_EQ(Chosen(*every, name, kTrappedBlock_bytes), 99);
  const auto none = library::ParseOpenMpiRules(*TrapText(kOpenMpi, {}));
  ASSERT_TRUE(none.ok()) << none.status();
  for (const std::string& name : all) EXPECT_EQ(Chosen(*none, name, kTrappedBlock_bytes), 0);
  EXPECT_TRUE(TrapsBySize(kOpenMpi));
}

int64_t CountOf(absl::string_view text, absl::string_view word) {
  int64_t count = 0;
  for (size_t at = text.find(word); at != absl::string_view::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

TEST(ObedienceTest, MpichsTrapTakesOneCollectivesAlgorithmsAway) {
  const std::string sound = *TrapText(kMpich, {});
  const std::string trapped = *TrapText(kMpich, {"reduce"});
  constexpr absl::string_view kBarrier = "algorithm=MPIR_Barrier_intra_dissemination\"";
  const int64_t own = CountOf(sound, "algorithm=MPIR_Reduce_intra_");
  EXPECT_GT(own, 2);
  EXPECT_EQ(CountOf(trapped, "algorithm=MPIR_Reduce_intra_"), 0);
  EXPECT_EQ(CountOf(trapped, kBarrier), CountOf(sound, kBarrier) + own);
  // Names that begin alike, and other communicators, stay.
  for (const char* other : {"algorithm=MPIR_Reduce_scatter_intra_", "algorithm=MPIR_Reduce_inter_",
                            "algorithm=MPIR_Allreduce_intra_"}) {
    EXPECT_GT(CountOf(sound, other), 0) << other;
    EXPECT_EQ(CountOf(trapped, other), CountOf(sound, other)) << other;
  }
  EXPECT_TRUE(library::ParseMpichTree(trapped).ok());
  EXPECT_FALSE(TrapsBySize(kMpich));
  const std::vector<std::string> all = *TrapCollectives(kMpich);
  for (const std::string& name : all) {
    EXPECT_NE(*TrapText(kMpich, {name}), sound) << name;
  }
}

TEST(ObedienceTest, VariablesMakeTheLibraryReadTheFile) {
  EXPECT_THAT(TrapVariables(kOpenMpi, "/f"),
              UnorderedElementsAre(Pair("OMPI_MCA_coll_tuned_use_dynamic_rules", "1"),
                                   Pair("OMPI_MCA_coll_tuned_dynamic_rules_filename", "/f")));
  EXPECT_THAT(TrapVariables(kMpich, "/f"),
              UnorderedElementsAre(Pair("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", "/f")));
}

TEST(ObedienceTest, OnlyTheLibrarysOwnErrorIsObedience) {
  EXPECT_EQ(JudgeTrap(kOpenMpi, 1, "*** MPI_ERR_ARG: invalid argument"), Obedience::kObeys);
  // The message is lost now and then; the code is not.
  EXPECT_EQ(JudgeTrap(kOpenMpi, 13, ""), Obedience::kObeys);
  EXPECT_EQ(JudgeTrap(kOpenMpi, 0, "MPI_ERR_ARG"), Obedience::kDoesNotObey);
  EXPECT_EQ(JudgeTrap(kOpenMpi, 1, "not enough slots"), Obedience::kUnclear);
  EXPECT_EQ(JudgeTrap(kMpich, 134, "Assertion failed in file src/mpi/coll/mpir_coll.c at line 1"),
            Obedience::kObeys);
  EXPECT_EQ(JudgeTrap(kMpich, 13, ""), Obedience::kUnclear);
  EXPECT_EQ(JudgeTrap(kMpich, 0, ""), Obedience::kDoesNotObey);
}

TEST(ObedienceTest, EveryVerdictButObedienceHasAdvice) {
  for (const std::string& library : {kOpenMpi, kMpich}) {
    EXPECT_THAT(ObedienceAdvice(library, Obedience::kObeys), IsEmpty());
    EXPECT_THAT(ObedienceAdvice(library, Obedience::kDoesNotObey), Not(IsEmpty()));
    EXPECT_THAT(ObedienceAdvice(library, Obedience::kUnclear), Not(IsEmpty()));
  }
  EXPECT_EQ(ObedienceName(Obedience::kObeys), "obeys");
  EXPECT_EQ(ObedienceName(Obedience::kDoesNotObey), "does not obey");
  EXPECT_EQ(ObedienceName(Obedience::kUnclear), "unclear");
}

TEST(ObedienceTest, RowsSayWhichLibraryTheyAreOf) {
  constexpr absl::string_view kHeader =
      "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s\n";
  EXPECT_EQ(LibraryOfRows(absl::StrCat(kHeader, "m,mpich-4.0,bcast,default,1,2,2,8,1e-6\n")),
            "mpich-4.0");
  EXPECT_EQ(LibraryOfRows(kHeader), "");
  EXPECT_EQ(LibraryOfRows("no rows at all"), "");
  EXPECT_EQ(LibraryOfRows(""), "");
}

}  // namespace
}  // namespace cox::cli
