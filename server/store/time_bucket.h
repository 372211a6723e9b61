// Buckets of time. Thread rule: pure. Failure rule: cannot fail.
#ifndef COX_STORE_TIME_BUCKET_H_
#define COX_STORE_TIME_BUCKET_H_

#include <cstdint>

namespace cox::store {

// The begin of the bucket that a time lies in, also before 1970. Microseconds since the Unix epoch;
// bucket_us 0: one bucket for all time, which begins at 0.
inline int64_t BucketOf(int64_t time_us, int64_t bucket_us) {
  if (bucket_us == 0) return 0;
  const int64_t rest = time_us % bucket_us;
  return time_us - (rest < 0 ? rest + bucket_us : rest);
}

}  // namespace cox::store

#endif  // COX_STORE_TIME_BUCKET_H_
