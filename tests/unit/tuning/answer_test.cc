#include "tuning/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "folder.h"

namespace cox::tuning {
namespace {

// Answers are "complete ..." here; "the same" means not modified.
class TuningAnswerTest : public ::testing::Test {
 protected:
  absl::StatusOr<Answer> Find(const absl::StatusOr<std::string>& says) {
    const tuning::Source source = {
        .is_complete = [](const std::string& text) { return text.starts_with("complete"); },
        .ask =
            [&](const std::string& known) {
              asked_.push_back(known);
              return says;
            },
        .is_not_modified = [](const std::string& text) { return text == "the same"; }};
    return tuning::FindAnswer(key_, 10, cache_, source);
  }

  Folder folder_;
  TuningCache cache_{folder_.Path("cache")};
  TuningKey key_ = {"host:1", "m", "openmpi-4.1", {4, 8}, {}};
  std::vector<std::string> asked_;
};

TEST_F(TuningAnswerTest, KeepsWhatTheDaemonSaysAndAsksWhetherItHolds) {
  EXPECT_EQ(Find("complete 1")->answer, "complete 1");
  const auto again = Find("the same");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->answer, "complete 1");
  EXPECT_EQ(again->remark, "");
  EXPECT_EQ(Find("complete 2")->answer, "complete 2");
  EXPECT_THAT(asked_, ::testing::ElementsAre("", "complete 1", "complete 1"));
}

TEST_F(TuningAnswerTest, TheCacheServesWhereTheDaemonDoesNot) {
  const absl::Status away = absl::UnavailableError("nobody there");
  EXPECT_EQ(Find(away).status().code(), absl::StatusCode::kUnavailable);
  ASSERT_TRUE(Find("complete 1").ok());
  for (const absl::StatusOr<std::string>& bad :
       {absl::StatusOr<std::string>(away), absl::StatusOr<std::string>("nonsense")}) {
    const auto found = Find(bad);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->answer, "complete 1");
    EXPECT_THAT(found->remark, ::testing::HasSubstr("from the cache"));
  }
}

TEST_F(TuningAnswerTest, ARefusalIsTheDaemonsOwn) {
  ASSERT_TRUE(Find("complete 1").ok());
  EXPECT_EQ(Find(absl::NotFoundError("machine")).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(TuningAnswerTest, WhatIsDamagedCountsAsAbsent) {
  ASSERT_TRUE(cache_.Store(key_, "damaged").ok());
  EXPECT_FALSE(Find(absl::UnavailableError("nobody there")).ok());
  EXPECT_THAT(asked_, ::testing::ElementsAre(""));
}

TEST_F(TuningAnswerTest, AnswersWithTrialsAreNotKept) {
  key_.explore_ratio = 0.1;
  ASSERT_TRUE(Find("complete 1").ok());
  EXPECT_FALSE(cache_.Load(key_).has_value());
}

}  // namespace
}  // namespace cox::tuning
