#include "domain/words/nearest_word.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cox::domain {
namespace {

TEST(NearestWordTest, ForgivesSlipsOfThePen) {
  const std::vector<std::string> words = {"predict", "profile", "pattern", "run", "tune"};
  EXPECT_EQ(NearestWord("predct", words), "predict");
  EXPECT_EQ(NearestWord("prdeict", words), "predict");
  EXPECT_EQ(NearestWord("rnu", words), "run");
  EXPECT_EQ(NearestWord("tunes", words), "tune");
}

TEST(NearestWordTest, GuessesNothingFarFetched) {
  const std::vector<std::string> words = {"predict", "run"};
  EXPECT_EQ(NearestWord("calibrate", words), "");
  EXPECT_EQ(NearestWord("ls", words), "");
  EXPECT_EQ(NearestWord("", words), "");
  EXPECT_EQ(NearestWord("x", std::vector<std::string>{}), "");
  EXPECT_EQ(NearestWord(std::string(100000, 'r'), words), "");
}

}  // namespace
}  // namespace cox::domain
