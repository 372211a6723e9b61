#include "domain/coxcoll_lines.h"

#include <sstream>

namespace cox::domain {

std::vector<std::string> ReadLines(std::string_view text, const LineReader& read) {
  std::vector<std::string> refused;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream stream(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.empty()) continue;
    const std::string wrong = read(words);
    if (!wrong.empty()) refused.push_back("line " + std::to_string(number) + ": " + wrong);
  }
  return refused;
}

std::string FirstRefused(std::string_view text, const LineReader& read) {
  const std::vector<std::string> refused = ReadLines(text, read);
  return refused.empty() ? "" : refused.front();
}

}  // namespace cox::domain
