#include "agent/job/settings.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <string>

namespace cox::agent {
namespace {

constexpr uint64_t kMs = 1'000'000;

TEST(SettingsTest, IntervalsHaveUnitsAndBounds) {
  EXPECT_EQ(ParseInterval("1s"), 1000 * kMs);
  EXPECT_EQ(ParseInterval("250ms"), 250 * kMs);
  EXPECT_EQ(ParseInterval("0.5"), 500 * kMs);
  EXPECT_EQ(ParseInterval("1ms"), kMinIntervalNs);
  EXPECT_EQ(ParseInterval("1e-300"), kMinIntervalNs);
  EXPECT_EQ(ParseInterval("1e300s"), kMaxIntervalNs);
  EXPECT_EQ(ParseInterval("inf"), kMaxIntervalNs);
}

TEST(SettingsTest, AShareIsANumberWithinItsBounds) {
  EXPECT_EQ(ParseShare("0.05"), 0.05);
  EXPECT_EQ(ParseShare("0.5"), kMostExploreShare);
  for (const char* text : {"", "5%", "0.51", "-0.1", "nan", "much"}) {
    EXPECT_EQ(ParseShare(text), 0) << text;
  }
}

TEST(SettingsTest, AMalformedIntervalIsTheDefault) {
  for (const char* text : {"", "soon", "-1s", "0", "nan", "1 s", "1m", "1msx"}) {
    EXPECT_EQ(ParseInterval(text), kDefaultIntervalNs) << text;
  }
}

std::string Machine(const char* host, int size = 64) {
  char machine[64];
  MachineFromHost(host, machine, size);
  return machine;
}

TEST(SettingsTest, NodesOfAMachineShareItsName) {
  EXPECT_EQ(Machine("node017"), "node");
  EXPECT_EQ(Machine("c12-3.cluster.example"), "c");
  EXPECT_EQ(Machine("Login_A"), "login_a");
  EXPECT_EQ(Machine("rack two"), "rack-two");
}

TEST(SettingsTest, AMachineNameIsNeverEmpty) {
  EXPECT_EQ(Machine("10"), "10");
  EXPECT_EQ(Machine(""), "localhost");
  EXPECT_EQ(Machine("..."), "localhost");
  EXPECT_EQ(Machine("---"), "localhost");
  EXPECT_EQ(Machine("abcdefghijkl", 5), "abcd");
}

class EnvironmentTest : public testing::Test {
 protected:
  ~EnvironmentTest() override {
    for (const char* name : {"COX_DISABLE", "COX_MACHINE", "COX_JOB", "COX_SPOOL", "COX_SERVER",
                             "COX_INTERVAL", "COX_LOG", "COX_APPLY", "SLURM_CLUSTER_NAME"}) {
      unsetenv(name);
    }
  }
};

TEST_F(EnvironmentTest, ApplyingMayIncludeOurOwnLibrary) {
  EXPECT_FALSE(ReadSettings().applies);
  setenv("COX_APPLY", "1", 1);
  EXPECT_TRUE(ReadSettings().applies);
  EXPECT_FALSE(ReadSettings().applies_coxcoll);
  setenv("COX_APPLY", "ours", 1);
  EXPECT_TRUE(ReadSettings().applies);
  EXPECT_TRUE(ReadSettings().applies_coxcoll);
}

TEST_F(EnvironmentTest, DefaultsAreDocumented) {
  const Settings settings = ReadSettings();
  EXPECT_FALSE(settings.disabled);
  EXPECT_FALSE(settings.log);
  EXPECT_EQ(settings.interval_ns, kDefaultIntervalNs);
  EXPECT_STREQ(settings.server, "127.0.0.1:7077");
  EXPECT_STREQ(settings.job, "");
  EXPECT_STREQ(settings.spool, "");
  EXPECT_STRNE(settings.machine, "");
  EXPECT_STRNE(settings.node, "");
}

TEST_F(EnvironmentTest, WhatIsSetIsTaken) {
  setenv("COX_MACHINE", "abel", 1);
  setenv("SLURM_CLUSTER_NAME", "other", 1);
  setenv("COX_SERVER", "unix:/run/coxd.sock", 1);
  setenv("COX_LOG", "1", 1);
  const Settings settings = ReadSettings();
  EXPECT_STREQ(settings.machine, "abel");
  EXPECT_STREQ(settings.server, "unix:/run/coxd.sock");
  EXPECT_TRUE(settings.log);
}

TEST_F(EnvironmentTest, TheClusterNamesTheMachine) {
  setenv("SLURM_CLUSTER_NAME", "fram", 1);
  EXPECT_STREQ(ReadSettings().machine, "fram");
}

TEST_F(EnvironmentTest, DisableTakesTheUsualWords) {
  for (const char* off : {"1", "true", "yes", "on"}) {
    setenv("COX_DISABLE", off, 1);
    EXPECT_TRUE(ReadSettings().disabled) << off;
  }
  for (const char* on : {"", "0", "false", "no", "off"}) {
    setenv("COX_DISABLE", on, 1);
    EXPECT_FALSE(ReadSettings().disabled) << on;
  }
}

TEST_F(EnvironmentTest, WhatIsTooLongIsCut) {
  setenv("COX_MACHINE", std::string(10'000, 'm').c_str(), 1);
  setenv("COX_JOB", std::string(10'000, 'j').c_str(), 1);
  const Settings settings = ReadSettings();
  EXPECT_EQ(std::string(settings.machine).size(), sizeof(settings.machine) - 1);
  EXPECT_EQ(std::string(settings.job).size(), sizeof(settings.job) - 1);
}

TEST(SettingsTest, SharesOfSamplesAreHeldWithinTheirRange) {
  EXPECT_DOUBLE_EQ(ParseSynchronisedShare("2%"), 0.02);
  EXPECT_DOUBLE_EQ(ParseSynchronisedShare("0.001%"), 0.001);
  EXPECT_DOUBLE_EQ(ParseSynchronisedShare("99%"), 0.5);
  EXPECT_DOUBLE_EQ(ParseSynchronisedShare("0%"), 0);
  EXPECT_TRUE(std::isinf(ParseSynchronisedShare("always")));
  for (const char* no_share : {"1", "yes", "%", "2 %", "-1%", "nan%", "2%%"}) {
    EXPECT_DOUBLE_EQ(ParseSynchronisedShare(no_share), 0.005) << no_share;
  }
}

TEST(SettingsTest, LimitsAreHeldWithinTheirRange) {
  EXPECT_EQ(ParseLimit("300ms"), 300'000'000);
  EXPECT_EQ(ParseLimit("1s"), 1'000'000'000);
  EXPECT_EQ(ParseLimit("0.0001ms"), kMinLimitNs);
  EXPECT_EQ(ParseLimit("1e9"), kMaxLimitNs);
  for (const char* malformed : {"", "soon", "1h", "-1s", "nan"}) {
    EXPECT_EQ(ParseLimit(malformed), kDefaultLimitNs) << malformed;
  }
}

TEST(SettingsTest, WordsOfAList) {
  EXPECT_TRUE(HasWord("any-order", "any-order"));
  EXPECT_TRUE(HasWord("commutative,any-order,x", "any-order"));
  for (const char* list : {"", ",", "any-orders", "no-any-order", "any-order x", "any"}) {
    EXPECT_FALSE(HasWord(list, "any-order")) << list;
  }
  EXPECT_FALSE(HasWord(nullptr, "any-order"));
}

}  // namespace
}  // namespace cox::agent
