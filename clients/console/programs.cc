#include "console/programs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace cox::console {
namespace {

bool IsExecutable(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string OwnFolder() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string() : self.parent_path().string();
}

std::string FindInPath(const std::string& name) {
  if (name.find('/') != std::string::npos) return IsExecutable(name) ? name : "";
  const char* path = std::getenv("PATH");
  for (absl::string_view folder : absl::StrSplit(path == nullptr ? "" : path, ':')) {
    std::string candidate = absl::StrCat(folder.empty() ? "." : folder, "/", name);
    if (IsExecutable(candidate)) return candidate;
  }
  return "";
}

std::string FindProgram(const std::string& name) {
  std::string beside = absl::StrCat(OwnFolder(), "/", name);
  return IsExecutable(beside) ? beside : FindInPath(name);
}

std::string FindAgent(const std::string& mpi) {
  const std::string file = absl::StrCat("libcoxagent-", mpi, ".so");
  const std::string up = absl::StrCat(OwnFolder(), "/../");
  // A build, an installation, and one with Debian's folder for the architecture.
  for (const absl::string_view folder :
       {"lib", "lib/coxswain", "lib/" COX_LIBRARY_ARCHITECTURE "/coxswain"}) {
    std::error_code error;
    const std::filesystem::path path = absl::StrCat(up, folder, "/", file);
    if (std::filesystem::is_regular_file(path, error)) return path.lexically_normal().string();
  }
  return "";
}

std::string FirstInPath(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::string path = FindInPath(name);
    if (!path.empty()) return path;
  }
  return "";
}

}  // namespace cox::console
