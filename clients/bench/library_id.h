// The name of this program's MPI library in the rows: "openmpi-4.1".
#ifndef COX_BENCH_LIBRARY_ID_H_
#define COX_BENCH_LIBRARY_ID_H_

#include <string>

namespace cox::bench {

// From the version macros of mpi.h; "mpi-3.1" (the standard's version) for an unknown library.
std::string LibraryId();

}  // namespace cox::bench

#endif  // COX_BENCH_LIBRARY_ID_H_
