// What all ranks of MPI_COMM_WORLD take part in: synchronised sampling, steering. A launcher may
// hand the agent's environment to some of its ranks only, and a rank that does not take part would
// let all others wait for ever in a collective of ours: nothing collective may be tried before it
// is known.
//
// Rank 0 calls all others. Who hears the call within kAnswerNs says what it can and wants, and
// waits for the answer: what all do, which rank 0 gives to everybody when it has heard of all or
// waited kListenNs. Who does not hear it has said nothing, and goes on without. When rank 0 wants
// to and others do not, its two messages (of none and one byte, tag kAgreementTag) stay with those,
// where nothing but a receive of any tag could take one for its own; where it does not, no message
// is sent and the others' receives of that tag from rank 0 stay open.
//
// In MPI_Init, once, after LoadLibrary. Waits at most kAnswerNs.
#ifndef COX_AGENT_SAMPLING_AGREEMENT_H_
#define COX_AGENT_SAMPLING_AGREEMENT_H_

#include <cstdint>

namespace cox::agent {

inline constexpr uint64_t kListenNs = 5'000'000'000;
inline constexpr uint64_t kAnswerNs = 20'000'000'000;
inline constexpr int kAgreementTag = 32'749;  // any tag up to 32767 is valid everywhere

enum Part : uint8_t { kSamples = 1, kSteers = 2 };  // a combination is a bit-or

// `own`: what this rank can and wants; only ranks that want something ask, be it that they cannot.
// Answers what all ranks do.
uint8_t AgreeOn(uint8_t own);

}  // namespace cox::agent

#endif  // COX_AGENT_SAMPLING_AGREEMENT_H_
