#include "access/rules.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace cox::access {
namespace {

TEST(Rules, NoMethodStandsTwice) {
  std::set<std::string> methods;
  for (const Rule& rule : Rules()) EXPECT_TRUE(methods.emplace(rule.method).second) << rule.method;
}

TEST(Rules, EveryMethodNeedsARole) {
  for (const Rule& rule : Rules()) EXPECT_GT(rule.role, Role::kNone) << rule.method;
}

TEST(Rules, FindsARowByItsMethod) {
  for (const Rule& rule : Rules()) EXPECT_EQ(FindRule(rule.method), &rule);
  EXPECT_EQ(FindRule("cox.v1.AdviceService/NoSuchMethod"), nullptr);
  EXPECT_EQ(FindRule(""), nullptr);
}

TEST(Roles, HaveNamesThatCanBeReadBack) {
  for (const Role role :
       {Role::kNone, Role::kViewer, Role::kReporter, Role::kOperator, Role::kAdmin}) {
    EXPECT_EQ(ParseRole(RoleName(role)), role);
  }
  for (const char* nonsense : {"", "root", "Admin", "admin "}) {
    EXPECT_FALSE(ParseRole(nonsense)) << nonsense;
  }
}

}  // namespace
}  // namespace cox::access
