// What a timing of a job is for a comparison with canaries, and its label on the wire and in
// history.
//
// Header only and free of dependencies, because the agent shares it. Any thread, cannot fail.
#ifndef COX_DOMAIN_CANARY_ARM_H_
#define COX_DOMAIN_CANARY_ARM_H_

#include <cstdint>

namespace cox::domain {

enum class CanaryArm : uint8_t {
  kTuned,   // any other timing
  kPeer,    // of a call that was drawn to be compared with a canary; it ran the chosen algorithm
  kCanary,  // of a call, or of a whole job, that was drawn to run the library's default
};

// The labels of observations (Observation.run).
inline constexpr char kCanaryRun[] = "canary";
inline constexpr char kPeerRun[] = "peer";

}  // namespace cox::domain

#endif  // COX_DOMAIN_CANARY_ARM_H_
