// Lets all ranks of MPI_COMM_WORLD agree on what they do together: synchronised sampling, steering.
// A launcher may give the agent's environment to some ranks only. In a collective of the agent all
// others would wait for a missing rank for ever, so this comes before any collective.
//
// Rank 0 calls all others. A rank that receives the call within kAnswerNs replies with what it can
// and wants, and waits for the verdict. Rank 0 sends the verdict when all have replied, or after
// kListenNs. A rank that does not receive the call has not replied and goes on without.
//
// A rank without the agent never receives rank 0's two messages (of 0 and 1 byte, tag
// kAgreementTag); a receive of the program with any tag could take one. If rank 0 has no agent, it
// sends nothing, and the others' receives of that tag from rank 0 stay open.
//
// Call once, in MPI_Init, after LoadLibrary. Waits at most kAnswerNs.
#ifndef COX_AGENT_SAMPLING_AGREEMENT_H_
#define COX_AGENT_SAMPLING_AGREEMENT_H_

#include <cstdint>

namespace cox::agent {

inline constexpr uint64_t kListenNs = 5'000'000'000;
inline constexpr uint64_t kAnswerNs = 10'000'000'000;
inline constexpr int kAgreementTag = 32'749;  // any tag up to 32767 is valid everywhere

enum Part : uint8_t { kSamples = 1, kSteers = 2 };  // a combination is a bit-or

struct Agreement {
  uint8_t parts = 0;     // that all ranks do
  bool is_heard = true;  // rank 0 has called this rank
};

// `own`: the parts that this rank can do and wants. A rank that wants a part must call this even if
// it cannot do it.
Agreement AgreeOn(uint8_t own);

}  // namespace cox::agent

#endif  // COX_AGENT_SAMPLING_AGREEMENT_H_
