// Work that threads may share: its owner says how, and who does it need not know of threads.
#ifndef COX_DOMAIN_SHARING_IN_PARTS_H_
#define COX_DOMAIN_SHARING_IN_PARTS_H_

#include <cstddef>
#include <functional>

namespace cox::domain {

// Calls work(begin, end) for parts of [0, count) of at most `step` > 0 each, perhaps some at the
// same time, and returns when all are done. Empty: all is one part.
using InParts = std::function<void(size_t count, size_t step,
                                   const std::function<void(size_t begin, size_t end)>& work)>;

}  // namespace cox::domain

#endif  // COX_DOMAIN_SHARING_IN_PARTS_H_
