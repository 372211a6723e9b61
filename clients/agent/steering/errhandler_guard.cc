#include "agent/steering/errhandler_guard.h"

#include "agent/job/library.h"

namespace cox::agent {
namespace {

struct Functions {
  int (*get)(MPI_Comm, MPI_Errhandler*);
  int (*set)(MPI_Comm, MPI_Errhandler);
  int (*free)(MPI_Errhandler*);
  int (*call)(MPI_Comm, int);
};
Functions mpi;

bool IsPredefined(MPI_Errhandler handler) {
  return handler == library.errors_return || handler == library.errors_are_fatal;
}

}  // namespace

bool LoadErrhandlers() {
  return LoadFunction(&mpi.get, "PMPI_Comm_get_errhandler") &&
         LoadFunction(&mpi.set, "PMPI_Comm_set_errhandler") &&
         LoadFunction(&mpi.free, "PMPI_Errhandler_free") &&
         LoadFunction(&mpi.call, "PMPI_Comm_call_errhandler");
}

bool HasProgramHandler(MPI_Comm comm) {
  MPI_Errhandler handler{};
  if (mpi.get(comm, &handler) != MPI_SUCCESS) return false;
  const bool is_programs = !IsPredefined(handler);
  mpi.free(&handler);
  return is_programs;
}

void ErrhandlerGuard::ReplaceProgramHandler(MPI_Comm comm) { Replace(comm, false); }

void ErrhandlerGuard::ReplaceAnyHandler(MPI_Comm comm) { Replace(comm, true); }

void ErrhandlerGuard::ForwardTo(MPI_Comm comm) {
  if (is_replaced_) return;
  forwards_ = true;
  comm_ = comm;
}

void ErrhandlerGuard::Replace(MPI_Comm comm, bool any) {
  // A call on a private communicator returns anyway.
  if (is_replaced_ || forwards_ || mpi.get(comm, &handler_) != MPI_SUCCESS) return;
  const bool is_in_the_way = any ? handler_ != library.errors_return : !IsPredefined(handler_);
  if (is_in_the_way && mpi.set(comm, library.errors_return) == MPI_SUCCESS) {
    is_replaced_ = true;
    comm_ = comm;
  } else {
    mpi.free(&handler_);
  }
}

void ErrhandlerGuard::Restore() {
  if (!is_replaced_) return;
  is_replaced_ = false;
  mpi.set(comm_, handler_);
  mpi.free(&handler_);
}

int ErrhandlerGuard::End(int result) {
  Restore();
  forwards_ = false;
  if (result != MPI_SUCCESS) mpi.call(comm_, result);
  return result;
}

}  // namespace cox::agent
