// The id of the MPI library that this program is built with, as rows name it: "openmpi-4.1".
#ifndef COX_BENCH_LIBRARY_ID_H_
#define COX_BENCH_LIBRARY_ID_H_

#include <string>

namespace cox::bench {

// From the version macros of mpi.h; "mpi-3.1" (the standard's version) for a library unknown to us.
std::string LibraryId();

}  // namespace cox::bench

#endif  // COX_BENCH_LIBRARY_ID_H_
