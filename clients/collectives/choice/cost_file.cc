#include "collectives/choice/cost_file.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace cox::collectives {

std::string ReadCostFile(const std::string& path, domain::CostProfile* profile,
                         domain::Decisions* decided) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  std::string wrong = file ? domain::ParseCostProfile(text.str(), profile) : "cannot be read";
  if (wrong.empty() && decided != nullptr) wrong = domain::ParseDecisions(text.str(), decided);
  return wrong.empty() ? "" : path + ": " + wrong;
}

std::string CostFileOfEnvironment() {
  const char* path = std::getenv("COX_COLL_PROFILE");
  return path == nullptr ? "" : path;
}

}  // namespace cox::collectives
