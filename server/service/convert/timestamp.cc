#include "service/convert/timestamp.h"

#include <cmath>
#include <limits>

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

int64_t ToMicroseconds(const google::protobuf::Timestamp& time) {
  using Limits = std::numeric_limits<int64_t>;
  int64_t time_us = 0;
  if (__builtin_mul_overflow(time.seconds(), int64_t{1'000'000}, &time_us) ||
      __builtin_add_overflow(time_us, time.nanos() / 1'000, &time_us)) {
    return time.seconds() < 0 ? Limits::min() : Limits::max();
  }
  return time_us;
}

int64_t SecondsToMicroseconds(double seconds) { return std::llround(seconds * 1e6); }

}  // namespace cox::service
