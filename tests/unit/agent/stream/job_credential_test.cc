#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "agent/stream/channel.h"
#include "folder.h"

namespace cox::agent {
namespace {

class JobCredentialTest : public ::testing::Test {
 protected:
  using Variables = std::vector<std::pair<const char*, std::string>>;

  static std::string With(const Variables& variables) {
    for (const auto& [name, value] : variables) setenv(name, value.c_str(), 1);
    std::string found = JobCredential();
    for (const auto& [name, value] : variables) unsetenv(name);
    return found;
  }

  Folder folder_;
  // Of the batch script, on another node.
  const std::string named_ = folder_.Path("4711.4294967291.0");
};

TEST_F(JobCredentialTest, IsInTheNamedFile) {
  EXPECT_EQ(With({}), "");
  EXPECT_EQ(With({{"COX_JOB_CREDENTIAL", folder_.Write("named", "MUNGE:word:\n")}}), "MUNGE:word:");
  EXPECT_EQ(With({{"COX_JOB_CREDENTIAL", named_}}), "");
}

TEST_F(JobCredentialTest, OnAnotherNodeItIsThatOfTheRanksStep) {
  folder_.Write("4711.3.1", "MUNGE:step:\n");
  const Variables step = {{"COX_JOB_CREDENTIAL", named_},
                          {"SLURM_JOB_ID", "4711"},
                          {"SLURM_STEP_ID", "3"},
                          {"SLURM_STEP_NUM_NODES", "2"}};
  EXPECT_EQ(With(step), "MUNGE:step:");
  folder_.Write("4711.4294967291.0", "MUNGE:batch:\n");
  EXPECT_EQ(With(step), "MUNGE:batch:");
}

TEST_F(JobCredentialTest, AnotherJobsIsNotTaken) {
  folder_.Write("4712.3.0", "MUNGE:other:\n");
  folder_.Write("4711.4.0", "MUNGE:other step:\n");
  EXPECT_EQ(With({{"COX_JOB_CREDENTIAL", named_},
                  {"SLURM_JOB_ID", "4711"},
                  {"SLURM_STEP_ID", "3"},
                  {"SLURM_STEP_NUM_NODES", "2"}}),
            "");
}

}  // namespace
}  // namespace cox::agent
