#include "access/quotas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"

namespace cox::access {
namespace {

constexpr int64_t kSecond_us = 1'000'000;
constexpr int64_t kHour_us = 3'600 * kSecond_us;

Principal Of(const std::string& name, Role role = Role::kReporter) {
  Principal principal;
  principal.kind = Principal::Kind::kToken;
  principal.name = name;
  principal.role = role;
  return principal;
}

class QuotasTest : public ::testing::Test {
 protected:
  bool MayTake(Quota quota, int64_t amount, const std::string& who = "token:a") {
    return quotas_.Take(Of(who), quota, amount).ok();
  }

  int64_t now_us_ = 1'000 * kSecond_us;
  // 100 rows a second, 2 machines a day, 3 jobs an hour, 60 questions a minute, 2 streams.
  Quotas quotas_{{100, 2, 3, 60, 2}, [this] { return now_us_; }};
};

TEST_F(QuotasTest, AdmitsABurstAndThenTheRate) {
  EXPECT_TRUE(MayTake(Quota::kRows, 600));
  EXPECT_TRUE(MayTake(Quota::kRows, 400)) << "ten seconds' rows at once";
  EXPECT_FALSE(MayTake(Quota::kRows, 1));
  now_us_ += kSecond_us;
  EXPECT_FALSE(MayTake(Quota::kRows, 101));
  EXPECT_TRUE(MayTake(Quota::kRows, 100)) << "what was refused took nothing";
  EXPECT_FALSE(MayTake(Quota::kRows, 1));
}

TEST_F(QuotasTest, TheRateHoldsOverALongTime) {
  int64_t taken = 0;
  for (int i = 0; i < 10'000; ++i) {
    taken += MayTake(Quota::kRows, 20) ? 20 : 0;
    now_us_ += kSecond_us / 100;  // asks for 2,000 a second, for 100 seconds
  }
  EXPECT_GE(taken, 10'900);
  EXPECT_LE(taken, 11'020) << "100 a second and one burst";
}

TEST_F(QuotasTest, ARefusalSaysWhenThereIsRoom) {
  ASSERT_TRUE(MayTake(Quota::kRows, 1'000));
  const absl::Status refused = quotas_.Take(Of("token:a"), Quota::kRows, 250);
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(refused.message().find("quota-rows"), absl::string_view::npos) << refused;
  EXPECT_NE(refused.message().find("token:a"), absl::string_view::npos) << refused;
  ASSERT_TRUE(domain::RetryDelayOf(refused).has_value());
  EXPECT_NEAR(*domain::RetryDelayOf(refused), 2.5, 1e-9);
  now_us_ += kSecond_us * 5 / 2 - 1;
  EXPECT_FALSE(MayTake(Quota::kRows, 250));
  now_us_ += 1;
  EXPECT_TRUE(MayTake(Quota::kRows, 250));
  EXPECT_EQ(quotas_.refused_count(Quota::kRows), 2);
  EXPECT_EQ(quotas_.refused_count(Quota::kJobs), 0);
}

TEST_F(QuotasTest, AnAmountOverTheBurstPassesAlone) {
  EXPECT_TRUE(MayTake(Quota::kRows, 20'000));
  EXPECT_FALSE(MayTake(Quota::kRows, 20'000));
  now_us_ += 200 * kSecond_us;
  EXPECT_TRUE(MayTake(Quota::kRows, 20'000));
}

TEST_F(QuotasTest, OnePrincipalTakesNothingFromAnother) {
  ASSERT_TRUE(MayTake(Quota::kRows, 1'000, "token:a"));
  EXPECT_FALSE(MayTake(Quota::kRows, 1, "token:a"));
  EXPECT_TRUE(MayTake(Quota::kRows, 1'000, "token:b"));
}

TEST_F(QuotasTest, OperatorsHaveNone) {
  for (const Role role : {Role::kOperator, Role::kAdmin}) {
    for (int i = 0; i < 10; ++i) {
      EXPECT_TRUE(quotas_.Take(Of("uid:0", role), Quota::kMachines, 100).ok());
      EXPECT_TRUE(quotas_.TakeJob(Of("uid:0", role), absl::StrCat(i)).ok());
      EXPECT_TRUE(quotas_.OpenStream(Of("uid:0", role)).ok());
    }
  }
}

TEST_F(QuotasTest, ZeroIsNoLimit) {
  Quotas none({0, 0, 0, 0, 0}, [this] { return now_us_; });
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_TRUE(none.Take(Of("a"), Quota::kRows, 20'000).ok());
    ASSERT_TRUE(none.TakeJob(Of("a"), absl::StrCat(i)).ok());
    ASSERT_TRUE(none.OpenStream(Of("a")).ok());
  }
}

TEST_F(QuotasTest, AKnownJobCostsNothing) {
  for (const char* job : {"1", "2", "3", "1", "2", "3", ""}) {
    EXPECT_TRUE(quotas_.TakeJob(Of("a"), job).ok()) << job;
  }
  EXPECT_FALSE(quotas_.TakeJob(Of("a"), "4").ok());
  EXPECT_TRUE(quotas_.TakeJob(Of("a"), "1").ok());
  EXPECT_TRUE(quotas_.TakeJob(Of("b"), "4").ok());
  now_us_ += kHour_us / 3;
  EXPECT_TRUE(quotas_.TakeJob(Of("a"), "4").ok());
  EXPECT_FALSE(quotas_.TakeJob(Of("a"), "5").ok());
}

TEST_F(QuotasTest, CountsOpenStreams) {
  EXPECT_TRUE(quotas_.OpenStream(Of("a")).ok());
  EXPECT_TRUE(quotas_.OpenStream(Of("a")).ok());
  EXPECT_FALSE(quotas_.OpenStream(Of("a")).ok());
  EXPECT_TRUE(quotas_.OpenStream(Of("b")).ok());
  quotas_.CloseStream(Of("a"));
  EXPECT_TRUE(quotas_.OpenStream(Of("a")).ok());
  EXPECT_EQ(quotas_.refused_count(Quota::kStreams), 1);
}

TEST_F(QuotasTest, ForgetsWhoUsesNothingAndNobodyElse) {
  ASSERT_TRUE(quotas_.OpenStream(Of("streams")).ok());
  ASSERT_TRUE(MayTake(Quota::kMachines, 2, "machines"));
  // Each takes a second to settle.
  for (size_t i = 2; i < Quotas::kMaxPrincipals; ++i) {
    ASSERT_TRUE(MayTake(Quota::kRows, 100, absl::StrCat("p", i)));
  }
  for (const absl::Status& refused :
       {quotas_.Take(Of("one too many"), Quota::kRows, 1),
        quotas_.TakeJob(Of("one too many"), "job"), quotas_.OpenStream(Of("one too many"))}) {
    EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
    EXPECT_EQ(domain::RetryDelayOf(refused), 1);
    EXPECT_THAT(refused.message(), ::testing::HasSubstr("4096 callers"));
    EXPECT_THAT(refused.message(), ::testing::Not(::testing::HasSubstr("quota-")));
  }
  now_us_ += kSecond_us;
  for (size_t i = 2; i < Quotas::kMaxPrincipals; ++i) {
    ASSERT_TRUE(MayTake(Quota::kRows, 100, absl::StrCat("q", i)));
  }
  EXPECT_FALSE(MayTake(Quota::kMachines, 1, "machines")) << "it is remembered";
  EXPECT_TRUE(quotas_.OpenStream(Of("streams")).ok());
  EXPECT_FALSE(quotas_.OpenStream(Of("streams")).ok()) << "it has two now";
}

TEST_F(QuotasTest, ManyJobsAreForgottenAndChargedAgain) {
  Quotas quotas({0, 0, 1'000'000'000, 0, 0}, [this] { return now_us_; });
  for (size_t i = 0; i < 2 * Quotas::kMaxKnownJobs; ++i) {
    ASSERT_TRUE(quotas.TakeJob(Of("a"), absl::StrCat(i)).ok());
  }
}

}  // namespace
}  // namespace cox::access
