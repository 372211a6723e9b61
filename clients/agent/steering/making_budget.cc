#include "agent/steering/making_budget.h"

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

bool CanAffordMaking(MPI_Comm comm, uint64_t waited_ns) {
  if (comm == library.world) return true;
  if (!(state.share > 0)) return false;
  // With what freeing took.
  const double mean_s = state.made > 0 ? state.account.spent_s() / state.made : 0;
  const double waited_s = static_cast<double>(waited_ns) / static_cast<double>(kNsPerS);
  return mean_s / state.share <= waited_s &&
         state.account.Lacks(SecondsSince(state.begun_ns), state.share, 0, 0) <= 0;
}

MakingTime::MakingTime(int made) : start_ns_(NowNs()) { state.made += made; }
MakingTime::~MakingTime() { state.account.Spend(SecondsSince(start_ns_)); }

}  // namespace cox::agent
