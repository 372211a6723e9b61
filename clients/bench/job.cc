#include "bench/job.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace cox::bench {
namespace {

// Linux's estimate of the memory that is available without swapping. Unknown: no limit.
int64_t AvailableBytes() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  int64_t kibibytes = 0;
  std::string rest;
  while (meminfo >> key >> kibibytes) {
    if (key == "MemAvailable:") return kibibytes * 1024;
    std::getline(meminfo, rest);
  }
  return std::numeric_limits<int64_t>::max();
}

}  // namespace

Job DescribeJob() {
  Job job;
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.rank_count);

  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, job.rank, MPI_INFO_NULL, &node);
  int leader = job.rank;
  MPI_Bcast(&leader, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);

  std::vector<int> leaders(job.rank_count);
  MPI_Allgather(&leader, 1, MPI_INT, leaders.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::map<int, std::vector<int>> ranks_of_leader;
  for (int rank = 0; rank < job.rank_count; ++rank) ranks_of_leader[leaders[rank]].push_back(rank);
  for (auto& [first, ranks] : ranks_of_leader) {
    job.ppn = std::max(job.ppn, static_cast<int>(ranks.size()));
    job.nodes.push_back(std::move(ranks));
  }

  job.processors = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  MPI_Allreduce(MPI_IN_PLACE, &job.processors, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  job.available_bytes = AvailableBytes();
  MPI_Allreduce(MPI_IN_PLACE, &job.available_bytes, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
  return job;
}

void Await(MPI_Request* request, bool yielding) {
  if (!yielding) {
    MPI_Wait(request, MPI_STATUS_IGNORE);
    return;
  }
  int done = 0;
  MPI_Test(request, &done, MPI_STATUS_IGNORE);
  while (done == 0) {
    sched_yield();
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
  }
}

void IdleBarrier(MPI_Comm comm) {
  constexpr timespec kPause = {0, 1000000};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  while (done == 0) {
    nanosleep(&kPause, nullptr);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
}

}  // namespace cox::bench
