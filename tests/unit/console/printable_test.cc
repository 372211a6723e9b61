#include "console/printable.h"

#include <gtest/gtest.h>

#include <iomanip>
#include <sstream>
#include <streambuf>
#include <string>
#include <utility>

#include "console/table.h"

namespace cox::console {
namespace {

const std::pair<std::string, std::string> kTexts[] = {
    {"plain, \xC3\xA9, \xE2\x82\xAC, \xF0\x9F\x9A\xA3",
     "plain, \xC3\xA9, \xE2\x82\xAC, \xF0\x9F\x9A\xA3"},
    {"\x1b[31mred\x07", "?[31mred?"},
    {std::string("\0", 1) + "\x7f\b", "???"},
    {"\xC2\x9b"
     "2J",
     "?2J"},  // CSI of C1
    {"\xE2\x80\xAE"
     "abc\xE2\x81\xA9",
     "?abc?"},  // overrides the direction
    {"\x9b"
     "2J",
     "?2J"},                // no UTF-8: CSI in Latin-1
    {"\xC0\x9b", "??"},     // too long a form of ESC
    {"\xED\xA0\x80", "?"},  // half a surrogate
    {"\xE2\x82", "?"},      // ends amid a character
};

TEST(PrintableTest, HarmfulCharactersBecomeQuestionMarks) {
  for (const auto& [text, printable] : kTexts) EXPECT_EQ(Printable(text), printable);
  EXPECT_EQ(Printable("a\r\nb\tc"), "a??b?c") << "one line";
}

TEST(PrintableTest, EscapesKeepTheCharacter) {
  const auto number = [](char32_t c) { return "<" + std::to_string(c) + ">"; };
  EXPECT_EQ(EscapeHarmful("a\x7f\xC2\x9b\n", number), "a<127><155>\n");
}

TEST(PrintableTest, AStreamMayBreakAnywhere) {
  for (const auto& [text, printable] : kTexts) {
    for (size_t at = 0; at <= text.size(); ++at) {
      std::ostringstream to;
      {
        PrintableOutput out(&to);
        out << text.substr(0, at) << std::flush << text.substr(at);
      }
      EXPECT_EQ(to.str(), printable) << "broken at " << at;
    }
  }
}

TEST(PrintableTest, AStreamKeepsLineEndsTabsAndFormat) {
  std::ostringstream to;
  LimitWidth(to, 40);
  to << std::setprecision(3);
  {
    PrintableOutput out(&to);
    EXPECT_EQ(WidthLimit(out), 40U);
    out << 1.23456 << '\n'
        << "a\tb\r"
        << "\n"
        << "over\rwritten\r";
    out.put('\x1b');
    out.flush();
  }
  EXPECT_EQ(to.str(), "1.23\na\tb\r\nover?written??");
}

// Takes nothing, as a full disk.
class FullBuffer : public std::streambuf {
 protected:
  int sync() override { return -1; }
};

TEST(PrintableTest, AStreamSaysThatItsTargetFails) {
  FullBuffer buffer;
  std::ostream full(&buffer);
  PrintableOutput out(&full);
  EXPECT_FALSE((out << "a").good());
  PrintableOutput flushed(&full);
  EXPECT_FALSE(flushed.flush().good());
}

}  // namespace
}  // namespace cox::console
