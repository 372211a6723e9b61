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

bool CanAffordMaking(MPI_Comm comm) {
  if (comm == library.world) return true;
  return state.share > 0 &&
         state.account.Lacks(SecondsSince(state.begun_ns), state.share, 0, 0) <= 0;
}

MakingTime::MakingTime() : start_ns_(NowNs()) {}
MakingTime::~MakingTime() { state.account.Spend(SecondsSince(start_ns_)); }

}  // namespace cox::agent
