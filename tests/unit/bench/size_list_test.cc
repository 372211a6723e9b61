#include "bench/size_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cox::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Refusal(absl::string_view text) {
  const auto sizes = ParseSizeList(text);
  return sizes.ok() ? "accepted" : std::string(sizes.status().message());
}

TEST(SizeListTest, SortsAndDropsDuplicates) {
  EXPECT_THAT(*ParseSizeList("64,0,1k,64"), ElementsAre(0, 64, 1024));
  EXPECT_THAT(*ParseSizeList("8..16:*2,1..4:*2"), ElementsAre(1, 2, 4, 8, 16));
}

TEST(SizeListTest, TakesTheLargestSizeThatMpiTakes) {
  EXPECT_THAT(*ParseSizeList("2147483646..2147483647:+1"), ElementsAre(2147483646, 2147483647));
  EXPECT_THAT(Refusal("2147483648"), HasSubstr("within 0..2147483647"));
  EXPECT_THAT(Refusal("2G"), HasSubstr("within 0..2147483647"));
  EXPECT_THAT(Refusal("1..2G"), HasSubstr("within 0..2147483647"));
}

TEST(SizeListTest, RefusesADayOfMeasuring) {
  EXPECT_EQ(ParseSizeList("1..1000:+1")->size(), 1000);
  EXPECT_THAT(Refusal("1..1001:+1"), HasSubstr("more than 1000 values"));
}

TEST(SizeListTest, NamesTheWrongPart) {
  EXPECT_THAT(Refusal("64,,128"), HasSubstr("'' is not a size"));
  const auto pairs = ParseSizeList("two", console::SweepOf::kCounts);
  EXPECT_THAT(std::string(pairs.status().message()), HasSubstr("'two' is not a number"));
}

}  // namespace
}  // namespace cox::bench
