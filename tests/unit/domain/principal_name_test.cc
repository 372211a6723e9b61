#include "domain/principal_name.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

namespace cox::domain {
namespace {

TEST(PrincipalName, OnlyPrincipalsHaveSuchNames) {
  for (const char* name : {"uid:1000", "token:ci", "cert:node1.example", "slurm:ada", "anonymous",
                           "token:relay/uid:1000"}) {
    EXPECT_TRUE(IsPrincipalName(name)) << name;
  }
  for (const char* name : {"", "ada@login", "history.csv", "anonymous2", "uid", "my uid:1000"}) {
    EXPECT_FALSE(IsPrincipalName(name)) << name;
  }
}

TEST(PrincipalName, IsWhatAJobBeginsWith) {
  EXPECT_EQ(PrincipalOfJob("uid:1000/4711"), "uid:1000");
  EXPECT_EQ(PrincipalOfJob("token:relay/uid:1000/4711"), "token:relay");
  EXPECT_EQ(PrincipalOfJob("train-7"), "train-7");
  EXPECT_EQ(PrincipalOfJob(""), "");
}

TEST(PrincipalName, ReportersHaveNumbersAndOthersHaveNone) {
  EXPECT_EQ(ReporterNumber(""), 0);
  EXPECT_EQ(ReporterNumber("history.csv"), 0);
  // In databases: it must not change.
  EXPECT_EQ(ReporterNumber("uid:1000"), 1673);
  std::set<int64_t> numbers;
  for (int user = 0; user < 1'000; ++user) {
    const int64_t number = ReporterNumber("uid:" + std::to_string(user));
    EXPECT_GE(number, 1);
    EXPECT_LE(number, kMaxReporterNumber);
    numbers.insert(number);
  }
  // 970 if each number is equally likely.
  EXPECT_GT(numbers.size(), 940u);
}

}  // namespace
}  // namespace cox::domain
