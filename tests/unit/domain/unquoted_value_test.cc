#include "domain/words/unquoted_value.h"

#include <gtest/gtest.h>

namespace cox::domain {
namespace {

TEST(ExplainUnquotedValue, SaysTheKeyAndHowToWriteIt) {
  EXPECT_EQ(ExplainUnquotedValue("listen = 127.0.0.1:1 # here\n", 1),
            "listen: put the value in quotes: listen = \"127.0.0.1:1\"");
  EXPECT_EQ(ExplainUnquotedValue("[machine]\r\nname = x1\r\n", 2),
            "name: put the value in quotes: name = \"x1\"");
  EXPECT_EQ(ExplainUnquotedValue("listen =", 1), "listen: the value is missing");
}

TEST(ExplainUnquotedValue, OtherMistakesAreTheParsersOwn) {
  for (const char* text : {"", "listen", "= 1", "a b = 1", "listen = \"x", "dims = [1, x]",
                           "# listen = x", "x = {a", "[table = x"}) {
    EXPECT_EQ(ExplainUnquotedValue(text, 1), "") << text;
  }
  EXPECT_EQ(ExplainUnquotedValue("a = b", 2), "");
  EXPECT_EQ(ExplainUnquotedValue("a = b", 0), "a: put the value in quotes: a = \"b\"");
}

}  // namespace
}  // namespace cox::domain
