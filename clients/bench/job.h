// The job that cox-bench runs in: which ranks share a node, and how ranks wait for each other.
//
// All ranks of a communicator call a function that takes it. One thread. MPI's own error handler
// ends the job on errors.
#ifndef COX_BENCH_JOB_H_
#define COX_BENCH_JOB_H_

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace cox::bench {

struct Job {
  int rank = 0;
  int rank_count = 1;
  std::vector<std::vector<int>>
      nodes;                    // world ranks of each node, ascending; rank 0 is on the first
  int ppn = 1;                  // ranks on the fullest node
  int processors = 1;           // of the node with the fewest
  int64_t available_bytes = 0;  // memory that the node with the least has left
};

// Asks MPI and the operating system. Collective over MPI_COMM_WORLD.
Job DescribeJob();

// Waits for the request. With `yielding`, yields the processor between polls, for ranks that share
// it with the rank that they wait for.
void Await(MPI_Request* request, bool yielding);

// A barrier for ranks that are idle while others measure: polls once a millisecond.
void IdleBarrier(MPI_Comm comm);

}  // namespace cox::bench

#endif  // COX_BENCH_JOB_H_
