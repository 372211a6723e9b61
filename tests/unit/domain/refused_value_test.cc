#include "domain/words/refused_value.h"

#include <gtest/gtest.h>

#include <string>

namespace cox::domain {
namespace {

TEST(ExplainRefusedValue, SaysTheKeyAndHowToWriteIt) {
  EXPECT_EQ(ExplainRefusedValue("listen = 127.0.0.1:1 # here\n", 1),
            "listen: put the value in quotes: listen = \"127.0.0.1:1\"");
  EXPECT_EQ(ExplainRefusedValue("[machine]\r\nname = x1\r\n", 2),
            "name: put the value in quotes: name = \"x1\"");
  EXPECT_EQ(ExplainRefusedValue("listen =", 1), "listen: the value is missing");
}

TEST(ExplainRefusedValue, ANumberNeedsNoQuotes) {
  for (const char* number : {"08", "1,5", "1..5", "1e", "+_1"}) {
    EXPECT_EQ(ExplainRefusedValue(std::string("nodes = ") + number, 1),
              std::string("nodes: '") + number + "' is not a number: write for example 8 or 1.5");
  }
  EXPECT_EQ(ExplainRefusedValue("insecure = True", 1), "insecure: write true");
  EXPECT_EQ(ExplainRefusedValue("listen = 127.0.0.1", 1),
            "listen: put the value in quotes: listen = \"127.0.0.1\"");
}

TEST(ExplainRefusedValue, OtherMistakesAreTheParsersOwn) {
  for (const char* text : {"", "listen", "= 1", "a b = 1", "listen = \"x", "dims = [1, x]",
                           "# listen = x", "x = {a", "[table = x"}) {
    EXPECT_EQ(ExplainRefusedValue(text, 1), "") << text;
  }
  EXPECT_EQ(ExplainRefusedValue("a = b", 2), "");
  EXPECT_EQ(ExplainRefusedValue("a = b", 0), "a: put the value in quotes: a = \"b\"");
}

}  // namespace
}  // namespace cox::domain
