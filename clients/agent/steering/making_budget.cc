#include "agent/steering/making_budget.h"

#include <algorithm>

#include "agent/job/library.h"
#include "agent/sampling/sampling.h"
#include "agent/timing/clock.h"

namespace cox::agent {
namespace {

struct State {
  uint64_t begun_ns;
  double share;
  SampleAccount account;
  int made;  // private communicators
};
State state;

double SecondsSince(uint64_t start_ns) {
  return static_cast<double>(NowNs() - start_ns) / static_cast<double>(kNsPerS);
}

}  // namespace

void StartMaking(double share) {
  state.begun_ns = NowNs();
  state.share = share;
}

double CallsUntilMaking(MPI_Comm comm, const PrivateCommBackoff& backoff) {
  if (comm == library.world) return 0;
  if (!(state.share > 0)) return kMostCallsBetween;
  // With what freeing took.
  const double mean_s = state.made > 0 ? state.account.spent_s() / state.made : 0;
  const double waited_s = static_cast<double>(backoff.waited_ns) / static_cast<double>(kNsPerS);
  const double lacks_s = state.account.Lacks(SecondsSince(state.begun_ns), state.share, 0, 0);
  return backoff.CallsUntil(std::max(mean_s / state.share - waited_s, lacks_s));
}

MakingTime::MakingTime(int made) : start_ns_(NowNs()) { state.made += made; }
MakingTime::~MakingTime() { state.account.Spend(SecondsSince(start_ns_)); }

}  // namespace cox::agent
