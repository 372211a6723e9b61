#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "library/formats.h"

namespace cox::library {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> Check(const std::string& text) { return CheckOpenMpiRules(text, {}); }

// One collective (3: alltoall) with guard entries around 8 ranks.
std::string Alltoall(const std::string& rows, int row_count) {
  return "1\n3 3\n2 1\n0 0 0 0\n8 " + std::to_string(row_count) + "\n" + rows + "\n9 1\n0 0 0 0\n";
}

TEST(CheckOpenMpiRulesTest, ASoundFileHasNoFindings) {
  EXPECT_THAT(Check(Alltoall("0 3 0 0\n256 2 0 0\n4096 1 0 0", 3)), IsEmpty());
  EXPECT_THAT(Check("# nothing: 08 and words in comments do not count\n1 3 0"), IsEmpty());
  EXPECT_THAT(Check("1 3 1 2 1 0 2 0 0  # every communicator"), IsEmpty());
}

TEST(CheckOpenMpiRulesTest, WhatDropsTheCompleteFile) {
  for (const char* text : {"", "# only a comment", "x", "1", "1 3", "1 3 1", "1 3 1 2", "1 3 1 2 1",
                           "1 3 1 2 1 0 2 0",     // a row too short
                           "2 3 1 2 1 0 2 0 0",   // a collective too few
                           "23 3 1 2 1 0 2 0 0",  // more collectives than there are
                           "1 22 1 2 1 0 2 0 0",  // no such collective
                           "1 3 1 2 1 8 2 0 0",   // the first size is not 0
                           "1 3 1 2 1 0 -2 0 0",  // negative
                           "1 3 1 2 1 0 99999999999999999999 0 0"}) {
    EXPECT_THAT(Check(text), Contains(HasSubstr("ignores the complete file"))) << text;
  }
}

TEST(CheckOpenMpiRulesTest, SizesThatDoNotAscendNeverMatch) {
  EXPECT_THAT(Check(Alltoall("0 3 0 0\n1024 2 0 0\n512 1 0 0", 3)),
              ElementsAre(HasSubstr("message size 512 after 1024")));
  EXPECT_THAT(Check(Alltoall("0 3 0 0\n512 2 0 0\n512 1 0 0", 3)),
              ElementsAre(HasSubstr("message size 512 after 512")));
  EXPECT_THAT(Check("1 3 2 8 1 0 0 0 0 4 1 0 2 0 0"),
              Contains(HasSubstr("communicator size 4 after 8")));
}

TEST(CheckOpenMpiRulesTest, NumbersThatAreNotDecimal) {
  EXPECT_THAT(Check(Alltoall("0 3 0 0\n010 2 0 0", 2)), Contains(HasSubstr("line 7: 010")));
  EXPECT_THAT(Check(Alltoall("0 3 0 0\n0x10 2 0 0", 2)), Contains(HasSubstr("line 7: 0x10")));
}

TEST(CheckOpenMpiRulesTest, WordsOutsideComments) {
  // Later versions' first line: this version reads "2" and takes it for the count of collectives.
  EXPECT_THAT(Check("rule-file-version-2\n" + Alltoall("0 3 0 0", 1)),
              Contains(HasSubstr("line 1: only numbers count")));
  EXPECT_THAT(Check("1 3 1 2 1 0 2a 0 0"), Contains(HasSubstr("only numbers count")));
}

TEST(CheckOpenMpiRulesTest, ACollectiveGivenTwice) {
  EXPECT_THAT(Check("2 3 1 2 1 0 2 0 0 3 1 2 1 0 1 0 0"),
              Contains(HasSubstr("alltoall: given twice, the last one wins")));
}

TEST(CheckOpenMpiRulesTest, NumbersThatAreLeftOver) {
  // Five numbers in the last row, as later versions have it.
  EXPECT_THAT(Check("1 3 1 2 1 0 2 0 0 4"), ElementsAre(HasSubstr("1 numbers after the last")));
  EXPECT_THAT(Check("1 3 1 2 1 0 2 0 0 7 1 2 1 0 6 0 0"),
              ElementsAre(HasSubstr("8 numbers after")));
}

TEST(CheckOpenMpiRulesTest, AlgorithmsThatFail) {
  EXPECT_THAT(Check(Alltoall("0 6 0 0", 1)), ElementsAre(HasSubstr("algorithm 6 does not exist")));
  EXPECT_THAT(Check(Alltoall("0 5 0 0", 1)), ElementsAre(HasSubstr("exactly two ranks")));
  EXPECT_THAT(Check("1 3 1 2 1 0 5 0 0"), ElementsAre(HasSubstr("exactly two ranks")));
  EXPECT_THAT(Check("1 3 2 2 1 0 5 0 0 3 1 0 0 0 0"), IsEmpty());
}

TEST(CheckOpenMpiRulesTest, AFirstEntryIsUsedForSmallerCommunicatorsToo) {
  EXPECT_THAT(Check("1 3 1 8 1 0 2 0 0"),
              ElementsAre(HasSubstr("communicator size 8 comes first")));
}

TEST(CheckOpenMpiRulesTest, CollectivesWhoseSizesAreNotWhatTheySeem) {
  // gather (9), scatter (15): ranks may disagree. barrier (6), alltoallv (4): always 0 bytes. scan
  // (14), exscan (8): the count is not in it.
  for (const char* id : {"9", "15", "6", "4", "14", "8"}) {
    const std::string head = std::string("1 ") + id + " 1 2 ";
    EXPECT_THAT(Check(head + "2 0 1 0 0 64 2 0 0"), ElementsAre(HasSubstr("more than one row")))
        << id;
    EXPECT_THAT(Check(head + "1 0 1 0 0"), IsEmpty()) << id;
  }
}

TEST(CheckOpenMpiRulesTest, CollectivesWithoutAlgorithms) {
  for (const char* id : {"5", "10", "16", "17", "21"}) {
    EXPECT_THAT(Check(std::string("1 ") + id + " 1 2 1 0 1 0 0"),
                ElementsAre(HasSubstr("have no effect")))
        << id;
  }
}

TEST(CheckOpenMpiRulesTest, AlgorithmsThatNeedACommutativeOperation) {
  const std::vector<std::pair<int, std::vector<int>>> unsafe = {
      {2, {4, 5}}, {11, {2, 3, 4, 5}}, {12, {2, 3}}, {0, {}}, {3, {}}, {7, {}}, {13, {}}};
  for (const auto& [collective, algorithms] : unsafe) {
    for (int algorithm = 1; algorithm <= 4; ++algorithm) {
      const std::string text =
          "1 " + std::to_string(collective) + " 1 2 1 0 " + std::to_string(algorithm) + " 0 0";
      const bool wrong =
          std::find(algorithms.begin(), algorithms.end(), algorithm) != algorithms.end();
      EXPECT_EQ(!Check(text).empty(), wrong) << text;
      EXPECT_THAT(CheckOpenMpiRules(text, kUsualCalls), IsEmpty()) << text;
    }
  }
}

TEST(CheckOpenMpiRulesTest, AnEntryThatCanNeverMatch) {
  EXPECT_THAT(Check("1 3 2 1 1 0 2 0 0 2 1 0 1 0 0"),
              ElementsAre(HasSubstr("communicator size 1: can never match")));
}

// What version 5.0 adds: algorithms, and files of the second version.
TEST(CheckOpenMpiRulesTest, VersionsOfTheLibrary) {
  const std::string sparbit = "1 0 1 2 1 0 7 0 0";
  EXPECT_THAT(Check(sparbit), ElementsAre(HasSubstr("algorithm 7 does not exist")));
  EXPECT_THAT(CheckOpenMpi50Rules(sparbit, {}), IsEmpty());
  EXPECT_THAT(CheckOpenMpi50Rules("1 0 1 2 1 0 8 0 0", {}),
              ElementsAre(HasSubstr("algorithm 8 does not exist (1 to 7)")));
  // Five numbers in the first row, four in the second.
  const std::string second = "rule-file-version-2\n1\n3\n1\n2 2\n0 4 0 0 16\n64 2 0 0\n";
  EXPECT_THAT(Check(second), ElementsAre(HasSubstr("ignores the complete file")));
  EXPECT_THAT(CheckOpenMpi50Rules(second, {}), IsEmpty());
  EXPECT_THAT(CheckOpenMpi50Rules("1 3 1 2 2 0 4 0 0 16\n64 2 0 0", {}), Not(IsEmpty()));
  EXPECT_THAT(CheckOpenMpi50Rules("# first\n" + second, {}),
              Contains(HasSubstr("ignores the complete file")));
}

}  // namespace
}  // namespace cox::library
