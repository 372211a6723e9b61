#include "agent/steering/refusals.h"

#include "agent/steering/errhandler_guard.h"
#include "agent/steering/private_comm.h"
#include "agent/timing/recorder.h"
#include "agent/wrappers/shapes.h"

namespace cox::agent {
namespace {

using Exchange = int (*)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
using Rooted = int (*)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm);

struct State {
  Exchange alltoall;
  Rooted gather;
  Rooted scatter;
  int (*bcast)(void*, int, MPI_Datatype, int, MPI_Comm);
  MPI_Comm alone;  // this rank only; errors return
};
State state;

#ifdef OPEN_MPI
// Open MPI's error for MPI_IN_PLACE on another rank than the root.
constexpr int kInPlaceOffRoot = MPI_ERR_ARG;
MPI_Comm Self() { return static_cast<MPI_Comm>(FindObject("ompi_mpi_comm_self")); }
#else
constexpr int kInPlaceOffRoot = MPI_ERR_BUFFER;
MPI_Comm Self() { return MPI_COMM_SELF; }
#endif

constexpr int kRootAlone = 0;
constexpr int kNoRoot = -77;  // not MPI_ROOT, not MPI_PROC_NULL

int ToInt(int64_t count) {
  return count >= INT32_MIN && count <= INT32_MAX ? static_cast<int>(count) : -1;
}

// Runs a call on `alone`. Keeps it out of the agent's timings. Open MPI reports some errors to
// MPI_COMM_WORLD's handler, also for other communicators.
template <typename Call>
int Judge(Call call) {
  ErrhandlerGuard errhandler;
  errhandler.ReplaceAnyHandler(library.world);
  TakeNotedError();
  ++agent_calls;
  const int result = call();
  --agent_calls;
  errhandler.Restore();
  if (result != MPI_SUCCESS && !TakeNotedError()) ErrhandlerGuard::ReportToWorld();
  return result;
}

bool IsRoot(int root, MPI_Comm comm) { return CommRank(comm) == root; }
bool HasRoot(int root, MPI_Comm comm) { return root >= 0 && root < CommSize(comm); }

// Whether the library may refuse one side. An exchange of nothing shows what it thinks of the type.
bool IsDoubtful(const Elements& side) {
  if (side.buffer == MPI_IN_PLACE) return false;
  if (side.count < 0) return true;
  ++agent_calls;
  const int result = state.alltoall(nullptr, 0, side.type, nullptr, 0, side.type, state.alone);
  --agent_calls;
  return result != MPI_SUCCESS;
}

// 0 if it is not known.
int64_t BytesOf(const Elements& side) {
  int64_t type_bytes = 0;
  return side.count != 0 && TypeBytes(side.type, &type_bytes) ? side.count * type_bytes : 0;
}

// This rank's block among those of all ranks.
Elements OwnOf(const Elements& all, int rank) {
  if (all.buffer == MPI_IN_PLACE) return all;
  return {static_cast<char*>(all.buffer) + rank * BytesOf(all), all.count, all.type};
}

// Whether the library may refuse this rank's two blocks.
bool AreDoubtful(const Elements& send, const Elements& receive) {
  if (IsDoubtful(send) || IsDoubtful(receive)) return true;
  if (send.buffer == MPI_IN_PLACE || receive.buffer == MPI_IN_PLACE) return false;
  return send.buffer == receive.buffer || BytesOf(send) != BytesOf(receive);
}

// For ranks with one significant side.
int RefusalOfOne(const Elements& side, int root, MPI_Comm comm) {
  const bool has_root = HasRoot(root, comm);
  const bool is_in_place = side.buffer == MPI_IN_PLACE;
  if (has_root && !is_in_place && !IsDoubtful(side)) return MPI_SUCCESS;
  if (has_root && is_in_place) return kInPlaceOffRoot;
  const Elements given = is_in_place ? Elements{nullptr, 0, library.byte} : side;
  return Judge([&] {
    return state.bcast(given.buffer, ToInt(given.count), given.type,
                       has_root ? kRootAlone : kNoRoot, state.alone);
  });
}

int RefusalAtRoot(Rooted call, const Elements& send, const Elements& receive) {
  return Judge([&] {
    return call(send.buffer, ToInt(send.count), send.type, receive.buffer, ToInt(receive.count),
                receive.type, kRootAlone, state.alone);
  });
}

}  // namespace

bool LoadRefusals() {
  const MPI_Comm self = Self();
  return LoadFunction(&state.alltoall, "PMPI_Alltoall") &&
         LoadFunction(&state.gather, "PMPI_Gather") &&
         LoadFunction(&state.scatter, "PMPI_Scatter") && LoadFunction(&state.bcast, "PMPI_Bcast") &&
         MakePrivateComm(For::kAgent, self, &state.alone) && NoteErrorsOf(state.alone);
}

int RefusalOfAlltoall(const Elements& send, const Elements& receive) {
  const bool is_taken = receive.buffer != MPI_IN_PLACE && !AreDoubtful(send, receive);
  if (is_taken) [[likely]]
    return MPI_SUCCESS;
  return Judge([&] {
    return state.alltoall(send.buffer, ToInt(send.count), send.type, receive.buffer,
                          ToInt(receive.count), receive.type, state.alone);
  });
}

int RefusalOfBcast(const Elements& data, int root, MPI_Comm comm) {
  const bool has_root = HasRoot(root, comm);
  const bool is_taken = has_root && data.buffer != MPI_IN_PLACE && !IsDoubtful(data);
  if (is_taken) [[likely]]
    return MPI_SUCCESS;
  return Judge([&] {
    return state.bcast(data.buffer, ToInt(data.count), data.type, has_root ? kRootAlone : kNoRoot,
                       state.alone);
  });
}

int RefusalOfGather(const Elements& send, const Elements& receive, int root, MPI_Comm comm) {
  if (!IsRoot(root, comm)) return RefusalOfOne(send, root, comm);
  const Elements own = OwnOf(receive, root);
  const bool is_taken = receive.buffer != MPI_IN_PLACE && !AreDoubtful(send, own);
  if (is_taken) [[likely]]
    return MPI_SUCCESS;
  return RefusalAtRoot(state.gather, send, own);
}

int RefusalOfScatter(const Elements& send, const Elements& receive, int root, MPI_Comm comm) {
  if (!IsRoot(root, comm)) return RefusalOfOne(receive, root, comm);
  const Elements own = OwnOf(send, root);
  const bool is_taken = send.buffer != MPI_IN_PLACE && !AreDoubtful(own, receive);
  if (is_taken) [[likely]]
    return MPI_SUCCESS;
  return RefusalAtRoot(state.scatter, own, receive);
}

}  // namespace cox::agent
