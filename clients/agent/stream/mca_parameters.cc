#include "agent/stream/mca_parameters.h"

#include <algorithm>
#include <fstream>

#include "library/openmpi/values.h"

namespace cox::agent {
namespace {

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string OrEmpty(const char* text) { return text != nullptr ? text : ""; }

}  // namespace

McaParameters::McaParameters(Environment environment) : environment_(std::move(environment)) {
  std::string files = OrEmpty(environment_("OMPI_MCA_mca_base_param_files"));
  if (files.empty()) {
    const std::string prefix = OrEmpty(environment_("OPAL_PREFIX"));
    files = OrEmpty(environment_("HOME")) +
            "/.openmpi/mca-params.conf:" + (prefix.empty() ? "/etc/openmpi" : prefix + "/etc") +
            "/openmpi-mca-params.conf";
  }
  for (size_t begin = 0; begin < files.size();) {
    const size_t end = std::min(files.find_first_of(":,", begin), files.size());
    AddFile(files.substr(begin, end - begin));
    begin = end + 1;
  }
}

void McaParameters::AddFile(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    const std::string_view setting = std::string_view(line).substr(0, line.find('#'));
    const size_t equals = setting.find('=');
    if (equals == std::string_view::npos) continue;
    of_files_.emplace(Trim(setting.substr(0, equals)), Trim(setting.substr(equals + 1)));
  }
}

std::string McaParameters::Get(const std::string& name) const {
  if (const char* value = environment_(("OMPI_MCA_" + name).c_str())) return value;
  const auto found = of_files_.find(name);
  return found != of_files_.end() ? found->second : "";
}

bool McaParameters::IsOn(const std::string& name) const {
  return library::IsOpenMpiSwitchOn(Get(name));
}

}  // namespace cox::agent
