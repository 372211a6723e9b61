#include "agent/timing/call_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>

namespace cox::agent {
namespace {

bool KernelTrustsCounter() {
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  return file >> name && name == "tsc";
}

CallClock::Scale ScaleAfter(std::chrono::milliseconds time) {
  CallClock clock;
  clock.Begin();
  std::this_thread::sleep_for(time);
  clock.Calibrate();
  return clock.scale();
}

TEST(CallClockTest, UsesTheCounterWhereTheKernelDoes) {
  EXPECT_EQ(ScaleAfter(std::chrono::milliseconds(20)) != CallClock::kNanosecond,
            KernelTrustsCounter());
}

TEST(CallClockTest, WithoutTimeToMeasureTheCounterItIsTheAgentsClock) {
  EXPECT_EQ(ScaleAfter(std::chrono::milliseconds(0)), CallClock::kNanosecond);
  CallClock never_begun;
  never_begun.Calibrate();
  EXPECT_EQ(never_begun.scale(), CallClock::kNanosecond);
}

TEST(CallClockTest, MeasuresWhatTheAgentsClockMeasures) {
  const CallClock::Scale scale = ScaleAfter(std::chrono::milliseconds(20));
  // The best of some tries, because other work may come between two readings.
  double least_error = 1;
  for (int i = 0; i < 5; ++i) {
    const uint64_t start_ns = NowNs();
    const uint64_t start = CallClock::Read(scale);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const uint64_t stop = CallClock::Read(scale);
    const auto ns = static_cast<double>(NowNs() - start_ns);
    least_error = std::min(
        least_error, std::abs(static_cast<double>(CallClock::ToNs(stop - start, scale)) / ns - 1));
  }
  EXPECT_LT(least_error, 1e-3);
}

TEST(CallClockTest, LongTimesDoNotOverflow) {
  EXPECT_EQ(CallClock::ToNs(uint64_t{1} << 62, CallClock::kNanosecond / 2), uint64_t{1} << 61);
  EXPECT_EQ(CallClock::ToNs(0, CallClock::kNanosecond), 0U);
}

}  // namespace
}  // namespace cox::agent
