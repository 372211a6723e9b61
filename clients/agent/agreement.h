// Whether all ranks of MPI_COMM_WORLD take part in synchronised sampling. A launcher may hand the
// agent's environment to some of its ranks only, and a rank that does not take part would let all
// others wait for ever in a barrier of ours: nothing collective may be tried before it is known.
//
// Every rank that wants to says so to rank 0, which answers "all" or "not all" when it has heard of
// everybody or waited kListenNs. A rank without an answer after kAnswerNs goes on without. When
// rank 0 wants to and others do not, no message is left over. When only others want to, their
// words (no bytes, tag kAgreementTag) stay with rank 0, where nothing but a receive of any tag
// could take one for its own.
//
// In MPI_Init, once, after LoadLibrary. Waits at most kAnswerNs.
#ifndef COX_AGENT_AGREEMENT_H_
#define COX_AGENT_AGREEMENT_H_

#include <cstdint>

namespace cox::agent {

inline constexpr uint64_t kListenNs = 5'000'000'000;
inline constexpr uint64_t kAnswerNs = 20'000'000'000;
inline constexpr int kAgreementTag = 32'749;  // any tag up to 32767 is valid everywhere

bool AllRanksAgree();

}  // namespace cox::agent

#endif  // COX_AGENT_AGREEMENT_H_
