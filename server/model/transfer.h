// One message of an arbitrary pattern: source, destination, bytes. Plain data, any thread.
#ifndef COX_MODEL_TRANSFER_H_
#define COX_MODEL_TRANSFER_H_

#include <cstdint>

namespace cox::model {

struct Transfer {
  int64_t source = 0;
  int64_t destination = 0;
  double bytes = 0;  // >= 0; a message of no bytes is still a message
  friend bool operator==(const Transfer&, const Transfer&) = default;
};

}  // namespace cox::model

#endif  // COX_MODEL_TRANSFER_H_
