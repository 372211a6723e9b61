// A core file of coxd has no secret in it.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "coxd_process.h"
#include "daemon.h"

namespace cox {
namespace {

namespace fs = std::filesystem;

const std::string& KeyOfSlurm() {
  static const auto* const key = new std::string("a-key-of-slurm-that-is-nowhere-else-0123456789");
  return *key;
}

std::string ContentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class CoreFile : public ::testing::Test {
 protected:
  CoreFile() : previous_(fs::current_path()) {
    fs::current_path(directory_.path());
    getrlimit(RLIMIT_CORE, &limit_);
    const rlimit most = {limit_.rlim_max, limit_.rlim_max};
    setrlimit(RLIMIT_CORE, &most);
  }
  ~CoreFile() override {
    setrlimit(RLIMIT_CORE, &limit_);
    fs::current_path(previous_);
  }
  // Runs coxd and aborts it. `filter`: what its filter becomes first; "": it stays. The filter
  // at the end, and the core file; "" if this host writes it elsewhere, or not.
  std::pair<std::string, std::string> Abort(const std::string& filter) const {
    const std::string socket = directory_.path() + "/s";
    const std::string key = directory_.path() + "/key";
    std::ofstream(key) << KeyOfSlurm();
    chmod(key.c_str(), 0600);
    CoxdProcess coxd({"--data", directory_.path() + "/data", "--listen", "unix:" + socket, "--http",
                      "off", "--slurm-jwt-key", key},
                     directory_.path() + "/log");
    EXPECT_NE(ConnectUnix(socket, 30), nullptr) << coxd.Log();
    const std::string path = absl::StrCat("/proc/", coxd.pid(), "/coredump_filter");
    if (!filter.empty()) std::ofstream(path) << filter;
    std::string at_the_end = ContentOf(path);
    coxd.Signal(SIGABRT);
    EXPECT_EQ(coxd.Wait(), 128 + SIGABRT);
    std::string core;
    for (const auto& entry : fs::directory_iterator(directory_.path())) {
      if (!absl::StartsWith(entry.path().filename().string(), "core")) continue;
      core = ContentOf(entry.path());
      fs::remove(entry.path());
    }
    return {at_the_end, core};
  }

  const TemporaryDirectory directory_;
  const fs::path previous_;
  rlimit limit_ = {};
};

TEST_F(CoreFile, HasNoMemoryAndSoNoSecret) {
  const auto [filter, core] = Abort("");
  EXPECT_EQ(filter, "00000010\n");
  if (core.empty()) GTEST_SKIP() << "this host writes no core file into the working directory";
  EXPECT_TRUE(absl::StartsWith(core,
                               "\x7f"
                               "ELF"));
  EXPECT_FALSE(absl::StrContains(core, KeyOfSlurm()));
  // The key would be found.
  EXPECT_TRUE(absl::StrContains(Abort("0x33").second, KeyOfSlurm()));
}

}  // namespace
}  // namespace cox
