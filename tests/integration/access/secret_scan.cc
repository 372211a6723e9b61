#include "secret_scan.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

#include "daemon/log.h"

namespace cox {
namespace {

constexpr size_t kPartBytes = 24;
constexpr int kMostOfAKind = 100;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

SecretScan::SecretScan(const std::string& folder) : log_path_(folder + "/stderr") {
  real_stderr_ = dup(STDERR_FILENO);
  const int log =
      open(log_path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  dup2(log, STDERR_FILENO);
  close(log);
  // As coxd does. Without it, the log would go where the test's own words go.
  static const bool is_set_up = daemon::SetUpLog("info").ok();
  EXPECT_TRUE(is_set_up);
}

SecretScan::~SecretScan() {
  dup2(real_stderr_, STDERR_FILENO);
  close(real_stderr_);
}

void SecretScan::Remember(const std::string& kind, const std::string& secret) {
  if (++counts_[kind] > kMostOfAKind) return;
  ASSERT_GE(secret.size(), kPartBytes) << kind;
  parts_[secret.substr((secret.size() - kPartBytes) / 2, kPartBytes)] = kind;
}

void SecretScan::CheckText(const std::string& where, const std::string& text) const {
  for (const auto& [part, kind] : parts_) {
    const size_t at = text.find(part);
    EXPECT_EQ(at, std::string::npos)
        << kind << " is in " << where << ": ..."
        << text.substr(at < 60 ? 0 : at - 60, at == std::string::npos ? 0 : 60) << "...";
  }
}

void SecretScan::CheckLog() const {
  // Lines reach the file in their order.
  static int mark_count = 0;
  const std::string mark = "scanned for secrets " + std::to_string(++mark_count) + ".";
  daemon::Log(daemon::LogLevel::kWarning, mark);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  std::string text;
  for (;;) {
    text = ReadFile(log_path_);
    if (text.find(mark) != std::string::npos) break;
    ASSERT_LT(std::chrono::steady_clock::now(), give_up) << "the log does not reach its file";
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_NE(text.find("method="), std::string::npos) << "refused calls are in the log";
  CheckText("the log", text);
}

void SecretScan::CheckFolder(const std::string& folder) const {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    CheckText(entry.path(), ReadFile(entry.path()));
  }
  EXPECT_GE(files, 3) << "of " << folder << ": the database, its log and the tokens";
}

void SecretScan::CheckCommandLines() const {
  int processes = 0;
  std::error_code error;
  for (const auto& process : std::filesystem::directory_iterator("/proc", error)) {
    // Another process may end meanwhile: then there is no text.
    const std::string text = ReadFile(process.path() / "cmdline");
    if (!text.empty()) ++processes;
    CheckText(process.path() / "cmdline", text);
  }
  EXPECT_GE(processes, 1);
}

}  // namespace cox
