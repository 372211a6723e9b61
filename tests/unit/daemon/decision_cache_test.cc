#include "daemon/decision_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace cox::daemon {
namespace {

std::shared_ptr<const advise::MachineView> View(const std::string& name) {
  auto view = std::make_shared<advise::MachineView>();
  view->name = name;
  return view;
}

std::shared_ptr<const JobDecisions> DecisionsOf(std::shared_ptr<const advise::MachineView> machine,
                                                const std::string& etag) {
  JobDecisions answer;
  answer.machine = std::move(machine);
  answer.etag = etag;
  return std::make_shared<const JobDecisions>(std::move(answer));
}

TEST(DecisionCacheTest, FindsWhatWasKeptForTheSameView) {
  DecisionCache cache;
  const auto delta = View("delta");
  EXPECT_EQ(cache.Find("q", *delta), nullptr);
  cache.Keep("q", DecisionsOf(delta, "1"));
  ASSERT_NE(cache.Find("q", *delta), nullptr);
  EXPECT_EQ(cache.Find("q", *delta)->etag, "1");
  EXPECT_EQ(cache.Find("another", *delta), nullptr);
}

TEST(DecisionCacheTest, ANewViewOfTheMachineIsDecidedAnew) {
  DecisionCache cache;
  const auto before = View("delta");
  const auto after = View("delta");
  const auto other = View("other");
  cache.Keep("q", DecisionsOf(before, "1"));
  cache.Keep("other", DecisionsOf(other, "2"));
  EXPECT_EQ(cache.Find("q", *after), nullptr);
  cache.Keep("q2", DecisionsOf(after, "3"));
  EXPECT_EQ(cache.Find("q", *before), nullptr) << "kept although it no longer holds";
  EXPECT_NE(cache.Find("other", *other), nullptr) << "of another machine";
}

TEST(DecisionCacheTest, DoesNotKeepALongQuestion) {
  DecisionCache cache;
  const auto delta = View("delta");
  const std::string longest(16'384, 'q');
  cache.Keep(longest, DecisionsOf(delta, "1"));
  EXPECT_NE(cache.Find(longest, *delta), nullptr);
  cache.Keep(longest + "q", DecisionsOf(delta, "1"));
  EXPECT_EQ(cache.Find(longest + "q", *delta), nullptr);
}

TEST(DecisionCacheTest, IsBounded) {
  DecisionCache cache;
  const auto delta = View("delta");
  int found = 0;
  for (int i = 0; i < 2000; ++i) cache.Keep(std::to_string(i), DecisionsOf(delta, "1"));
  for (int i = 0; i < 2000; ++i) found += cache.Find(std::to_string(i), *delta) != nullptr ? 1 : 0;
  EXPECT_GE(found, 1);
  EXPECT_LE(found, 256);
}

}  // namespace
}  // namespace cox::daemon
