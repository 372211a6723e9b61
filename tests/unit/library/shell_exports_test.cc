#include "library/shell_exports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "domain/errors.h"

namespace cox::library {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ReadShellExportsTest, CarriageReturnsAndSeveralVariablesOnALineAreFound) {
  EXPECT_THAT(ReadShellExports("# a comment may\r\nexport A=1\r\n").findings,
              ElementsAre(HasSubstr("line 2: ends with a carriage return")));
  EXPECT_THAT(ReadShellExports("export A=1 B=2\n").findings,
              ElementsAre(HasSubstr("an export line for each")));
  EXPECT_THAT(ReadShellExports("export A=1 2\n").findings,
              ElementsAre(HasSubstr("between single quotes")));
}

TEST(ReadShellExportsTest, ValuesWithAndWithoutQuotes) {
  const ShellExports read = ReadShellExports(
      "# comment\n\n  export A=1\nexport B='a b;c' # why\nexport C=\"x#y\"\nexport D=p'q'\"r\"\n"
      "export E=\nexport F=1:0-2@4,ring#3\n");
  EXPECT_THAT(read.findings, IsEmpty());
  ASSERT_EQ(read.exports.size(), 6);
  EXPECT_EQ(read.exports[0].name, "A");
  EXPECT_EQ(read.exports[0].line, 3);
  EXPECT_EQ(read.exports[1].value, "a b;c");
  EXPECT_EQ(read.exports[2].value, "x#y");
  EXPECT_EQ(read.exports[3].value, "pqr");
  EXPECT_EQ(read.exports[4].value, "");
  EXPECT_EQ(read.exports[5].value, "1:0-2@4,ring#3");
}

TEST(ReadShellExportsTest, WhatDoesNotReachAJob) {
  const struct {
    const char* text;
    const char* finding;
  } kCases[] = {
      {"A=1", "line 1: A is set but not exported"},
      {"\nunset A", "line 2: is not of the form"},
      {"export A", "is not of the form"},
      {"export 1A=2", "is not of the form"},
      {"export A =2", "is not of the form"},
      {"export A= 2", "the value ends at the blank"},
      {"export A=1:0-2;2:3-4", "takes \";\" for itself"},
      {"export A=$B", "takes \"$\" for itself"},
      {"export A=\"$B\"", "expands the value"},
      {"export A='1", "the quote is not closed"},
      {"export A=1\nexport A=2", "line 2: A is set on line 1 too"},
  };
  for (const auto& each : kCases) {
    EXPECT_THAT(ReadShellExports(each.text).findings, ElementsAre(HasSubstr(each.finding)))
        << each.text;
  }
  const ShellExports twice = ReadShellExports("export A=1\nexport B=2\nexport A=3");
  ASSERT_EQ(twice.exports.size(), 2);
  EXPECT_EQ(twice.exports[1].value, "3");
}

TEST(ExportLineTest, ReadsBackAsItself) {
  for (const std::string value : {"1", "", "a b", "it's", "1:0-63@8-8;2:64-99@8-8",
                                  "[8-8]:inf:@x#y", "$HOME", "\"`\\", "*"}) {
    const ShellExports read = ReadShellExports(ExportLine("A", value));
    EXPECT_THAT(read.findings, IsEmpty()) << value;
    ASSERT_EQ(read.exports.size(), 1) << value;
    EXPECT_EQ(read.exports[0].value, value);
  }
  EXPECT_EQ(ExportLine("A", "ring"), "export A=ring\n");
  EXPECT_EQ(ExportLine("A", "1;2"), "export A='1;2'\n");
}

// The shell is the judge of what a line means.
TEST(ExportLineTest, MeansTheSameToAShell) {
  const std::string line = ExportLine("A", "it's; $HOME #1 \"x\"");
  const std::string script = line + "test \"$A\" = 'it'\"'\"'s; $HOME #1 \"x\"' && exit 7; exit 1";
  const int status = std::system(script.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(RenderForShellTest, SaysTheSameToEveryShell) {
  const std::string text = "# why\nexport A=1\n\nexport B='x;y'  # behind\n";
  EXPECT_EQ(*RenderForShell(text, "csh"), "# why\nsetenv A 1\n\nsetenv B 'x;y'\n");
  EXPECT_EQ(*RenderForShell(text, "fish"), "# why\nset -gx A 1\n\nset -gx B 'x;y'\n");
  EXPECT_EQ(*RenderForShell(text, "sh"), "# why\nexport A=1\n\nexport B='x;y'\n");
  EXPECT_THAT(ShellNames(), ElementsAre("sh", "csh", "fish"));
}

TEST(RenderForShellTest, RefusesWhatItCannotSay) {
  EXPECT_EQ(domain::FieldOf(RenderForShell("export A=1", "cmd").status()), "shell");
  EXPECT_EQ(domain::FieldOf(RenderForShell("rm -r x", "csh").status()), "text");
}

}  // namespace
}  // namespace cox::library
