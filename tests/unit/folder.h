// Files of a test, in a folder that goes away with the object.
#ifndef COX_TESTS_UNIT_FOLDER_H_
#define COX_TESTS_UNIT_FOLDER_H_

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace cox {

class Folder {
 public:
  Folder() {
    std::string path = (std::filesystem::temp_directory_path() / "unit_test.XXXXXX").string();
    path_ = mkdtemp(path.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string Path(const std::string& name) const { return path_ + "/" + name; }

  std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(Path(name), std::ios::binary) << content;
    return Path(name);
  }

  std::string Read(const std::string& name) const {
    std::ostringstream content;
    content << std::ifstream(Path(name), std::ios::binary).rdbuf();
    return content.str();
  }

 private:
  std::string path_;
};

}  // namespace cox

#endif  // COX_TESTS_UNIT_FOLDER_H_
