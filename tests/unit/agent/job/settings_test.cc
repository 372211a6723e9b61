#include "agent/job/settings.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

namespace cox::agent {
namespace {

constexpr uint64_t kMs = 1'000'000;

// The time that a value gives; 0 where it is refused.
uint64_t IntervalNs(const char* text) {
  Settings settings = {};
  return ParseInterval(text, &settings) ? settings.interval_ns : 0;
}

uint64_t LimitNs(const char* text) {
  Settings settings = {};
  return ParseLimit(text, &settings) ? settings.limit_ns : 0;
}

TEST(SettingsTest, IntervalsHaveUnitsAndBounds) {
  EXPECT_EQ(IntervalNs("1s"), 1000 * kMs);
  EXPECT_EQ(IntervalNs("250ms"), 250 * kMs);
  EXPECT_EQ(IntervalNs("0.5"), 500 * kMs);
  EXPECT_EQ(IntervalNs("50ms"), kMinIntervalNs);
  EXPECT_EQ(IntervalNs("3600s"), kMaxIntervalNs);
  for (const char* text :
       {"1ms", "1e-300", "1e300s", "inf", "", "soon", "-1s", "0", "nan", "1 s", "1m", "1msx"}) {
    EXPECT_EQ(IntervalNs(text), 0) << text;
  }
}

TEST(SettingsTest, AShareIsANumberWithinItsBounds) {
  Settings settings = {};
  EXPECT_TRUE(ParseExplore("0.05", &settings));
  EXPECT_EQ(settings.explore_share, 0.05);
  EXPECT_TRUE(ParseExplore("0.5", &settings));
  EXPECT_EQ(settings.explore_share, kMostExploreShare);
  for (const char* text : {"", "5%", "0.51", "-0.1", "nan", "much", "9e-7"}) {
    EXPECT_FALSE(ParseExplore(text, &settings)) << text;
    EXPECT_EQ(settings.explore_share, kMostExploreShare) << text;
  }
}

TEST(SettingsTest, ACanaryIsAShareOfTheCallsOrTheWholeJob) {
  Settings settings = {};
  EXPECT_TRUE(ParseCanary("5%", &settings));
  EXPECT_DOUBLE_EQ(settings.canary_share, 0.05);
  EXPECT_FALSE(settings.is_canary);
  for (const char* text :
       {"", "0.05", "51%", "-1%", "always", "jobs", "nan%", "0.00009%", "1e-20%"}) {
    EXPECT_FALSE(ParseCanary(text, &settings)) << text;
    EXPECT_DOUBLE_EQ(settings.canary_share, 0.05) << text;
  }
  EXPECT_TRUE(ParseCanary("0.0001%", &settings));
  EXPECT_DOUBLE_EQ(settings.canary_share, 1e-6);
  EXPECT_TRUE(ParseCanary("job", &settings));
  EXPECT_TRUE(settings.is_canary);
  EXPECT_EQ(settings.canary_share, 0);
}

class EnvironmentTest : public testing::Test {
 protected:
  ~EnvironmentTest() override {
    for (const char* name : {"COX_DISABLE", "COX_MACHINE", "COX_JOB", "COX_SPOOL", "COX_SERVER",
                             "COX_INTERVAL", "COX_LOG", "COX_APPLY", "COX_SYNC", "COX_APPLICATION",
                             "COX_LIMIT", "SLURM_CLUSTER_NAME"}) {
      unsetenv(name);
    }
  }
};

TEST_F(EnvironmentTest, ApplyingMayIncludeCoxcoll) {
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

TEST_F(EnvironmentTest, TheSpoolStaysWhereTheJobBegan) {
  setenv("COX_SPOOL", "late.csv", 1);
  EXPECT_EQ(ReadSettings().spool, (std::filesystem::current_path() / "late.csv").string());
  setenv("COX_SPOOL", "/tmp/late.csv", 1);
  EXPECT_STREQ(ReadSettings().spool, "/tmp/late.csv");
}

TEST_F(EnvironmentTest, TheClusterNamesTheMachine) {
  setenv("SLURM_CLUSTER_NAME", "fram", 1);
  EXPECT_STREQ(ReadSettings().machine, "fram");
}

TEST_F(EnvironmentTest, DisableTakesTheWordsOfSwitches) {
  for (const char* off : {"1", "true", "yes", "on"}) {
    setenv("COX_DISABLE", off, 1);
    EXPECT_TRUE(ReadSettings().disabled) << off;
  }
  for (const char* on : {"", "0", "false", "no", "off", "banana"}) {
    setenv("COX_DISABLE", on, 1);
    EXPECT_FALSE(ReadSettings().disabled) << on;
  }
}

TEST_F(EnvironmentTest, AJobsNameThatTheDaemonCannotTakeCountsAsNotSet) {
  for (const std::string& name : {std::string("a/b c~1"), std::string(95, 'j')}) {
    setenv("COX_JOB", name.c_str(), 1);
    const Settings settings = ReadSettings();
    EXPECT_EQ(settings.job, name);
    EXPECT_EQ(settings.refused, 0U);
  }
  // The node's name follows an '@', and both have 128 bytes at most.
  for (const std::string& name :
       {std::string(96, 'j'), std::string(10'000, 'j'), std::string("a@b"), std::string("a\nb"),
        std::string("a\x7f"), std::string("a\xff")}) {
    setenv("COX_JOB", name.c_str(), 1);
    const Settings settings = ReadSettings();
    EXPECT_STREQ(settings.job, "") << name;
    testing::internal::CaptureStderr();
    WriteRefused(settings);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("ignored COX_JOB="), std::string::npos);
  }
}

TEST_F(EnvironmentTest, AClustersNameBecomesAMachinesName) {
  setenv("SLURM_CLUSTER_NAME", "-My Cluster.2", 1);
  EXPECT_STREQ(ReadSettings().machine, "my-cluster.2");
  setenv("SLURM_CLUSTER_NAME", std::string(100, 'c').c_str(), 1);
  EXPECT_EQ(ReadSettings().machine, std::string(63, 'c'));
  setenv("SLURM_CLUSTER_NAME", "--", 1);
  EXPECT_STRNE(ReadSettings().machine, "");
}

TEST_F(EnvironmentTest, TheApplicationIsTheProgramUnlessNamed) {
  EXPECT_STREQ(ReadSettings().application, "unit_agent");
  setenv("COX_APPLICATION", "solver\n2", 1);
  EXPECT_STREQ(ReadSettings().application, "solver?2");
}

TEST_F(EnvironmentTest, NamesThatTheDaemonWouldRefuseCountAsNotSet) {
  setenv("SLURM_CLUSTER_NAME", "fram", 1);
  for (const std::string& name :
       {std::string("abel"), std::string("9.x_y-z"), std::string(63, 'm')}) {
    setenv("COX_MACHINE", name.c_str(), 1);
    const Settings settings = ReadSettings();
    EXPECT_EQ(settings.machine, name);
    EXPECT_EQ(settings.refused, 0U);
  }
  for (const std::string& name :
       {std::string("Abel"), std::string("my machine"), std::string("-x"), std::string(64, 'm')}) {
    setenv("COX_MACHINE", name.c_str(), 1);
    const Settings settings = ReadSettings();
    EXPECT_STREQ(settings.machine, "fram") << name;
    EXPECT_NE(settings.refused, 0U) << name;
  }
}

TEST_F(EnvironmentTest, AnAddressHasAPortOrAPath) {
  for (const char* address :
       {"127.0.0.1:7077", "[::1]:1", "head.cluster.example:65535", "unix:/run/coxd.sock",
        "a:7077,b:7077,unix:/run/coxd.sock", "dns:coxd.site:7077", "ab:1,a:1"}) {
    setenv("COX_SERVER", address, 1);
    const Settings settings = ReadSettings();
    EXPECT_STREQ(settings.server, address);
    EXPECT_EQ(settings.refused, 0U);
  }
  for (const char* address :
       {"nonsense", "nonsense://%%", "host:0", "host:65536", "host:-1", "host:", ":7077",
        "host:7o77", "unix:", "http://host:7077", "a host:7077", "a:7077,", ",a:7077",
        "a:7077,,b:7077", "a:7077,b:7077,a:7077", "a:7077,b:65536", "a:7077, b:7077", "dns:7077",
        "host:99999999999999999999"}) {
    setenv("COX_SERVER", address, 1);
    const Settings settings = ReadSettings();
    EXPECT_STREQ(settings.server, "127.0.0.1:7077") << address;
    EXPECT_NE(settings.refused, 0U) << address;
  }
}

// What COX_SYNC gives; -1 where it is refused.
double SynchronisedShare(const char* text) {
  Settings settings = {};
  return ParseSync(text, &settings) ? settings.synchronised_share : -1;
}

TEST(SettingsTest, SharesOfSamplesHaveBounds) {
  EXPECT_DOUBLE_EQ(SynchronisedShare("1"), 0.005);
  EXPECT_DOUBLE_EQ(SynchronisedShare("yes"), 0.005);
  EXPECT_DOUBLE_EQ(SynchronisedShare("2%"), 0.02);
  EXPECT_DOUBLE_EQ(SynchronisedShare("0.1%"), 0.001);
  EXPECT_DOUBLE_EQ(SynchronisedShare("5e-3%"), 5e-5);
  EXPECT_DOUBLE_EQ(SynchronisedShare("50%"), 0.5);
  EXPECT_DOUBLE_EQ(SynchronisedShare("0%"), 0);
  EXPECT_DOUBLE_EQ(SynchronisedShare("0"), 0);
  EXPECT_TRUE(std::isinf(SynchronisedShare("always")));
  for (const char* refused :
       {"banana", "%", "2 %", "-1%", "nan%", "2%%", "99%", "999999%", "2", "inf%"}) {
    EXPECT_DOUBLE_EQ(SynchronisedShare(refused), -1) << refused;
  }
}

// What COX_PRIVATE gives; -1 where it is refused.
double PrivateShare(const char* text) {
  Settings settings = {};
  return ParsePrivate(text, &settings) ? settings.private_share : -1;
}

TEST(SettingsTest, SharesOfPrivateCommunicatorsHaveBounds) {
  EXPECT_DOUBLE_EQ(ReadSettings().private_share, kDefaultPrivateShare);
  EXPECT_DOUBLE_EQ(PrivateShare("10%"), 0.1);
  EXPECT_DOUBLE_EQ(PrivateShare("0%"), 0);
  EXPECT_TRUE(std::isinf(PrivateShare("always")));
  for (const char* refused : {"1", "0", "yes", "51%", "-1%", "nan%", "%", "5 %", "ever"}) {
    EXPECT_DOUBLE_EQ(PrivateShare(refused), -1) << refused;
  }
}

TEST(SettingsTest, LimitsHaveBounds) {
  EXPECT_EQ(LimitNs("300ms"), 300'000'000);
  EXPECT_EQ(LimitNs("1s"), 1'000'000'000);
  for (const char* refused : {"", "soon", "1h", "-1s", "nan", "0.0001ms", "1e9"}) {
    EXPECT_EQ(LimitNs(refused), 0) << refused;
  }
}

TEST(SettingsTest, PromisesAreKnownWords) {
  Settings settings = {};
  EXPECT_TRUE(ParseAssume("commutative,any-order", &settings));
  EXPECT_TRUE(settings.any_order);
  EXPECT_FALSE(settings.same_counts);
  EXPECT_TRUE(ParseAssume("elements>=ranks,same-counts", &settings));
  EXPECT_TRUE(settings.elements_at_least_ranks);
  EXPECT_TRUE(settings.same_counts);
  for (const char* refused : {"any-orders", "no-any-order", "any-order x", "any", "any-order,x"}) {
    Settings none = {};
    EXPECT_FALSE(ParseAssume(refused, &none)) << refused;
    EXPECT_FALSE(none.any_order) << refused;
  }
}

TEST_F(EnvironmentTest, RefusedValuesCountAsNotSetAndAreNamedOnce) {
  setenv("COX_APPLY", "banana", 1);
  setenv("COX_SYNC", "999999%", 1);
  setenv("COX_LIMIT", "1\n2", 1);
  setenv("COX_INTERVAL", "2s", 1);
  const Settings settings = ReadSettings();
  EXPECT_FALSE(settings.applies);
  EXPECT_FALSE(settings.synchronises);
  EXPECT_EQ(settings.limit_ns, kDefaultLimitNs);
  EXPECT_EQ(settings.interval_ns, 2000 * kMs);
  testing::internal::CaptureStderr();
  WriteRefused(settings);
  const std::string lines = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 3) << lines;
  EXPECT_NE(lines.find("ignored COX_APPLY=banana: must be 0, 1 or ours"), std::string::npos);
  EXPECT_NE(lines.find("ignored COX_SYNC=999999%: must be"), std::string::npos);
  EXPECT_NE(lines.find("ignored COX_LIMIT=1?2: must be a time"), std::string::npos);
}

}  // namespace
}  // namespace cox::agent
