#include "bench/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cox::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Refusal(absl::string_view text) {
  const auto sizes = ParseSizes(text);
  return sizes.ok() ? "accepted" : std::string(sizes.status().message());
}

TEST(SizesTest, ReadsUnits) {
  EXPECT_EQ(*ParseSize("0"), 0);
  EXPECT_EQ(*ParseSize("1000"), 1000);
  EXPECT_EQ(*ParseSize("1k"), 1024);
  EXPECT_EQ(*ParseSize("1KiB"), 1024);
  EXPECT_EQ(*ParseSize("3MB"), 3 << 20);
  EXPECT_EQ(*ParseSize("1G"), 1 << 30);
}

TEST(SizesTest, ReadsListsAndSweeps) {
  EXPECT_THAT(*ParseSizes("1..4M:*4"), ElementsAre(1, 4, 16, 64, 256, 1 << 10, 4 << 10, 16 << 10,
                                                   64 << 10, 256 << 10, 1 << 20, 4 << 20));
  EXPECT_THAT(*ParseSizes("2..9"), ElementsAre(2, 4, 8));
  EXPECT_THAT(*ParseSizes("0..6:+2"), ElementsAre(0, 2, 4, 6));
}

TEST(SizesTest, SortsAndDropsDuplicates) {
  EXPECT_THAT(*ParseSizes("64,0,1k,64"), ElementsAre(0, 64, 1024));
}

TEST(SizesTest, TakesTheLargestSizeThatMpiTakes) {
  EXPECT_EQ(*ParseSize("2147483647"), kMaxBlockBytes);
  EXPECT_THAT(*ParseSizes("2147483646..2147483647:+1"), ElementsAre(2147483646, 2147483647));
  EXPECT_THAT(Refusal("2147483648"), HasSubstr("the most MPI takes"));
  EXPECT_THAT(Refusal("2G"), HasSubstr("the most MPI takes"));
  EXPECT_THAT(Refusal("99999999999999999999"), HasSubstr("the most MPI takes"));
}

TEST(SizesTest, RefusesWithTheElementAndTheRule) {
  EXPECT_THAT(Refusal(""), HasSubstr("'' is not a size"));
  EXPECT_THAT(Refusal("64,,128"), HasSubstr("'' is not a size"));
  EXPECT_THAT(Refusal("-4"), HasSubstr("'-4' is not a size"));
  EXPECT_THAT(Refusal("4x"), HasSubstr("'4x' is not a size"));
  EXPECT_THAT(Refusal("1.5k"), HasSubstr("is not a size"));
  EXPECT_THAT(Refusal("nan"), HasSubstr("is not a size"));
  EXPECT_THAT(Refusal("8..4"), HasSubstr("ends below its start"));
  EXPECT_THAT(Refusal("0..4:*2"), HasSubstr("starts at 0"));
  EXPECT_THAT(Refusal("1..4:*1"), HasSubstr("a factor below 2"));
  EXPECT_THAT(Refusal("1..4:+0"), HasSubstr("a step below 1"));
  EXPECT_THAT(Refusal("1..4:2"), HasSubstr("needs a step"));
  EXPECT_THAT(Refusal("1..4:"), HasSubstr("needs a step"));
  EXPECT_THAT(Refusal(".."), HasSubstr("is not a size"));
  EXPECT_THAT(Refusal("1:*2..4"), HasSubstr("is not LOW..HIGH"));
  EXPECT_THAT(Refusal("1..1M:+1"), HasSubstr("more than 1000 values"));
}

TEST(SizesTest, FormatsForPeople) {
  EXPECT_EQ(FormatSize(0), "0 B");
  EXPECT_EQ(FormatSize(1000), "1000 B");
  EXPECT_EQ(FormatSize(4096), "4 KiB");
  EXPECT_EQ(FormatSize(3 << 20), "3 MiB");
}

}  // namespace
}  // namespace cox::bench
