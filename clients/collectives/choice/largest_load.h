// The largest load of a many-to-many: the most messages and the most bytes that any one rank sends.
// Pure, any thread.
#ifndef COX_COLLECTIVES_CHOICE_LARGEST_LOAD_H_
#define COX_COLLECTIVES_CHOICE_LARGEST_LOAD_H_

#include <algorithm>
#include <cstdint>

namespace cox::collectives {

struct LargestLoad {
  int64_t messages = 0;
  int64_t bytes = 0;

  // Order and repetition do not change the result.
  void Add(const LargestLoad& other) {
    messages = std::max(messages, other.messages);
    bytes = std::max(bytes, other.bytes);
  }
};

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_LARGEST_LOAD_H_
