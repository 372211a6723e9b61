#include "service/names.h"

#include <gtest/gtest.h>

#include <string>

#include "domain/errors.h"

namespace cox::service {
namespace {

TEST(Names, AMachineIsGivenBareOrAsAResource) {
  EXPECT_EQ(ParseMachine("delta", "machine").value(), "delta");
  EXPECT_EQ(ParseMachine("machines/cm-5.a_b", "machine").value(), "cm-5.a_b");
  EXPECT_EQ(MachineName("delta"), "machines/delta");
}

TEST(Names, ABadMachineNamesTheField) {
  for (const std::string& name :
       {std::string(), std::string("machines/"), std::string("Delta"), std::string("a/b"),
        std::string("-a"), std::string(64, 'a'), std::string("a\0b", 3), std::string("../etc")}) {
    const auto parsed = ParseMachine(name, "parent");
    ASSERT_FALSE(parsed.ok()) << name;
    EXPECT_EQ(domain::FieldOf(parsed.status()), "parent") << name;
  }
  EXPECT_TRUE(ParseMachine(std::string(63, 'a'), "machine").ok());
}

TEST(Names, AProfileIsARevisionOrTheOneThatSpeaks) {
  const auto third = ParseProfile("machines/delta/profiles/3", "name");
  ASSERT_TRUE(third.ok());
  EXPECT_EQ(third->machine, "delta");
  EXPECT_EQ(third->revision, 3);
  EXPECT_EQ(ParseProfile("machines/delta/profiles/-", "name")->revision, 0);
  EXPECT_EQ(ProfileResourceName("delta", 3), "machines/delta/profiles/3");
}

TEST(Names, ABadProfileIsRefused) {
  for (const char* name :
       {"", "delta", "machines/delta", "machines/delta/profiles/", "machines/delta/profiles/0",
        "machines/delta/profiles/-1", "machines/delta/profiles/x", "machines//profiles/1",
        "machines/delta/profiles/99999999999999999999"}) {
    EXPECT_EQ(ParseProfile(name, "name").status().code(), absl::StatusCode::kInvalidArgument)
        << name;
  }
}

}  // namespace
}  // namespace cox::service
