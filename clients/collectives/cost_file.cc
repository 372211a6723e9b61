#include "collectives/cost_file.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace cox::collectives {

std::string ReadCostFile(const std::string& path, CostProfile* profile) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  const std::string wrong =
      file ? ParseCostProfile(text.str(), profile) : std::string("cannot be read");
  return wrong.empty() ? "" : path + ": " + wrong;
}

std::string CostFileOfEnvironment() {
  const char* path = std::getenv("COX_COLL_PROFILE");
  return path == nullptr ? "" : path;
}

}  // namespace cox::collectives
