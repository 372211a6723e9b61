#include "console/command_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cox::console {
namespace {

using ::testing::ElementsAre;

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
  EXPECT_EQ(CommandField("cox tune\n-m\tx \x7f"), "cox tune -m x  ");
  EXPECT_EQ(CommandField(std::string(5000, 'a')).size(), 1024U);
  EXPECT_EQ(CommandField(""), "");
}

}  // namespace
}  // namespace cox::console
