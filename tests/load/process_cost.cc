#include "process_cost.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace cox::load {
namespace {

// The numbers in /proc/PID/NAME after its last ')': the name of the program may have blanks.
std::vector<std::string> Words(pid_t pid, const char* name) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/", name));
  std::string text;
  std::getline(file, text);
  const size_t end = text.rfind(')');
  return absl::StrSplit(end == std::string::npos ? text : text.substr(end + 1), ' ',
                        absl::SkipEmpty());
}

int64_t Number(const std::vector<std::string>& words, size_t index) {
  int64_t number = 0;
  return index < words.size() && absl::SimpleAtoi(words[index], &number) ? number : 0;
}

}  // namespace

int64_t ResidentBytes(pid_t pid) { return Number(Words(pid, "statm"), 1) * sysconf(_SC_PAGESIZE); }

int64_t MostResidentBytes(pid_t pid) {
  std::ifstream status(absl::StrCat("/proc/", pid, "/status"));
  for (std::string line; std::getline(status, line);) {
    const std::vector<std::string> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t:"), absl::SkipEmpty());
    if (words.size() > 1 && words[0] == "VmHWM") return Number(words, 1) << 10;  // it is in KiB
  }
  return 0;
}

int ThreadCount(pid_t pid) {
  constexpr size_t kThreads = 17;  // proc(5): num_threads, counted from the state
  return static_cast<int>(Number(Words(pid, "stat"), kThreads));
}

int DescriptorCount(pid_t pid) {
  std::error_code problem;
  const std::filesystem::directory_iterator all(absl::StrCat("/proc/", pid, "/fd"), problem);
  return problem ? 0 : static_cast<int>(std::distance(begin(all), end(all)));
}

double ProcessorTime_s(pid_t pid) {
  constexpr size_t kUser = 11;  // proc(5): utime, then stime, counted from the state
  const std::vector<std::string> words = Words(pid, "stat");
  return static_cast<double>(Number(words, kUser) + Number(words, kUser + 1)) /
         static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace cox::load
