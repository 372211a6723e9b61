#include "agent/steering/coxcoll.h"

#include <dlfcn.h>

#include "agent/job/library.h"
#include "agent/job/log.h"
#include "agent/job/plugin.h"
#include "agent/steering/errhandler_guard.h"
#include "agent/steering/making_budget.h"
#include "agent/steering/private_comm.h"
#include "agent/timing/recorder.h"
#include "collectives/cox/coll.h"

namespace cox::agent {
namespace {

#ifdef OPEN_MPI
constexpr const char* kPlaces[] = {"libcoxcoll-openmpi.so", "../libcoxcoll-openmpi.so"};
#else
constexpr const char* kPlaces[] = {"libcoxcoll-mpich.so", "../libcoxcoll-mpich.so"};
#endif
// Each uses one communicator; the MPI library has a few thousand.
constexpr int kMostOpen = 256;

struct State {
  decltype(&cox_ialltoall) ialltoall;
  decltype(&cox_ibcast) ibcast;
  decltype(&cox_igather) igather;
  decltype(&cox_iscatter) iscatter;
  decltype(&cox_wait) wait;
  decltype(&cox_error) error;
  int open_count;
};
State state;

template <typename Function>
bool Find(void* shared_object, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(shared_object, name));
  return *function != nullptr;
}

// Runs the operation that `start` starts. The agent must not time or count the MPI calls of
// libcoxcoll.
template <typename Start>
int Run(Start start) {
  ++agent_calls;
  cox_request request = COX_REQUEST_NULL;
  int result = start(&request);
  if (result == MPI_SUCCESS) result = state.wait(&request, nullptr);
  --agent_calls;
  return result;
}

// The greatest of the ranks' values; 1 if the question fails.
double GreatestOf(MPI_Comm comm, double own) {
  double greatest = 1;
  return AskAll(comm, &own, &greatest, 1) ? greatest : 1;
}

// An empty broadcast makes libcoxcoll's private communicator.
bool Open(MPI_Comm comm) {
  ErrhandlerGuard errhandler;
  errhandler.ReplaceAnyHandler(comm);
  char none = 0;
  const bool is_made = Run([&](cox_request* request) {
                         return state.ibcast(&none, 0, library.byte, 0, comm, "binomial", request);
                       }) == MPI_SUCCESS;
  errhandler.Restore();
  if (!is_made) Log("libcoxcoll cannot run on a communicator: %s", state.error());
  if (GreatestOf(comm, is_made ? 0 : 1) != 0) return false;
  ++state.open_count;
  return true;
}

int Count(const Elements& elements) { return static_cast<int>(elements.count); }

// Whether the MPI library takes buffers in a GPU's memory, which libcoxcoll cannot copy.
bool TakesDeviceBuffers() {
  for (const char* name : {"MPIX_Query_cuda_support", "MPIX_Query_rocm_support"}) {
    int (*query)() = nullptr;
    if (LoadFunction(&query, name) && query() == 1) return true;
  }
  return false;
}

}  // namespace

bool LoadCoxcoll() {
  if (TakesDeviceBuffers()) {
    Log("libcoxcoll is not used: this MPI library takes buffers in GPUs, and libcoxcoll does not");
    return false;
  }
  void* shared_object = nullptr;
  for (const char* place : kPlaces) {
    char path[4096];
    if (!PathBesideAgent(place, path, sizeof(path))) continue;
    shared_object = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (shared_object != nullptr) break;
  }
  if (shared_object == nullptr) {
    Log("libcoxcoll cannot be loaded: %s", dlerror());
    return false;
  }
  const bool is_whole = Find(shared_object, "cox_ialltoall", &state.ialltoall) &&
                        Find(shared_object, "cox_ibcast", &state.ibcast) &&
                        Find(shared_object, "cox_igather", &state.igather) &&
                        Find(shared_object, "cox_iscatter", &state.iscatter) &&
                        Find(shared_object, "cox_wait", &state.wait) &&
                        Find(shared_object, "cox_error", &state.error);
  if (!is_whole) Log("libcoxcoll lacks functions: install the one that came with this agent");
  return is_whole && LoadRefusals();
}

bool IsOpen(MPI_Comm comm, CoxcollChannel* channel) {
  if (channel->state == CoxcollChannel::kUnknown) [[unlikely]] {
    if (!channel->backoff.IsDue(comm == library.world)) return false;
    // Room may appear at any time.
    const double own = state.open_count < kMostOpen ? CallsUntilMaking(comm, channel->backoff) : 1;
    const double calls_until = GreatestOf(comm, own);
    if (calls_until > 0) {
      channel->backoff.Refuse(calls_until);
      return false;
    }
    const MakingTime time(1);
    channel->state = Open(comm) ? CoxcollChannel::kOpen : CoxcollChannel::kClosed;
  }
  return channel->state == CoxcollChannel::kOpen;
}

void Release(CoxcollChannel* channel) {
  // libcoxcoll frees its own state with the communicator.
  if (channel->state == CoxcollChannel::kOpen) --state.open_count;
}

int RunAlltoall(const char* algorithm, Elements send, Elements receive, MPI_Comm comm) {
  if (const int refusal = RefusalOfAlltoall(send, receive)) return refusal;
  return Run([&](cox_request* request) {
    return state.ialltoall(send.buffer, Count(send), send.type, receive.buffer, Count(receive),
                           receive.type, comm, algorithm, request);
  });
}

int RunBcast(const char* algorithm, Elements data, int root, MPI_Comm comm) {
  if (const int refusal = RefusalOfBcast(data, root, comm)) return refusal;
  return Run([&](cox_request* request) {
    return state.ibcast(data.buffer, Count(data), data.type, root, comm, algorithm, request);
  });
}

int RunGather(const char* algorithm, Elements send, Elements receive, int root, MPI_Comm comm) {
  if (const int refusal = RefusalOfGather(send, receive, root, comm)) return refusal;
  return Run([&](cox_request* request) {
    return state.igather(send.buffer, Count(send), send.type, receive.buffer, Count(receive),
                         receive.type, root, comm, algorithm, request);
  });
}

int RunScatter(const char* algorithm, Elements send, Elements receive, int root, MPI_Comm comm) {
  if (const int refusal = RefusalOfScatter(send, receive, root, comm)) return refusal;
  return Run([&](cox_request* request) {
    return state.iscatter(send.buffer, Count(send), send.type, receive.buffer, Count(receive),
                          receive.type, root, comm, algorithm, request);
  });
}

}  // namespace cox::agent
