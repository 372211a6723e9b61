// The two clocks of an operation's cost, in seconds. Any thread, cannot fail.
#ifndef COX_COLLECTIVES_ENGINE_CLOCK_H_
#define COX_COLLECTIVES_ENGINE_CLOCK_H_

#include <time.h>

namespace cox::collectives {

// Reads one of the system's clocks.
inline double ReadClock(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Seconds since a fixed instant.
inline double NowSeconds() { return ReadClock(CLOCK_MONOTONIC); }

// Processor time of this thread.
inline double ThreadCpuSeconds() { return ReadClock(CLOCK_THREAD_CPUTIME_ID); }

// Adds the processor time between construction and destruction to `*total_s`.
class CpuScope {
 public:
  explicit CpuScope(double* total_s) : total_s_(total_s), start_s_(ThreadCpuSeconds()) {}
  ~CpuScope() { *total_s_ += ThreadCpuSeconds() - start_s_; }
  CpuScope(const CpuScope&) = delete;
  CpuScope& operator=(const CpuScope&) = delete;

 private:
  double* total_s_;
  double start_s_;
};

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_ENGINE_CLOCK_H_
