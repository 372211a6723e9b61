// Instants of the store and of the API. Pure, any thread.
#ifndef COX_SERVICE_CONVERT_TIMESTAMP_H_
#define COX_SERVICE_CONVERT_TIMESTAMP_H_

#include <google/protobuf/timestamp.pb.h>

#include <cstdint>

namespace cox::service {

// `time_us`: microseconds since the Unix epoch, UTC.
google::protobuf::Timestamp ToTimestamp(int64_t time_us);

// Microseconds since the Unix epoch, UTC; times beyond int64 count as its limits.
int64_t ToMicroseconds(const google::protobuf::Timestamp& time);

// Rounded; |seconds| <= 9e12.
int64_t SecondsToMicroseconds(double seconds);

}  // namespace cox::service

#endif  // COX_SERVICE_CONVERT_TIMESTAMP_H_
