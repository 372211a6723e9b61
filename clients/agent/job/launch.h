// This process's place in its job, from the launcher's environment: Open MPI's mpirun, Slurm's
// srun, MPICH's hydra, or no launcher. No MPI call. One thread, before MPI_Init.
#ifndef COX_AGENT_JOB_LAUNCH_H_
#define COX_AGENT_JOB_LAUNCH_H_

#include <cstdint>

namespace cox::agent {

struct Launch {
  bool known;       // false: unknown launcher; only a job of one rank can be timed
  int local_rank;   // this rank's number on its node, from 0
  int local_ranks;  // ranks on this node
  int nodes;        // from the launcher; 0: unknown
  char id[96];      // unique name of this launch on this node; "" without a launcher
  char job[96];     // name of this launch, the same on all nodes; "" without a launcher
};

Launch ReadLaunch();

// The number of nodes, and of ranks on each, of a job of `ranks`. `nodes` may be 0 (unknown). The
// last node may be partly filled: ranks <= nodes * ppn holds for the answer.
struct JobShape {
  int64_t nodes;
  int64_t ppn;
};
JobShape ShapeOfJob(int64_t ranks, int64_t local_ranks, int64_t nodes);

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_LAUNCH_H_
