// A folder of the harness. libFuzzer ends without destructors: `run` removes what stays.
#ifndef COX_TESTS_FUZZ_FOLDER_H_
#define COX_TESTS_FUZZ_FOLDER_H_

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/string_view.h"
#include "expect.h"

namespace cox::fuzz {

class Folder {
 public:
  Folder() {
    path_ = (std::filesystem::temp_directory_path() / "cox-fuzz-XXXXXX").string();
    Expect(mkdtemp(path_.data()) != nullptr, "cannot make a folder");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string File(absl::string_view name) const { return path_ + "/" + std::string(name); }
  // Replaces the file; only this user can read it.
  std::string Write(absl::string_view name, absl::string_view text) const {
    const std::string path = File(name);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    chmod(path.c_str(), 0600);
    return path;
  }

 private:
  std::string path_;
};

}  // namespace cox::fuzz

#endif  // COX_TESTS_FUZZ_FOLDER_H_
