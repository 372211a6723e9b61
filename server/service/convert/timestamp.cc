#include "service/convert/timestamp.h"

namespace cox::service {

google::protobuf::Timestamp ToTimestamp(int64_t time_us) {
  google::protobuf::Timestamp timestamp;
  int64_t seconds = time_us / 1'000'000;
  int64_t micros = time_us % 1'000'000;
  if (micros < 0) {
    micros += 1'000'000;
    --seconds;
  }
  timestamp.set_seconds(seconds);
  timestamp.set_nanos(static_cast<int32_t>(micros * 1'000));
  return timestamp;
}

}  // namespace cox::service
