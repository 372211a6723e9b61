#include "agent/steering/private_comm.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/job/library.h"
#include "agent/steering/errhandler_guard.h"

namespace cox::agent {
namespace {

struct Lifetime {
  int (*create)(MPI_Comm, MPI_Group, MPI_Comm*);
  int (*free)(MPI_Comm*);
};

struct Functions {
  Lifetime of[2];  // by For
  int (*allreduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
  int (*comm_group)(MPI_Comm, MPI_Group*);
  int (*group_size)(MPI_Group, int*);
  int (*group_intersection)(MPI_Group, MPI_Group, MPI_Group*);
  int (*group_free)(MPI_Group*);
  int (*set_errhandler)(MPI_Comm, MPI_Errhandler);
  int (*create_keyval)(MPI_Comm_copy_attr_function*, MPI_Comm_delete_attr_function*, int*, void*);
  int (*set_attr)(MPI_Comm, int, void*);
  int (*get_attr)(MPI_Comm, int, void*, int*);
};
Functions mpi;

// A duplicate starts without the agent's attribute.
int CopyNothing(MPI_Comm, int, void*, void*, void*, int* copies) {
  *copies = 0;
  return MPI_SUCCESS;
}

}  // namespace

bool LoadPrivateComms() {
  Lifetime& program = mpi.of[static_cast<int>(For::kProgram)];
  Lifetime& agent = mpi.of[static_cast<int>(For::kAgent)];
  return LoadErrhandlers() && LoadNext(&program.create, "MPI_Comm_create", "PMPI_Comm_create") &&
         LoadNext(&program.free, "MPI_Comm_free", "PMPI_Comm_free") &&
         LoadFunction(&agent.create, "PMPI_Comm_create") &&
         LoadFunction(&agent.free, "PMPI_Comm_free") &&
         LoadFunction(&mpi.allreduce, "PMPI_Allreduce") &&
         LoadFunction(&mpi.comm_group, "PMPI_Comm_group") &&
         LoadFunction(&mpi.group_size, "PMPI_Group_size") &&
         LoadFunction(&mpi.group_intersection, "PMPI_Group_intersection") &&
         LoadFunction(&mpi.group_free, "PMPI_Group_free") &&
         LoadFunction(&mpi.set_errhandler, "PMPI_Comm_set_errhandler") &&
         LoadFunction(&mpi.create_keyval, "PMPI_Comm_create_keyval") &&
         LoadFunction(&mpi.set_attr, "PMPI_Comm_set_attr") &&
         LoadFunction(&mpi.get_attr, "PMPI_Comm_get_attr");
}

bool IsOfThisJob(MPI_Comm comm, int size) {
  if (comm == library.world) return true;
  MPI_Group group;
  MPI_Group world;
  MPI_Group common;
  if (mpi.comm_group(comm, &group) != MPI_SUCCESS) return false;
  int common_size = 0;
  if (mpi.comm_group(library.world, &world) == MPI_SUCCESS) {
    if (mpi.group_intersection(group, world, &common) == MPI_SUCCESS) {
      mpi.group_size(common, &common_size);
      // An empty group is predefined and must not be freed.
      if (common_size > 0) mpi.group_free(&common);
    }
    mpi.group_free(&world);
  }
  mpi.group_free(&group);
  return common_size == size;
}

bool AskAll(MPI_Comm comm, const double* own, double* greatest, int count) {
  ErrhandlerGuard errhandler;
  errhandler.ReplaceAnyHandler(comm);
  const int result = mpi.allreduce(own, greatest, count, library.number, library.max, comm);
  errhandler.Restore();
  return result == MPI_SUCCESS;
}

bool MakePrivateComm(For whom, MPI_Comm comm, MPI_Comm* made) {
  MPI_Group group;
  *made = library.comm_null;
  ErrhandlerGuard errhandler;
  errhandler.ReplaceAnyHandler(comm);
  if (mpi.comm_group(comm, &group) == MPI_SUCCESS) {
    const bool is_made = mpi.of[static_cast<int>(whom)].create(comm, group, made) == MPI_SUCCESS;
    if (!is_made) *made = library.comm_null;
    mpi.group_free(&group);
  }
  errhandler.Restore();
  const double own = *made == library.comm_null ? 1 : 0;
  double any = 1;
  if (!AskAll(comm, &own, &any, 1) || any != 0) return false;
  if (whom == For::kProgram) {
    NoteErrorsOf(*made);
  } else {
    mpi.set_errhandler(*made, library.errors_return);
  }
  return true;
}

void FreePrivateComm(For whom, MPI_Comm* made) { mpi.of[static_cast<int>(whom)].free(made); }

bool CreateAttributeKey(MPI_Comm_delete_attr_function* forget, int* key) {
  return mpi.create_keyval(CopyNothing, forget, key, nullptr) == MPI_SUCCESS;
}

void* GetAttribute(MPI_Comm comm, int key) {
  void* what = nullptr;
  int found = 0;
  if (mpi.get_attr(comm, key, &what, &found) != MPI_SUCCESS || found == 0) return nullptr;
  return what;
}

bool SetAttribute(MPI_Comm comm, int key, void* what) {
  return mpi.set_attr(comm, key, what) == MPI_SUCCESS;
}

void* SetNewAttribute(MPI_Comm comm, int key, size_t bytes) {
  void* what = calloc(1, bytes);
  if (what == nullptr || !SetAttribute(comm, key, what)) {
    fprintf(stderr, "cox agent: out of memory for a communicator's state; ending the process\n");
    abort();
  }
  return what;
}

}  // namespace cox::agent
