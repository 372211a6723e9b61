// The C collectives, wrapped: each passes its arguments on unchanged, inside CallCollective
// (collective_call.h).
#include <mpi.h>

#include "agent/job/library.h"
#include "agent/steering/coxcoll.h"
#include "agent/steering/steering.h"
#include "agent/wrappers/c_types.h"
#include "agent/wrappers/collective_call.h"
#include "agent/wrappers/export.h"
#include "agent/wrappers/shapes.h"
#include "agent/wrappers/sketching.h"
#include "domain/collective.h"

// `arguments` come in parentheses. `comm` is among the parameters.
// NOLINTBEGIN(bugprone-macro-parentheses): they are parameter lists, not expressions
#define COX_DEFINE(symbol, kind, parameters, arguments, shape, block)                       \
  extern "C" COX_EXPORT int symbol parameters {                                             \
    static std::atomic<void*> next;                                                         \
    const auto call = Next<int(*) parameters>(next, #symbol, "P" #symbol);                  \
    return CallCollective<domain::Collective::kind>(                                        \
        comm, [&] { return block; }, [&] { return shape; }, [&] { return call arguments; }, \
        [&](const char* algorithm) {                                                        \
          return CoxcollCall<domain::Collective::kind>(algorithm) arguments;                \
        },                                                                                  \
        [&](PhaseTime time) { SketchCall<domain::Collective::kind>{time} arguments; });     \
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
