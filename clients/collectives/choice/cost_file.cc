#include "collectives/choice/cost_file.h"

#include <cstdlib>
#include <fstream>

namespace cox::collectives {

std::string ReadCostFile(const std::string& path, domain::CostProfile* profile,
                         domain::Decisions* decided) {
  std::ifstream file(path);
  std::string text;
  char part[4096];
  while (file.read(part, sizeof(part)) || file.gcount() > 0) {
    text.append(part, static_cast<size_t>(file.gcount()));
  }
  // A directory can be opened, and not be read.
  const bool is_whole = file.is_open() && !file.bad();
  std::string wrong = is_whole ? domain::ParseCostProfile(text, profile) : "cannot be read";
  if (wrong.empty() && decided != nullptr) wrong = domain::ParseDecisions(text, decided);
  return wrong.empty() ? "" : path + ": " + wrong;
}

std::string CostFileOfEnvironment() {
  const char* path = std::getenv("COX_COLL_PROFILE");
  return path == nullptr ? "" : path;
}

}  // namespace cox::collectives
