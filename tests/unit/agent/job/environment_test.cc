#include "agent/job/environment.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <set>
#include <string>

namespace cox::agent {
namespace {

std::set<std::string> Entries() {
  std::set<std::string> entries;
  for (const char* const* entry = EnvironmentAtInit(); *entry != nullptr; ++entry) {
    entries.insert(*entry);
  }
  return entries;
}

TEST(Environment, StaysAsItWasAtTheFirstCall) {
  setenv("COX_BEFORE", "a b", 1);
  setenv("COX_EMPTY", "", 1);
  const std::set<std::string> first = Entries();
  EXPECT_TRUE(first.contains("COX_BEFORE=a b"));
  EXPECT_TRUE(first.contains("COX_EMPTY="));
  setenv("COX_BEFORE", "c", 1);
  setenv("COX_AFTER", "d", 1);
  EXPECT_EQ(Entries(), first);
  for (const char* name : {"COX_BEFORE", "COX_EMPTY", "COX_AFTER"}) unsetenv(name);
}

}  // namespace
}  // namespace cox::agent
