#include "service/entry/known_callers.h"

#include <gtest/gtest.h>

namespace cox::service {
namespace {

KnownCallers::Who Named(const std::string& name) {
  access::Principal principal;
  principal.name = name;
  return principal;
}

TEST(KnownCallers, ATicketIsGoodOnce) {
  KnownCallers callers;
  const auto one = callers.Issue(Named("token:one"), absl::OkStatus());
  const auto two = callers.Issue(Named("token:two"), absl::OkStatus());
  ASSERT_TRUE(one.ok());
  ASSERT_TRUE(two.ok());
  const auto who = callers.Redeem((*two)->text());
  ASSERT_TRUE(who && who->ok());
  EXPECT_EQ((*who)->name, "token:two");
  EXPECT_FALSE(callers.Redeem((*two)->text()));
  EXPECT_EQ((*callers.Redeem((*one)->text()))->name, "token:one");
  EXPECT_FALSE(callers.Redeem(""));
}

TEST(KnownCallers, ATicketEndsWithItsCall) {
  KnownCallers callers;
  std::string text;
  {
    const auto ticket = callers.Issue(Named("token:one"), absl::OkStatus());
    ASSERT_TRUE(ticket.ok());
    text = (*ticket)->text();
    EXPECT_EQ(text.size(), 32U);
  }
  EXPECT_FALSE(callers.Redeem(text));
}

TEST(KnownCallers, TheDoorHearsWhyACallerIsNotKnown) {
  KnownCallers callers;
  const absl::Status unknown = absl::UnauthenticatedError("the token is not known here");
  const auto ticket = callers.Issue(unknown, unknown);
  ASSERT_TRUE(ticket.ok());
  EXPECT_EQ((*ticket)->allowed(), unknown);
  EXPECT_EQ(callers.Redeem((*ticket)->text())->status(), unknown);
}

}  // namespace
}  // namespace cox::service
