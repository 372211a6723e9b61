#include "cli/run/become_command.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "console/exec_pointers.h"

namespace cox::cli {
namespace {

constexpr int kNotFoundCode = 127;
constexpr int kNotRunCode = 126;

}  // namespace

std::map<std::string, std::string> FirstEnvironment() {
  std::map<std::string, std::string> all;
  std::ifstream file("/proc/self/environ", std::ios::binary);
  std::string entry;
  while (std::getline(file, entry, '\0')) {
    const size_t equals = entry.find('=');
    if (equals != std::string::npos) all[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  if (all.empty()) {
    for (char** at = environ; *at != nullptr; ++at) {
      const std::string text = *at;
      const size_t equals = text.find('=');
      if (equals != std::string::npos) all[text.substr(0, equals)] = text.substr(equals + 1);
    }
  }
  return all;
}

int BecomeCommand(const std::vector<std::string>& command, const RunSettings& settings,
                  std::string& why) {
  std::map<std::string, std::string> environment = FirstEnvironment();
  for (const std::string& name : settings.unset) environment.erase(name);
  for (const auto& [name, value] : settings.set) environment[name] = value;
  std::vector<std::string> entries;
  entries.reserve(environment.size());
  for (const auto& [name, value] : environment) entries.push_back(absl::StrCat(name, "=", value));
  std::vector<std::string> words = command;
  const std::vector<char*> argv = console::ExecPointers(words);
  const std::vector<char*> envp = console::ExecPointers(entries);
  execvpe(argv[0], argv.data(), envp.data());
  const int error = errno;
  why = absl::StrCat(command[0], ": ", std::strerror(error));
  return error == ENOENT ? kNotFoundCode : kNotRunCode;
}

}  // namespace cox::cli
