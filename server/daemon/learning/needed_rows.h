// Which of a machine's observations learning still reads as rows. Plain data.
#ifndef COX_DAEMON_LEARNING_NEEDED_ROWS_H_
#define COX_DAEMON_LEARNING_NEEDED_ROWS_H_

#include <cstdint>

namespace cox::daemon {

struct NeededRows {
  int64_t after_id = 0;  // those with greater ids
  // The same without what learning has read, but no revision contains, such as what it holds back:
  // after a start it reads that again. At least after_id.
  int64_t unread_after_id = 0;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_LEARNING_NEEDED_ROWS_H_
