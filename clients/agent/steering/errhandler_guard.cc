#include "agent/steering/errhandler_guard.h"

#include "agent/job/library.h"

namespace cox::agent {
namespace {

struct Functions {
  int (*get)(MPI_Comm, MPI_Errhandler*);
  int (*set)(MPI_Comm, MPI_Errhandler);
  int (*free)(MPI_Errhandler*);
  int (*call)(MPI_Comm, int);
  int (*create)(MPI_Comm_errhandler_function*, MPI_Errhandler*);
};
Functions mpi;
MPI_Errhandler noting;

constinit thread_local bool is_noted = false;
constinit thread_local bool is_of_world = false;

void Note(MPI_Comm* /*comm*/, int* /*error*/, ...) { is_noted = true; }

bool IsPredefined(MPI_Errhandler handler) {
  return handler == library.errors_return || handler == library.errors_are_fatal;
}

}  // namespace

bool LoadErrhandlers() {
  return LoadFunction(&mpi.get, "PMPI_Comm_get_errhandler") &&
         LoadFunction(&mpi.set, "PMPI_Comm_set_errhandler") &&
         LoadFunction(&mpi.free, "PMPI_Errhandler_free") &&
         LoadFunction(&mpi.call, "PMPI_Comm_call_errhandler") &&
         LoadFunction(&mpi.create, "PMPI_Comm_create_errhandler") &&
         (noting != MPI_Errhandler{} || mpi.create(Note, &noting) == MPI_SUCCESS);
}

bool NoteErrorsOf(MPI_Comm private_comm) { return mpi.set(private_comm, noting) == MPI_SUCCESS; }

bool TakeNotedError() {
  const bool was_noted = is_noted;
  is_noted = false;
  return was_noted;
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
  is_noted = false;
}

void ErrhandlerGuard::ReportTo(MPI_Comm comm) {
  ForwardTo(comm);
  reports_all_ = true;
  is_of_world = false;
}

void ErrhandlerGuard::ReportToWorld() { is_of_world = true; }

void ErrhandlerGuard::Replace(MPI_Comm comm, bool any) {
  // A call on a private communicator returns anyway.
  if (is_replaced_ || forwards_ || mpi.get(comm, &handler_) != MPI_SUCCESS) return;
  const bool is_in_the_way = any ? handler_ != library.errors_return : !IsPredefined(handler_);
  if (is_in_the_way && mpi.set(comm, any ? library.errors_return : noting) == MPI_SUCCESS) {
    is_replaced_ = true;
    comm_ = comm;
    if (!any) is_noted = false;
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

void ErrhandlerGuard::CommIsGone() {
  if (is_replaced_) mpi.free(&handler_);
  is_replaced_ = false;
}

int ErrhandlerGuard::End(int result) {
  Restore();
  forwards_ = false;
  const bool is_told = reports_all_ || TakeNotedError();
  if (result != MPI_SUCCESS && is_told) {
    mpi.call(reports_all_ && is_of_world ? library.world : comm_, result);
  }
  return result;
}

}  // namespace cox::agent
