// The arguments of execve(). Pure, any thread.
#ifndef COX_CONSOLE_EXEC_POINTERS_H_
#define COX_CONSOLE_EXEC_POINTERS_H_

#include <string>
#include <vector>

namespace cox::console {

// Pointers to the words, valid as long as the words, ended by a null pointer.
inline std::vector<char*> ExecPointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace cox::console

#endif  // COX_CONSOLE_EXEC_POINTERS_H_
