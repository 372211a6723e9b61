#include "cli/files/pattern_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "folder.h"

namespace cox::cli {
namespace {

using ::testing::HasSubstr;

TEST(PatternFileTest, ReadsRowsIntoRequestsThatAreSmall) {
  const Folder folder;
  std::string text = "bytes,dst,src\n";
  for (int i = 0; i < 70'000; ++i) absl::StrAppend(&text, i, ",", i % 7, ",", i % 5, "\n");
  std::vector<v1::EvaluatePatternRequest> requests(1);
  const auto note = ReadPatternFile(folder.Write("p.csv", text), kMaxPatternRanks, &requests);
  ASSERT_TRUE(note.ok()) << note.status();
  EXPECT_EQ(*note, "");
  ASSERT_GT(requests.size(), 2U);
  int64_t rows = 0;
  for (const auto& request : requests) {
    EXPECT_LT(request.ByteSizeLong(), 1U << 20);
    for (int i = 0; i < request.sources_size(); ++i, ++rows) {
      ASSERT_EQ(request.sources(i), rows % 5);
      ASSERT_EQ(request.destinations(i), rows % 7);
      ASSERT_EQ(request.block_bytes(i), rows);
    }
  }
  EXPECT_EQ(rows, 70'000);
}

TEST(PatternFileTest, ABadRowIsNamedWithLineAndColumn) {
  const Folder folder;
  const std::pair<const char*, const char*> cases[] = {
      {"src,dst,bytes\n0,1,8\n0,-1,8\n", "p.csv:3:dst: "},
      {"src,dst,bytes\n0,1,x\n", "p.csv:2:bytes: "},
      {"src,dst,bytes\n99999999,1,8\n", "p.csv:2:src: "},
      {"src,dst,bytes\n0,1\n", "p.csv:2: has 2 fields"},
      {"src,dst\n0,1\n", "p.csv:1:bytes: the header lacks"},
      {"", "is empty"},
  };
  for (const auto& [text, says] : cases) {
    std::vector<v1::EvaluatePatternRequest> requests;
    const auto note = ReadPatternFile(folder.Write("p.csv", text), kMaxPatternRanks, &requests);
    EXPECT_EQ(note.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(note.status().message()), HasSubstr(says));
  }
  std::vector<v1::EvaluatePatternRequest> requests;
  EXPECT_EQ(ReadPatternFile(folder.Path("none.csv"), kMaxPatternRanks, &requests).status().code(),
            absl::StatusCode::kNotFound);
  const auto noted = ReadPatternFile(folder.Write("p.csv", "src,dst,bytes,name\n0,1,8,a\n"),
                                     kMaxPatternRanks, &requests);
  ASSERT_TRUE(noted.ok());
  EXPECT_THAT(*noted, HasSubstr("ignores the columns name"));
}

TEST(PatternFileTest, ARankBeyondThoseAskedForIsNamedWithLineAndColumn) {
  const Folder folder;
  const std::string path = folder.Write("p.csv", "src,dst,bytes\n0,15,8\n3,16,8\n");
  std::vector<v1::EvaluatePatternRequest> requests;
  EXPECT_TRUE(ReadPatternFile(path, 17, &requests).ok());
  const auto note = ReadPatternFile(path, 16, &requests);
  EXPECT_EQ(note.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(note.status().message()),
              HasSubstr("p.csv:3:dst: is rank 16 of a pattern of 16 ranks"));
}

}  // namespace
}  // namespace cox::cli
