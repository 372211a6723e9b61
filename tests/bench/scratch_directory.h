// A directory for a bench's databases that goes away with the object.
#ifndef COX_TESTS_BENCH_SCRATCH_DIRECTORY_H_
#define COX_TESTS_BENCH_SCRATCH_DIRECTORY_H_

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace cox::bench {

class ScratchDirectory {
 public:
  ScratchDirectory() {
    path_ = (std::filesystem::temp_directory_path() / "cox-bench-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace cox::bench

#endif  // COX_TESTS_BENCH_SCRATCH_DIRECTORY_H_
