// Canaries are steered calls that run the library's default, to compare it with the chosen
// algorithm in the same job and at the same time. Each has a peer: a call that runs the chosen
// algorithm, and whose time is kept apart. So canaries and peers have equally many timings.
//
// One call of each block of calls is a canary, another one its peer; chance says which ones. All
// ranks draw alike: the draw depends on the block's number on the communicator and on a seed that
// travels with the decision table. No message, no clock; a call costs two comparisons and a
// decrement, a block one hash.
//
// Pure; one thread (steering is off under MPI_THREAD_MULTIPLE). Cannot fail.
#ifndef COX_AGENT_STEERING_CANARIES_H_
#define COX_AGENT_STEERING_CANARIES_H_

#include <cstdint>

#include "domain/canary_arm.h"
#include "domain/collective.h"

namespace cox::agent {

// Where a communicator is within the present block of calls. Starts with zeros.
struct CanaryTurn {
  uint32_t left;       // calls of the block that are still to come
  uint32_t canary_at;  // calls that are left when the canary comes
  uint32_t peer_at;    // likewise
  uint32_t block;      // blocks that have begun

  // Whether a block has just ended and none begun.
  bool is_between_blocks() const { return left == 0 && block > 0; }
};

class Canaries {
 public:
  // `share` of the steered calls, 0 (none) to 0.5: one of round(1 / share) calls. A share below
  // 1e-9 counts as 1e-9.
  void Start(double share, uint64_t seed) {
    const double exact = share > 0 ? 1 / share : 0;
    const double calls = exact < kMostBlockCalls ? exact : kMostBlockCalls;
    block_calls_ = static_cast<uint32_t>(calls);
    if (calls - block_calls_ >= 0.5) ++block_calls_;
    seed_ = seed;
  }

  bool are_on() const { return block_calls_ != 0; }

  // Counts a call, and says what it is. `salt` tells apart what is drawn separately.
  domain::CanaryArm Take(uint32_t salt, CanaryTurn* turn) const {
    if (!are_on()) return domain::CanaryArm::kTuned;
    if (turn->left == 0) {
      const uint64_t bits = Draw(salt, turn->block++);
      const auto high = static_cast<uint32_t>(bits >> 32);
      const auto low = static_cast<uint32_t>(bits);
      turn->left = block_calls_;
      turn->canary_at = 1 + high % block_calls_;
      // Any other call of the block.
      turn->peer_at = 1 + (turn->canary_at + low % (block_calls_ - 1)) % block_calls_;
    }
    const uint32_t now = turn->left--;
    if (now == turn->canary_at) return domain::CanaryArm::kCanary;
    return now == turn->peer_at ? domain::CanaryArm::kPeer : domain::CanaryArm::kTuned;
  }

 private:
  static constexpr double kMostBlockCalls = 1e9;  // twice as many are a uint32_t

  // SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
  uint64_t Draw(uint32_t salt, uint32_t block) const {
    uint64_t bits =
        seed_ + 0x9e3779b97f4a7c15 * (uint64_t{block} + 1) + (static_cast<uint64_t>(salt) << 40);
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }

  uint32_t block_calls_ = 0;  // 0: no canaries; else >= 2
  uint64_t seed_ = 0;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_CANARIES_H_
