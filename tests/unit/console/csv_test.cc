#include "console/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace cox::console {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<CsvRecord> ReadAll(const std::string& text) {
  std::istringstream in(text);
  CsvReader reader(&in);
  std::vector<CsvRecord> records;
  CsvRecord record;
  while (reader.Next(record)) records.push_back(record);
  return records;
}

TEST(CsvTest, ReadsPlainFieldsWithAnyLineEnd) {
  const auto records = ReadAll("a,b\r\n1,2\n3,4");
  ASSERT_EQ(records.size(), 3);
  EXPECT_THAT(records[0].fields, ElementsAre("a", "b"));
  EXPECT_THAT(records[1].fields, ElementsAre("1", "2"));
  EXPECT_THAT(records[2].fields, ElementsAre("3", "4"));
  EXPECT_EQ(records[2].line, 3);
}

TEST(CsvTest, ReadsQuotedFields) {
  const auto records = ReadAll("\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\"\"\nnext\n");
  ASSERT_EQ(records.size(), 2);
  EXPECT_THAT(records[0].fields, ElementsAre("a,b", "say \"x\"", "two\nlines", ""));
  EXPECT_EQ(records[1].line, 3) << "a line break inside quotes is a line of the file";
}

TEST(CsvTest, SaysWhichFieldsWereQuoted) {
  const auto records = ReadAll(" a ,\" b \",\"\",\nnext\n");
  ASSERT_EQ(records.size(), 2);
  EXPECT_THAT(records[0].fields, ElementsAre(" a ", " b ", "", ""));
  EXPECT_THAT(records[0].were_quoted, ElementsAre(false, true, true, false));
  EXPECT_THAT(records[1].were_quoted, ElementsAre(false));
}

TEST(CsvTest, WritesSpacesAroundAFieldInQuotes) {
  EXPECT_EQ(CsvField(" a"), "\" a\"");
  EXPECT_EQ(CsvField("a\t"), "\"a\t\"");
  EXPECT_EQ(CsvField("a b"), "a b");
}

TEST(CsvTest, KeepsEmptyFieldsAndSkipsEmptyLines) {
  const auto records = ReadAll("\n\na,,\n\n");
  ASSERT_EQ(records.size(), 1);
  EXPECT_THAT(records[0].fields, ElementsAre("a", "", ""));
  EXPECT_EQ(records[0].line, 3);
}

TEST(CsvTest, DropsTheByteOrderMark) {
  EXPECT_THAT(ReadAll("\xEF\xBB\xBFmachine\n")[0].fields, ElementsAre("machine"));
  EXPECT_THAT(ReadAll("\xEF\xBBx\n")[0].fields, ElementsAre("\xEF\xBBx")) << "no whole mark";
}

TEST(CsvTest, EmptyInputHasNoRecords) {
  EXPECT_TRUE(ReadAll("").empty());
  EXPECT_TRUE(ReadAll("\n\r\n").empty());
}

TEST(CsvTest, ReportsAMalformedRecordAndGoesOnBehindIt) {
  const auto records = ReadAll("a\"b,c\n\"x\"y,1\ngood,2\n\"never closed\n1,2\n");
  ASSERT_EQ(records.size(), 4);
  EXPECT_THAT(std::string(records[0].error.message()), HasSubstr("inside a field"));
  EXPECT_THAT(std::string(records[1].error.message()), HasSubstr("follows a closing quote"));
  EXPECT_TRUE(records[2].error.ok());
  EXPECT_THAT(records[2].fields, ElementsAre("good", "2"));
  EXPECT_THAT(std::string(records[3].error.message()), HasSubstr("never closed"));
  EXPECT_EQ(records[3].line, 4);
}

TEST(CsvTest, RefusesBinaryAndEndlessRecords) {
  const auto binary = ReadAll(std::string("a,\0b\nc\n", 7));
  ASSERT_EQ(binary.size(), 2);
  EXPECT_THAT(std::string(binary[0].error.message()), HasSubstr("zero byte"));
  std::string text(CsvReader::kMaxRecordBytes + 10, 'x');
  text.append("\nb\n");
  const auto endless = ReadAll(text);
  ASSERT_EQ(endless.size(), 2);
  EXPECT_THAT(std::string(endless[0].error.message()), HasSubstr("longer than 1 MiB"));
  EXPECT_THAT(endless[1].fields, ElementsAre("b"));
}

TEST(CsvTest, WrittenFieldsReadBack) {
  for (const std::string field :
       {"plain", "", "a,b", "\"", "line\nbreak", "\r", "\xEF\xBB\xBF", "ünï"}) {
    const auto records = ReadAll(CsvField(field) + ",end\n");
    ASSERT_EQ(records.size(), 1);
    EXPECT_THAT(records[0].fields, ElementsAre(field, "end"));
  }
}

}  // namespace
}  // namespace cox::console
