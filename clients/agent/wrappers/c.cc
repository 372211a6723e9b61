// The C collectives, wrapped: every one passes its arguments on untouched, and is timed around
// that.
#include <mpi.h>

#include "agent/job/library.h"
#include "agent/sampling/synchronise.h"
#include "agent/steering/coxcoll.h"
#include "agent/steering/steering.h"
#include "agent/timing/recorder.h"
#include "agent/wrappers/c_types.h"
#include "agent/wrappers/export.h"
#include "agent/wrappers/shapes.h"
#include "domain/collective.h"

// NOLINTBEGIN(bugprone-macro-parentheses): they are parameter lists, not expressions
#define COX_DEFINE(symbol, kind, parameters, arguments, shape, block)                       \
  extern "C" COX_EXPORT int symbol parameters {                                             \
    static std::atomic<void*> next;                                                         \
    const auto call = Next<int(*) parameters>(next, #symbol, "P" #symbol);                  \
    const Comm given = comm;                                                                \
    ErrhandlerGuard errhandler;                                                             \
    Steering steering(                                                                      \
        domain::Collective::kind, comm, [&] { return block; }, &errhandler);                \
    Sample sample(                                                                          \
        domain::Collective::kind, [&] { return ToComm(comm); }, &errhandler);               \
    comm = steering.On(comm);                                                               \
    Timing timing;                                                                          \
    const int result =                                                                      \
        CanBeReplaced(domain::Collective::kind) && steering.coxcoll_algorithm() != nullptr  \
            ? CoxcollCall<domain::Collective::kind>(steering.coxcoll_algorithm()) arguments \
            : call arguments;                                                               \
    const bool is_timed = timing.Stop();                                                    \
    comm = given;                                                                           \
    steering.End();                                                                         \
    if (is_timed && result == MPI_SUCCESS) {                                                \
      timing.Record(domain::Collective::kind, shape, steering.number());                    \
    }                                                                                       \
    sample.Finish(                                                                          \
        result == MPI_SUCCESS, [&] { return shape; }, steering.number());                   \
    return errhandler.Conclude(result);                                                     \
  }
// NOLINTEND(bugprone-macro-parentheses)

namespace cox::agent {

namespace with_int {
#define COX_COLLECTIVE(Name, name, NAME, kind, parameters, arguments, shape, block) \
  COX_DEFINE(MPI_##Name, kind, parameters, arguments, shape, block)
#include "agent/wrappers/collectives.def"
#undef COX_COLLECTIVE
}  // namespace with_int

COX_DEFINE(MPI_Barrier, kBarrier, (Comm comm), (comm), EmptyCall(comm), 0)

#if MPI_VERSION >= 4
namespace with_count {
#define COX_COLLECTIVE(Name, name, NAME, kind, parameters, arguments, shape, block) \
  COX_DEFINE(MPI_##Name##_c, kind, parameters, arguments, shape, block)
#include "agent/wrappers/collectives.def"
#undef COX_COLLECTIVE
}  // namespace with_count
#endif

}  // namespace cox::agent
