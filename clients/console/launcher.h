// Finds the programs that measure with an MPI on this computer: cox-bench and the MPI's launcher.
#ifndef COX_CONSOLE_LAUNCHER_H_
#define COX_CONSOLE_LAUNCHER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::console {

// The MPIs that cox-bench may be built for, in the order in which cox tries them.
const std::vector<std::string>& KnownMpis();

// The path of cox-bench for `mpi`, beside cox or in PATH; empty where there is none.
std::string FindBench(const std::string& mpi);
// The path of mpirun for `mpi`; empty where there is none.
std::string FindLauncher(const std::string& mpi);

struct MpiPrograms {
  std::string mpi;
  std::string bench;
  std::vector<std::string> launcher;  // words; {ranks} stands for the number of ranks
};

// `mpi` empty: the first that is there. `launcher` empty: the MPI's own mpirun, with what it needs
// for at most `max_ranks` ranks on this computer. NOT_FOUND says what is missing and what to
// install; INVALID_ARGUMENT where the launcher's text is malformed.
absl::StatusOr<MpiPrograms> FindMpiPrograms(const std::string& mpi, const std::string& launcher,
                                            int64_t max_ranks);

// The words that start an MPI job: `launcher` with {ranks} replaced.
std::vector<std::string> LaunchWords(const std::vector<std::string>& launcher, int64_t ranks);

// A job on nodes that somebody chose.
struct PlacedJob {
  int64_t ranks = 1;
  int64_t ppn = 1;                 // ranks on each node; the last node may have fewer
  std::vector<std::string> hosts;  // one for each node
};

// `launcher` with {ranks}, {ppn}, {nodes} and {hosts} replaced. {nodes} is the number of hosts,
// {hosts} their names, comma-separated.
std::vector<std::string> LaunchWords(const std::vector<std::string>& launcher,
                                     const PlacedJob& job);

// Whether some word of the launcher has `placeholder`, such as "{ranks}".
bool HasPlaceholder(const std::vector<std::string>& launcher, absl::string_view placeholder);

// Processors that this process may use, at least 1.
int64_t UsableCores();

}  // namespace cox::console

#endif  // COX_CONSOLE_LAUNCHER_H_
