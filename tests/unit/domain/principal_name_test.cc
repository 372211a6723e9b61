#include "domain/principal_name.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace cox::domain
