// What execve wants of words. Pure, any thread.
#ifndef COX_CLI_EXEC_POINTERS_H_
#define COX_CLI_EXEC_POINTERS_H_

#include <string>
#include <vector>

namespace cox::cli {

// Pointers to the words, valid as long as these, and a null behind them.
inline std::vector<char*> ExecPointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace cox::cli

#endif  // COX_CLI_EXEC_POINTERS_H_
