#include "console/command_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cox::console {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

TEST(CommandWordsTest, SplitsAsAShellWould) {
  EXPECT_THAT(*SplitCommand("  mpirun -n\t{ranks}  "), ElementsAre("mpirun", "-n", "{ranks}"));
  EXPECT_THAT(*SplitCommand("a 'b c' \"d 'e'\" f\\ g ''"),
              ElementsAre("a", "b c", "d 'e'", "f g", ""));
  EXPECT_THAT(*SplitCommand("-x NAME='a b'c"), ElementsAre("-x", "NAME=a bc"));
  EXPECT_THAT(*SplitCommand("'a\\b' \"a\\\"b\""), ElementsAre("a\\b", "a\"b"));
  for (const char* bad : {"", "   ", "a 'b", "a \"b", "a\\"}) {
    EXPECT_FALSE(SplitCommand(bad).ok()) << bad;
  }
}

TEST(CommandWordsTest, JoinedWordsSplitAgain) {
  const std::vector<std::string> words = {"mpirun", "", "a b", "it's", "$HOME", "\"", "x\\y"};
  EXPECT_EQ(*SplitCommand(JoinCommand(words)), words);
}

TEST(CommandFieldTest, IsShortAndHasNoControlCharacters) {
  EXPECT_EQ(CommandField({"cox", "tune", "-m", "x\n\x7fy"}), "cox tune -m 'x  y'");
  EXPECT_EQ(CommandField({}), "");
  // Whole words only: half of one could have an open quote.
  std::vector<std::string> words = {"cox", std::string(1020, 'a')};
  EXPECT_EQ(CommandField(words).size(), 1024U);
  words.emplace_back("b");
  EXPECT_EQ(CommandField(words), "cox ...");
  words[1] = "it's";
  EXPECT_EQ(CommandField(words), "cox 'it'\\''s' b");
  EXPECT_THAT(*SplitCommand(CommandField(words)), ElementsAreArray(words));
}

}  // namespace
}  // namespace cox::console
