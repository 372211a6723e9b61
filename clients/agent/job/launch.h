// Where this process sits in its job, as the launcher's environment tells it: Open MPI's mpirun,
// Slurm's srun, MPICH's hydra, or no launcher at all. No MPI call. One thread, before MPI_Init.
#ifndef COX_AGENT_JOB_LAUNCH_H_
#define COX_AGENT_JOB_LAUNCH_H_

#include <cstdint>

namespace cox::agent {

struct Launch {
  bool known;       // false: no launcher that we know; only a job of one rank can be timed then
  int local_rank;   // number of this rank on its node, from 0
  int local_ranks;  // ranks on this node
  int nodes;        // as the launcher says; 0: it does not
  char id[96];      // names this launch among all on this node; "" without a launcher
};

Launch ReadLaunch();

// How many nodes, and ranks on each, a job of `ranks` has. `nodes` may be 0 (not known), the last
// node may be partly filled; ranks <= nodes * ppn always holds for the answer.
struct JobShape {
  int64_t nodes;
  int64_t ppn;
};
JobShape ShapeOfJob(int64_t ranks, int64_t local_ranks, int64_t nodes);

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_LAUNCH_H_
