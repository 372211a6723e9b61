#include "console/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"

namespace cox::console {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Le;

std::vector<std::string> Lines(const Table& table, size_t limit) {
  std::ostringstream out;
  LimitWidth(out, limit);
  table.Print(out);
  std::vector<std::string> lines = absl::StrSplit(out.str(), '\n');
  lines.pop_back();
  return lines;
}

std::vector<size_t> Widths(const std::vector<std::string>& lines) {
  std::vector<size_t> widths;
  for (const std::string& line : lines) widths.push_back(DisplayWidth(line));
  return widths;
}

TEST(TableTest, AlignsByWhatIsSeen) {
  Table table({{"NAME"}, {"TIME", Align::kRight}, {"NOTE"}});
  table.Add({"a", "1 µs", "x\n\x1b[31my"});
  table.Add({"longer", "100 µs"});
  std::ostringstream out;
  table.Print(out);
  EXPECT_EQ(out.str(),
            "NAME      TIME  NOTE\n"
            "a         1 µs  x??[31my\n"
            "longer  100 µs\n");
}

TEST(TableTest, WithoutALimitNothingIsFolded) {
  Table table({{"NAME"}, {"TEXT", Align::kLeft, Fit::kFold}});
  table.Add({"a", std::string(300, 'x')});
  EXPECT_EQ(Lines(table, 0)[1], "a     " + std::string(300, 'x'));
}

TEST(TableTest, FoldsTextAtBlanks) {
  Table table({{"NAME"}, {"TEXT", Align::kLeft, Fit::kFold}});
  table.Add({"a", "eleven short words are easier to read than one long one"});
  table.Add({"b", "short"});
  const std::vector<std::string> lines = Lines(table, 30);
  EXPECT_THAT(Widths(lines), Each(Le(30U)));
  EXPECT_THAT(lines, ElementsAre("NAME  TEXT", "a     eleven short words are",
                                 "      easier to read than one", "      long one", "b     short"));
}

TEST(TableTest, BreaksAWordThatIsTooLong) {
  Table table({{"NAME"}, {"TEXT", Align::kLeft, Fit::kFold}});
  table.Add({"a", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxµµµ"});
  EXPECT_THAT(Widths(Lines(table, 30)), Each(Le(30U)));
}

TEST(TableTest, DropsColumnsAndNamesThem) {
  Table table({{"NAME"},
               {"LESS", Align::kLeft, Fit::kDrop},
               {"NUMBER", Align::kRight},
               {"LEAST", Align::kLeft, Fit::kDrop}});
  table.Add({"a name", "0123456789", "12", "0123456789"});
  EXPECT_THAT(Lines(table, 40), ElementsAre("NAME    LESS        NUMBER  LEAST",
                                            "a name  0123456789      12  0123456789"));
  EXPECT_THAT(Lines(table, 30), ElementsAre("NAME    LESS        NUMBER",
                                            "a name  0123456789      12", "(--wide shows LEAST)"));
  EXPECT_THAT(Lines(table, 22),
              ElementsAre("NAME    NUMBER", "a name      12", "(--wide shows LESS,", "LEAST)"));
}

TEST(TableTest, ContinuesBelowWhatDoesNotFit) {
  Table table({{"ROW"}, {"FIRST"}, {"SECOND"}, {"THIRD"}});
  table.Add({"r", "0123456789", "0123456789", "0123456789"});
  const std::vector<std::string> lines = Lines(table, 30);
  EXPECT_THAT(Widths(lines), Each(Le(30U)));
  EXPECT_THAT(lines, ElementsAre("ROW  FIRST       SECOND", "r    0123456789  0123456789", "",
                                 "ROW  THIRD", "r    0123456789"));
}

}  // namespace
}  // namespace cox::console
