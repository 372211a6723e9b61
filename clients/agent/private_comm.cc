#include "agent/private_comm.h"

#include "agent/library.h"

namespace cox::agent {
namespace {

struct Functions {
  int (*comm_create)(MPI_Comm, MPI_Group, MPI_Comm*);
  int (*comm_free)(MPI_Comm*);
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

// A duplicate of a communicator begins anew.
int CopyNothing(MPI_Comm, int, void*, void*, void*, int* copies) {
  *copies = 0;
  return MPI_SUCCESS;
}

}  // namespace

bool LoadPrivateComms() {
  return LoadFunction(&mpi.comm_create, "PMPI_Comm_create") &&
         LoadFunction(&mpi.comm_free, "PMPI_Comm_free") &&
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
      // An empty one is predefined.
      if (common_size > 0) mpi.group_free(&common);
    }
    mpi.group_free(&world);
  }
  mpi.group_free(&group);
  return common_size == size;
}

bool MakePrivateComm(MPI_Comm comm, MPI_Comm* made) {
  MPI_Group group;
  if (mpi.comm_group(comm, &group) != MPI_SUCCESS) return false;
  const bool is_made = mpi.comm_create(comm, group, made) == MPI_SUCCESS;
  if (is_made) mpi.set_errhandler(*made, library.errors_return);
  mpi.group_free(&group);
  return is_made;
}

void FreePrivateComm(MPI_Comm* made) { mpi.comm_free(made); }

bool CreateKey(MPI_Comm_delete_attr_function* forget, int* key) {
  return mpi.create_keyval(CopyNothing, forget, key, nullptr) == MPI_SUCCESS;
}

void* Kept(MPI_Comm comm, int key) {
  void* what = nullptr;
  int found = 0;
  if (mpi.get_attr(comm, key, &what, &found) != MPI_SUCCESS || found == 0) return nullptr;
  return what;
}

bool Keep(MPI_Comm comm, int key, void* what) {
  return mpi.set_attr(comm, key, what) == MPI_SUCCESS;
}

}  // namespace cox::agent
