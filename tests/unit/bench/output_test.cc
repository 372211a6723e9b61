#include "bench/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace cox::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class OutputTest : public ::testing::Test {
 protected:
  OutputTest() {
    options_.machine = "m1";
    options_.library = "openmpi-4.1";
    options_.run = "r1";
    options_.algorithms["bcast"] = "chain";
    options_.output = ::testing::TempDir() + "cox_bench_output_test_" +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
    std::filesystem::remove(options_.output);
  }
  ~OutputTest() override { std::filesystem::remove(options_.output); }

  std::string Written() const {
    std::ifstream file(options_.output);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  Options options_;
};

TEST_F(OutputTest, WritesAMedianPerPairCell) {
  Output output(options_);
  ASSERT_TRUE(output.Open().ok());
  output.Write(PairRow{"network", 2, 1024}, {3e-6, 1e-6, 2.5e-6});
  ASSERT_TRUE(output.Close().ok());
  EXPECT_EQ(Written(),
            "machine,kind,level,pattern,pairs,block_bytes,time_s,ranks,messages,senders\n"
            "m1,pingpong,network,pairwise:openmpi-4.1,2,1024,2.5e-06,4,1,2\n");
}

TEST_F(OutputTest, ADeviceIsWrittenToAndNotReplaced) {
  // A link to a device: replacing instead of writing would replace only the link.
  std::filesystem::create_symlink("/dev/null", options_.output);
  Output output(options_);
  ASSERT_TRUE(output.Open().ok());
  output.Write(PairRow{"network", 2, 1024}, {1e-6});
  ASSERT_TRUE(output.Close().ok());
  EXPECT_TRUE(std::filesystem::is_symlink(options_.output));
}

TEST_F(OutputTest, WritesAMedianPerCollectiveCell) {
  options_.mode = Options::Mode::kCollectives;
  Output output(options_);
  ASSERT_TRUE(output.Open().ok());
  output.Write(CollectiveRow{"bcast", 2, 4, 7, 64, 1}, {1e-6, 2e-6, 3e-6});
  ASSERT_TRUE(output.Close().ok());
  EXPECT_THAT(Written(), MatchesRegex("machine,library,collective,algorithm,nodes,ppn,ranks,"
                                      "block_bytes,time_s,run,count,statistic,stddev_s,at,"
                                      "type_bytes\n"
                                      "m1,openmpi-4.1,bcast,chain,2,4,7,64,2e-06,r1,3,median,1e-06,"
                                      "20..-..-..T..:..:..Z,1\n"));
}

TEST_F(OutputTest, WritesTheTimesOfBlocks) {
  options_.mode = Options::Mode::kBlocks;
  options_.network = Network::kMeshRow;
  Output output(options_);
  ASSERT_TRUE(output.Open().ok());
  output.Write(BlockCell{{Kind::kPairs, "", 6, 1, 3, 65536}, 3, {0, 1, 2, 5, 4, 3}},
               {3e-6, 1e-6, 2e-6});
  ASSERT_TRUE(output.Close().ok());
  EXPECT_EQ(Written(),
            "machine,library,network,kind,n,block_bytes,time_s\n"
            "m1,openmpi-4.1,mesh-row,pairs,3,65536,2e-06\n");
}

TEST_F(OutputTest, RawWritesEverySample) {
  options_.mode = Options::Mode::kCollectives;
  options_.raw = true;
  Output output(options_);
  ASSERT_TRUE(output.Open().ok());
  output.Write(CollectiveRow{"allreduce", 1, 4, 4, 8, 4}, {1e-6, 2e-6});
  ASSERT_TRUE(output.Close().ok());
  EXPECT_THAT(Written(), HasSubstr("allreduce,default,1,4,4,8,1e-06,r1/0,1,sample,0,"));
  EXPECT_THAT(Written(), HasSubstr("allreduce,default,1,4,4,8,2e-06,r1/1,1,sample,0,"));
}

TEST_F(OutputTest, TheFileAppearsCompleteOrNotAtAll) {
  {
    Output output(options_);
    ASSERT_TRUE(output.Open().ok());
    output.Write(PairRow{"node", 1, 1}, {1e-6});
    EXPECT_FALSE(std::filesystem::exists(options_.output));
  }
  EXPECT_FALSE(std::filesystem::exists(options_.output));
  EXPECT_FALSE(std::filesystem::exists(options_.output + ".part"));
}

TEST_F(OutputTest, SaysWhyItCannotWrite) {
  options_.output = ::testing::TempDir() + "no_such_folder/file.csv";
  Output output(options_);
  const absl::Status status = output.Open();
  EXPECT_THAT(std::string(status.message()), HasSubstr("--output: cannot write"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("No such file or directory"));
}

TEST_F(OutputTest, SaysThatTheDiskIsFull) {
  std::filesystem::create_symlink("/dev/full", options_.output + ".part");
  Output output(options_);
  ASSERT_TRUE(output.Open().ok());
  output.Write(PairRow{"node", 1, 1}, {1e-6});
  EXPECT_FALSE(output.Close().ok());
  EXPECT_FALSE(std::filesystem::exists(options_.output));
}

}  // namespace
}  // namespace cox::bench
