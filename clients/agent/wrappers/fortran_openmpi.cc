// Open MPI's Fortran functions, wrapped. They call the library's internals, never the C functions
// that a tool can wrap. Each wrapper passes every address on unchanged to the next function of the
// same name: MPI_IN_PLACE, MPI_BOTTOM and MPI_STATUS_IGNORE are addresses that only the library
// recognises.
//
// mpif.h and `use mpi` call mpi_x_ (mpi_x, mpi_x__ and MPI_X with other compilers). `use mpi_f08`
// calls mpi_x_f08_, whose last argument may be absent (null).
#include <mpi.h>

#include "agent/job/library.h"
#include "agent/job/lifecycle.h"
#include "agent/steering/coxcoll.h"
#include "agent/steering/steering.h"
#include "agent/wrappers/collective_call.h"
#include "agent/wrappers/export.h"
#include "agent/wrappers/shapes.h"
#include "agent/wrappers/sketching.h"
#include "agent/wrappers/while_freed.h"
#include "domain/collective.h"

#define COX_UNPACK(...) __VA_ARGS__

// `arguments` come in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define COX_DEFINE_ONE(symbol, kind, parameters, arguments, shape, block)               \
  extern "C" COX_EXPORT void symbol(COX_UNPACK parameters, MPI_Fint* ierror) {          \
    static std::atomic<void*> next;                                                     \
    const auto call =                                                                   \
        Next<void (*)(COX_UNPACK parameters, MPI_Fint*)>(next, #symbol, "p" #symbol);   \
    MPI_Fint own_error = MPI_SUCCESS;                                                   \
    MPI_Fint* const error = ierror != nullptr ? ierror : &own_error;                    \
    *error = CallCollective<domain::Collective::kind>(                                  \
        comm, [&] { return block; }, [&] { return shape; },                             \
        [&] { return call(COX_UNPACK arguments, error), *error; },                      \
        [&](const char* algorithm) {                                                    \
          return CoxcollCall<domain::Collective::kind>(algorithm) arguments;            \
        },                                                                              \
        [&](PhaseTime time) { SketchCall<domain::Collective::kind>{time} arguments; }); \
  }
// NOLINTEND(bugprone-macro-parentheses)

#define COX_DEFINE(name, NAME, kind, parameters, arguments, shape, block)      \
  COX_DEFINE_ONE(mpi_##name##_, kind, parameters, arguments, shape, block)     \
  COX_DEFINE_ONE(mpi_##name##__, kind, parameters, arguments, shape, block)    \
  COX_DEFINE_ONE(mpi_##name, kind, parameters, arguments, shape, block)        \
  COX_DEFINE_ONE(mpi_##name##_f08_, kind, parameters, arguments, shape, block) \
  COX_DEFINE_ONE(MPI_##NAME, kind, parameters, arguments, shape, block)

#define COX_DEFINE_INIT(symbol)                                              \
  extern "C" COX_EXPORT void symbol(MPI_Fint* ierror) {                      \
    static std::atomic<void*> next;                                          \
    const auto call = Next<void (*)(MPI_Fint*)>(next, #symbol, "p" #symbol); \
    MPI_Fint own_error = MPI_SUCCESS;                                        \
    MPI_Fint* const error = ierror != nullptr ? ierror : &own_error;         \
    WithInit([&] { return call(error), *error; });                           \
  }

#define COX_DEFINE_INIT_THREAD(symbol)                                                             \
  extern "C" COX_EXPORT void symbol(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror) {    \
    static std::atomic<void*> next;                                                                \
    const auto call = Next<void (*)(MPI_Fint*, MPI_Fint*, MPI_Fint*)>(next, #symbol, "p" #symbol); \
    MPI_Fint own_error = MPI_SUCCESS;                                                              \
    MPI_Fint* const error = ierror != nullptr ? ierror : &own_error;                               \
    WithInit([&] { return call(required, provided, error), *error; });                             \
  }

#define COX_DEFINE_FINALIZE(symbol)                                          \
  extern "C" COX_EXPORT void symbol(MPI_Fint* ierror) {                      \
    static std::atomic<void*> next;                                          \
    const auto call = Next<void (*)(MPI_Fint*)>(next, #symbol, "p" #symbol); \
    MPI_Fint own_error = MPI_SUCCESS;                                        \
    MPI_Fint* const error = ierror != nullptr ? ierror : &own_error;         \
    WithFinalize([&] { return call(error), *error; });                       \
  }

#define COX_DEFINE_FREE(symbol)                                                           \
  extern "C" COX_EXPORT void symbol(MPI_Fint* comm, MPI_Fint* ierror) {                   \
    static std::atomic<void*> next;                                                       \
    const auto call = Next<void (*)(MPI_Fint*, MPI_Fint*)>(next, #symbol, "p" #symbol);   \
    MPI_Fint own_error = MPI_SUCCESS;                                                     \
    MPI_Fint* const error = ierror != nullptr ? ierror : &own_error;                      \
    *error = WhileFreed(ToCommIfLoaded(comm), [&] { return call(comm, error), *error; }); \
  }

#define COX_FOR_EACH_NAME(define, name, NAME)                                               \
  define(mpi_##name##_) define(mpi_##name##__) define(mpi_##name) define(mpi_##name##_f08_) \
      define(MPI_##NAME)

namespace cox::agent {

using InBuffer = const void*;
using OutBuffer = void*;
using Count = const MPI_Fint*;
using Counts = const MPI_Fint*;
using Offsets = const MPI_Fint*;
using Type = const MPI_Fint*;
using Types = const MPI_Fint*;
using Op = const MPI_Fint*;
using Root = const MPI_Fint*;
using Comm = const MPI_Fint*;

namespace {

// While the agent is off it has not looked for the library's functions.
MPI_Comm ToCommIfLoaded(Comm comm) {
  return library.comm_f2c != nullptr ? ToComm(comm) : MPI_Comm{};
}

}  // namespace

#define COX_COLLECTIVE(Name, name, NAME, kind, parameters, arguments, shape, block) \
  COX_DEFINE(name, NAME, kind, parameters, arguments, shape, block)
#include "agent/wrappers/collectives.def"
#undef COX_COLLECTIVE
COX_DEFINE(barrier, BARRIER, kBarrier, (Comm comm), (comm), EmptyCall(ToComm(comm)), 0)

COX_FOR_EACH_NAME(COX_DEFINE_INIT, init, INIT)
COX_FOR_EACH_NAME(COX_DEFINE_INIT_THREAD, init_thread, INIT_THREAD)
COX_FOR_EACH_NAME(COX_DEFINE_FINALIZE, finalize, FINALIZE)
COX_FOR_EACH_NAME(COX_DEFINE_FREE, comm_free, COMM_FREE)
COX_FOR_EACH_NAME(COX_DEFINE_FREE, comm_disconnect, COMM_DISCONNECT)

}  // namespace cox::agent
