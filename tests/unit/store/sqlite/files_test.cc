#include "store/sqlite/file/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <string>

namespace cox::store {
namespace {

using ::testing::HasSubstr;

// A limit of this process, until the test's end.
class Limit {
 public:
  Limit(__rlimit_resource resource, rlim_t most) : resource_(resource) {
    getrlimit(resource_, &before_);
    rlimit limit = before_;
    limit.rlim_cur = most;
    setrlimit(resource_, &limit);
  }
  ~Limit() { setrlimit(resource_, &before_); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  const __rlimit_resource resource_;
  rlimit before_ = {};
};

TEST(CheckSpace, SaysThatTheDiskIsFullOnlyIfItIs) {
  const std::string directory = testing::TempDir();
  EXPECT_TRUE(CheckSpace(directory, 65'536).ok());
  signal(SIGXFSZ, SIG_IGN);
  {
    const Limit of_size(RLIMIT_FSIZE, 1'024);
    const absl::Status full = CheckSpace(directory, 65'536);
    EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted) << full;
    EXPECT_THAT(full.message(), HasSubstr("disk full: no 64 KiB in"));
  }
  const Limit of_descriptors(RLIMIT_NOFILE, 0);
  const absl::Status busy = CheckSpace(directory, 65'536);
  EXPECT_EQ(busy.code(), absl::StatusCode::kUnavailable) << busy;
  EXPECT_THAT(busy.message(), HasSubstr("Too many open files"));
}

}  // namespace
}  // namespace cox::store
