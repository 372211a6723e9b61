#include "collectives/choice/text_lines.h"

#include <sstream>

namespace cox::collectives {

std::string ReadLines(std::string_view text,
                      const std::function<std::string(const std::vector<std::string>&)>& read) {
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream stream(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.empty()) continue;
    const std::string wrong = read(words);
    if (!wrong.empty()) return "line " + std::to_string(number) + ": " + wrong;
  }
  return "";
}

}  // namespace cox::collectives
