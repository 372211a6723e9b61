#include "daemon/tuning_texts.h"

#include <gtest/gtest.h>

#include <string>

namespace cox::daemon {
namespace {

std::shared_ptr<const advise::MachineView> View(const std::string& name) {
  auto view = std::make_shared<advise::MachineView>();
  view->name = name;
  return view;
}

std::shared_ptr<const TunedAnswer> AnswerOf(std::shared_ptr<const advise::MachineView> machine,
                                            const std::string& etag) {
  TunedAnswer answer;
  answer.machine = std::move(machine);
  answer.etag = etag;
  return std::make_shared<const TunedAnswer>(std::move(answer));
}

TEST(TuningTextsTest, FindsWhatWasKeptForTheSameView) {
  TuningTexts texts;
  const auto delta = View("delta");
  EXPECT_EQ(texts.Find("q", *delta), nullptr);
  texts.Keep("q", AnswerOf(delta, "1"));
  ASSERT_NE(texts.Find("q", *delta), nullptr);
  EXPECT_EQ(texts.Find("q", *delta)->etag, "1");
  EXPECT_EQ(texts.Find("another", *delta), nullptr);
}

TEST(TuningTextsTest, ANewViewOfTheMachineIsDecidedAnew) {
  TuningTexts texts;
  const auto before = View("delta");
  const auto after = View("delta");
  const auto other = View("other");
  texts.Keep("q", AnswerOf(before, "1"));
  texts.Keep("other", AnswerOf(other, "2"));
  EXPECT_EQ(texts.Find("q", *after), nullptr);
  texts.Keep("q2", AnswerOf(after, "3"));
  EXPECT_EQ(texts.Find("q", *before), nullptr) << "kept although it no longer holds";
  EXPECT_NE(texts.Find("other", *other), nullptr) << "of another machine";
}

TEST(TuningTextsTest, IsBounded) {
  TuningTexts texts;
  const auto delta = View("delta");
  int found = 0;
  for (int i = 0; i < 2000; ++i) texts.Keep(std::to_string(i), AnswerOf(delta, "1"));
  for (int i = 0; i < 2000; ++i) found += texts.Find(std::to_string(i), *delta) != nullptr ? 1 : 0;
  EXPECT_GE(found, 1);
  EXPECT_LE(found, 256);
}

}  // namespace
}  // namespace cox::daemon
