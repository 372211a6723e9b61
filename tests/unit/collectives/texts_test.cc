// Names of algorithms, as programs write them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/choice/algorithm_name.h"

namespace cox::collectives {
namespace {

using testing::HasSubstr;

constexpr AlgorithmRow kRows[] = {{3, "direct"}, {5, "windowed", "window", 1}};

std::string Wrong(std::string_view text) {
  AlgorithmChoice choice;
  return ParseAlgorithm(text, kRows, &choice);
}

TEST(AlgorithmName, ComesBackAsItWasWritten) {
  for (const std::string_view text : {"direct", "windowed", "windowed?window=12"}) {
    AlgorithmChoice choice;
    EXPECT_EQ(ParseAlgorithm(text, kRows, &choice), "") << text;
    EXPECT_EQ(FormatAlgorithm(choice, kRows), text);
  }
}

TEST(AlgorithmName, UnknownOnesAreToldWhatThereIs) {
  EXPECT_THAT(Wrong("mesh4d"), HasSubstr("\"mesh4d\" is not one of direct, windowed"));
  EXPECT_THAT(Wrong(""), HasSubstr("\"\" is not one of direct, windowed"));
}

TEST(AlgorithmName, KnobsAreThoseOfTheRow) {
  EXPECT_THAT(Wrong("direct?window=3"), HasSubstr("\"direct\" has no knob \"window\""));
  EXPECT_THAT(Wrong("windowed?segment=3"), HasSubstr("has no knob \"segment\""));
  for (const std::string_view text :
       {"windowed?window=0", "windowed?window=-1", "windowed?window=", "windowed?window",
        "windowed?window=3x", "windowed?window=99999999999999999999"}) {
    EXPECT_THAT(Wrong(text), HasSubstr("window must be a whole number of at least 1")) << text;
  }
}

}  // namespace
}  // namespace cox::collectives
