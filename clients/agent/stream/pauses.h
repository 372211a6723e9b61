// How long a sender waits before it connects again. The time is random: all agents of a job lose
// their daemon at the same moment, and must not come to the next one all at once. Pure; one thread.
#ifndef COX_AGENT_STREAM_PAUSES_H_
#define COX_AGENT_STREAM_PAUSES_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>

namespace cox::agent {

class Pauses {
 public:
  using Seconds = std::chrono::duration<double>;

  // Agents reach another daemon within 2 s: this, and the time to connect.
  static constexpr Seconds kSpread{1.5};
  static constexpr Seconds kFirst{1.0};
  static constexpr Seconds kMost{30.0};

  explicit Pauses(uint64_t seed) : random_(static_cast<std::minstd_rand::result_type>(seed)) {}

  // After a daemon that had answered ended the conversation: 0 to kSpread.
  Seconds AfterBreak() {
    next_ = kFirst;
    return kSpread * Share(0);
  }
  // After a daemon did not answer: half to all of a time that doubles up to kMost.
  Seconds AfterFailure() {
    const Seconds pause = next_ * Share(0.5);
    next_ = std::min(next_ * 2, kMost);
    return pause;
  }

 private:
  double Share(double least) { return std::uniform_real_distribution<double>(least, 1)(random_); }

  std::minstd_rand random_;
  Seconds next_ = kFirst;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_PAUSES_H_
