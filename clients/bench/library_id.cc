#include "bench/library_id.h"

#include <mpi.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace cox::bench {

std::string LibraryId() {
#if defined(OMPI_MAJOR_VERSION)
  return absl::StrCat("openmpi-", OMPI_MAJOR_VERSION, ".", OMPI_MINOR_VERSION);
#elif defined(MPICH_VERSION)
  const std::vector<std::string> parts = absl::StrSplit(MPICH_VERSION, absl::MaxSplits('.', 2));
  return absl::StrCat("mpich-", parts[0], ".", parts.size() > 1 ? parts[1] : "0");
#else
  return absl::StrCat("mpi-", MPI_VERSION, ".", MPI_SUBVERSION);
#endif
}

}  // namespace cox::bench
