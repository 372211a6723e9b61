#include "agent/job/launch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace cox::agent {
namespace {

// A whole number >= 0, or `otherwise`.
int Number(const char* name, int otherwise) {
  const char* value = getenv(name);
  if (value == nullptr || value[0] < '0' || value[0] > '9') return otherwise;
  return atoi(value);
}

// A process in /proc: its name, its parent, its start in ticks since boot.
struct Process {
  char name[32];
  int parent;
  unsigned long long start;
};

bool ReadProcess(int pid, Process* process) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/stat", pid);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[1024];
  const ssize_t length = read(file, text, sizeof(text) - 1);
  close(file);
  if (length <= 0) return false;
  text[length] = '\0';
  // "pid (name) state ppid ...": the name may hold blanks and brackets, so look for the last one.
  const char* open_bracket = strchr(text, '(');
  char* close_bracket = strrchr(text, ')');
  if (open_bracket == nullptr || close_bracket == nullptr) return false;
  *close_bracket = '\0';
  snprintf(process->name, sizeof(process->name), "%s", open_bracket + 1);
  return sscanf(close_bracket + 1,
                " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                &process->parent, &process->start) == 2;
}

// Hydra gives its job no name. All ranks of a node descend from one proxy process, so its number
// and start time name the launch on this node.
void NameHydraJob(char* id, size_t size) {
  int pid = getppid();
  Process process;
  int chosen = pid;
  unsigned long long start = 0;
  for (int depth = 0; depth < 16 && pid > 1 && ReadProcess(pid, &process); ++depth) {
    if (depth == 0) start = process.start;
    if (strncmp(process.name, "hydra_pmi_proxy", 15) == 0) {
      chosen = pid;
      start = process.start;
      break;
    }
    pid = process.parent;
  }
  char host[64] = "";
  if (gethostname(host, sizeof(host) - 1) != 0) host[0] = '\0';
  if (char* dot = strchr(host, '.')) *dot = '\0';
  snprintf(id, size, "hydra-%s-%d-%llu", host, chosen, start);
}

// Slurm writes ranks per node as "2(x3),1"; this node's share of a step is the count at
// SLURM_NODEID.
int SlurmLocalRanks() {
  const char* text = getenv("SLURM_STEP_TASKS_PER_NODE");
  if (text == nullptr) text = getenv("SLURM_TASKS_PER_NODE");
  int node = Number("SLURM_NODEID", 0);
  while (text != nullptr && *text != '\0') {
    char* end = nullptr;
    const long tasks = strtol(text, &end, 10);
    long repeat = 1;
    if (end == text) return 0;
    if (end[0] == '(' && end[1] == 'x') {
      repeat = strtol(end + 2, &end, 10);
      if (*end == ')') ++end;
    }
    if (node < repeat) return static_cast<int>(tasks);
    node -= static_cast<int>(repeat);
    text = *end == ',' ? end + 1 : end;
  }
  return 0;
}

}  // namespace

Launch ReadLaunch() {
  Launch launch;
  memset(&launch, 0, sizeof(launch));
  launch.local_ranks = 1;
  const char* slurm_job = getenv("SLURM_JOB_ID");
  const char* slurm_step = getenv("SLURM_STEP_ID");
  if (getenv("OMPI_COMM_WORLD_LOCAL_RANK") != nullptr) {
    launch.known = true;
    launch.local_rank = Number("OMPI_COMM_WORLD_LOCAL_RANK", 0);
    launch.local_ranks = Number("OMPI_COMM_WORLD_LOCAL_SIZE", 1);
    launch.nodes = Number("OMPI_MCA_orte_num_nodes", 0);
    const char* space = getenv("PMIX_NAMESPACE");
    if (space == nullptr) space = getenv("OMPI_MCA_ess_base_jobid");
    snprintf(launch.id, sizeof(launch.id), "openmpi-%s", space != nullptr ? space : "0");
  } else if (getenv("MPI_LOCALRANKID") != nullptr) {
    launch.known = true;
    launch.local_rank = Number("MPI_LOCALRANKID", 0);
    launch.local_ranks = Number("MPI_LOCALNRANKS", 1);
    NameHydraJob(launch.id, sizeof(launch.id));
  } else if (getenv("SLURM_LOCALID") != nullptr && slurm_job != nullptr && slurm_step != nullptr) {
    launch.known = true;
    launch.local_rank = Number("SLURM_LOCALID", 0);
    launch.local_ranks = SlurmLocalRanks();
    launch.nodes = Number("SLURM_STEP_NUM_NODES", Number("SLURM_NNODES", 0));
    snprintf(launch.id, sizeof(launch.id), "slurm-%s.%s", slurm_job, slurm_step);
  }
  if (launch.local_ranks < 1) launch.local_ranks = 1;
  return launch;
}

JobShape ShapeOfJob(int64_t ranks, int64_t local_ranks, int64_t nodes) {
  if (local_ranks > ranks) local_ranks = ranks;
  if (local_ranks < 1) local_ranks = 1;
  if (nodes > ranks) nodes = ranks;
  if (nodes < 1) nodes = (ranks + local_ranks - 1) / local_ranks;
  // The launcher may have more nodes than the job fills.
  if (local_ranks == ranks) nodes = 1;
  int64_t ppn = local_ranks;
  if (nodes * ppn < ranks) ppn = (ranks + nodes - 1) / nodes;
  return {nodes, ppn};
}

}  // namespace cox::agent
