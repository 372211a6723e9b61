#include "agent/job/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/job/log.h"

namespace cox::agent {

#define COX_TEXT_(x) #x
#define COX_TEXT(x) COX_TEXT_(x)
#ifdef OPEN_MPI
constexpr char kLibraryLabel[] =
    "openmpi-" COX_TEXT(OMPI_MAJOR_VERSION) "." COX_TEXT(OMPI_MINOR_VERSION);
#else
constexpr int kMpichMajor = MPICH_NUMVERSION / 10000000;
constexpr int kMpichMinor = MPICH_NUMVERSION / 100000 % 100;
static_assert(kMpichMajor == 4 && kMpichMinor == 0, "the label below says 4.0");
constexpr char kLibraryLabel[] = "mpich-4.0";
#endif

constinit Library library = {};

const char* LibraryLabel() { return kLibraryLabel; }

namespace {

#ifdef OPEN_MPI
constexpr const char* kSharedObjects[] = {"libmpi.so.40", "libmpi_mpifh.so.40",
                                          "libmpi_usempif08.so.40"};
constexpr char kVersion[] =
    "Open MPI v" COX_TEXT(OMPI_MAJOR_VERSION) "." COX_TEXT(OMPI_MINOR_VERSION) ".";
#else
constexpr const char* kSharedObjects[] = {"libmpich.so.12", "libmpi.so.12", "libmpichfort.so.12",
                                          "libmpifort.so.12"};
#endif

void* Find(const char* name, const char* profiling_name) {
  if (void* symbol = dlsym(RTLD_NEXT, name)) return symbol;
  for (const char* shared_object : kSharedObjects) {
    void* handle = dlopen(shared_object, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    void* symbol = dlsym(handle, profiling_name);
    // Drops only the reference that dlopen took: the library stays.
    dlclose(handle);
    if (symbol != nullptr) return symbol;
  }
  return nullptr;
}

#ifdef OPEN_MPI
constexpr const char* kInPlace[Library::kFortranNames] = {
    "mpi_fortran_in_place_", "mpi_fortran_in_place", "mpi_fortran_in_place__",
    "MPI_FORTRAN_IN_PLACE"};
constexpr const char* kBottom[Library::kFortranNames] = {
    "mpi_fortran_bottom_", "mpi_fortran_bottom", "mpi_fortran_bottom__", "MPI_FORTRAN_BOTTOM"};

template <typename Handle>
bool LoadHandle(Handle* handle, const char* name) {
  *handle = static_cast<Handle>(FindObject(name));
  return *handle != nullptr;
}
#endif

void LoadTopologies(Topologies* topologies) {
  topologies->known =
      LoadFunction(&topologies->topo_test, "PMPI_Topo_test") &&
      LoadFunction(&topologies->cartdim_get, "PMPI_Cartdim_get") &&
      LoadFunction(&topologies->cart_shift, "PMPI_Cart_shift") &&
      LoadFunction(&topologies->graph_neighbors_count, "PMPI_Graph_neighbors_count") &&
      LoadFunction(&topologies->graph_neighbors, "PMPI_Graph_neighbors") &&
      LoadFunction(&topologies->dist_graph_neighbors_count, "PMPI_Dist_graph_neighbors_count") &&
      LoadFunction(&topologies->dist_graph_neighbors, "PMPI_Dist_graph_neighbors");
}

bool RightVersion(const char* running) {
#ifdef OPEN_MPI
  return strncmp(running, kVersion, sizeof(kVersion) - 1) == 0;
#else
  const char* version = strstr(running, "MPICH Version:");
  if (version == nullptr) return false;
  int major = 0;
  int minor = -1;
  sscanf(version + strlen("MPICH Version:"), " %d.%d", &major, &minor);
  return major == kMpichMajor && minor == kMpichMinor;
#endif
}

}  // namespace

void* FindFunction(const char* name) { return Find(name, name); }

void* FindNext(const char* name, const char* profiling_name) { return Find(name, profiling_name); }

#ifdef OPEN_MPI
void* FindObject(const char* name) {
  void* object = dlsym(RTLD_DEFAULT, name);
  return object != nullptr ? object : Find(name, name);
}
#endif

void* NextSymbol(const char* name, const char* profiling_name) {
  void* symbol = Find(name, profiling_name);
  if (symbol == nullptr) {
    fprintf(stderr, "cox agent: the program calls %s, which no loaded library has\n", name);
    abort();
  }
  return symbol;
}

bool LoadLibrary() {
  int (*get_version)(char*, int*) = nullptr;
  if (!LoadFunction(&library.comm_size, "PMPI_Comm_size") ||
      !LoadFunction(&library.comm_rank, "PMPI_Comm_rank") ||
      !LoadFunction(&library.comm_test_inter, "PMPI_Comm_test_inter") ||
      !LoadFunction(&library.type_size, "PMPI_Type_size_x") ||
      !LoadFunction(&get_version, "PMPI_Get_library_version")) {
    Log("off: a function is missing from the MPI library");
    return false;
  }
  LoadTopologies(&library.topologies);
  // The program may run another MPI than this agent's: MPICH writes up to 8192 bytes, Open MPI's
  // constant is 256.
  constexpr int kMostVersionBytes = 8192;
  static_assert(kMostVersionBytes >= MPI_MAX_LIBRARY_VERSION_STRING);
  char version[kMostVersionBytes] = "";
  int length = 0;
  if (get_version(version, &length) != MPI_SUCCESS || !RightVersion(version)) {
    version[strcspn(version, "\n,")] = '\0';
    Log("off: this agent is built for %s, and the program runs \"%s\"", kLibraryLabel, version);
    return false;
  }
#ifdef OPEN_MPI
  if (!LoadHandle(&library.world, "ompi_mpi_comm_world") ||
      !LoadHandle(&library.comm_null, "ompi_mpi_comm_null") ||
      !LoadHandle(&library.type_null, "ompi_mpi_datatype_null") ||
      !LoadHandle(&library.byte, "ompi_mpi_byte") ||
      !LoadHandle(&library.number, "ompi_mpi_double") ||
      !LoadHandle(&library.max, "ompi_mpi_op_max") ||
      !LoadHandle(&library.errors_return, "ompi_mpi_errors_return") ||
      !LoadHandle(&library.errors_are_fatal, "ompi_mpi_errors_are_fatal") ||
      !LoadFunction(&library.comm_f2c, "PMPI_Comm_f2c") ||
      !LoadFunction(&library.type_f2c, "PMPI_Type_f2c") ||
      !LoadFunction(&library.op_f2c, "PMPI_Op_f2c")) {
    Log("off: a symbol is missing from the MPI library");
    return false;
  }
  for (int i = 0; i < Library::kFortranNames; ++i) {
    library.fortran_in_place[i] = FindObject(kInPlace[i]);
    library.fortran_bottom[i] = FindObject(kBottom[i]);
  }
#else
  library.world = MPI_COMM_WORLD;
  library.comm_null = MPI_COMM_NULL;
  library.type_null = MPI_DATATYPE_NULL;
  library.byte = MPI_BYTE;
  library.number = MPI_DOUBLE;
  library.max = MPI_MAX;
  library.errors_return = MPI_ERRORS_RETURN;
  library.errors_are_fatal = MPI_ERRORS_ARE_FATAL;
#endif
  return library.comm_size(library.world, &library.world_size) == MPI_SUCCESS &&
         library.comm_rank(library.world, &library.world_rank) == MPI_SUCCESS;
}

}  // namespace cox::agent
