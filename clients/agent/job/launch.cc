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

// Reads a file of a process and ends it with a 0. The bytes read; 0 when it cannot be read.
size_t ReadFile(int pid, const char* name, char* text, size_t size) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
  text[0] = '\0';
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = read(file, text, size - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = '\0';
  return static_cast<size_t>(length);
}

bool ReadProcess(int pid, Process* process) {
  char text[1024];
  if (ReadFile(pid, "stat", text, sizeof(text)) == 0) return false;
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

// The words of a process's command line, each with a final 0.
class CommandLine {
 public:
  explicit CommandLine(int pid) : length_(ReadFile(pid, "cmdline", text_, sizeof(text_))) {}

  // The word behind `option`; "" without one.
  const char* After(const char* option) const {
    for (size_t at = 0; at < length_; at += strlen(text_ + at) + 1) {
      const size_t next = at + strlen(text_ + at) + 1;
      if (next < length_ && strcmp(text_ + at, option) == 0) return text_ + next;
    }
    return "";
  }

 private:
  char text_[4096];
  size_t length_;
};

// Hydra gives its job no name. All proxies connect to its port, so their command lines name the
// launch alike on all nodes. A port may return, so a scheduler's job is added.
void NameHydraJob(const char* address, char* name, size_t size) {
  const char* colon = strrchr(address, ':');
  if (colon == nullptr) return;
  const char* slurm_job = getenv("SLURM_JOB_ID");
  const char* pbs_job = getenv("PBS_JOBID");
  if (slurm_job != nullptr) {
    snprintf(name, size, "slurm-%.32s.hydra-%.8s", slurm_job, colon + 1);
  } else if (pbs_job != nullptr) {
    snprintf(name, size, "pbs-%.*s.hydra-%.8s", static_cast<int>(strcspn(pbs_job, ".")), pbs_job,
             colon + 1);
  } else {
    const int length = static_cast<int>(strcspn(address, ".:"));
    snprintf(name, size, "hydra-%.*s-%.8s", length < 48 ? length : 48, address, colon + 1);
  }
}

// The last node may be partly filled, and does not know the ranks of the others. Blocks of ranks
// are in the order of the proxies: the first rank here tells how many each node before has.
int HydraNodes(const char* proxy, int local_rank, int local_ranks) {
  const int nodes_before = atoi(proxy);
  const int ranks_before = Number("PMI_RANK", 0) - local_rank;
  if (nodes_before < 1 || ranks_before % nodes_before != 0) return 0;
  const int ppn = ranks_before / nodes_before;
  return ppn > local_ranks ? (Number("PMI_SIZE", 0) + ppn - 1) / ppn : 0;
}

// All ranks of a node descend from one proxy process, so its number and start time name the launch
// on this node.
void ReadHydra(Launch* launch) {
  int pid = getppid();
  Process process;
  int chosen = pid;
  unsigned long long start = 0;
  for (int depth = 0; depth < 16 && pid > 1 && ReadProcess(pid, &process); ++depth) {
    if (depth == 0) start = process.start;
    if (strncmp(process.name, "hydra_pmi_proxy", 15) == 0) {
      chosen = pid;
      start = process.start;
      const CommandLine line(pid);
      NameHydraJob(line.After("--control-port"), launch->job, sizeof(launch->job));
      launch->nodes = HydraNodes(line.After("--proxy-id"), launch->local_rank, launch->local_ranks);
      break;
    }
    pid = process.parent;
  }
  char host[64] = "";
  if (gethostname(host, sizeof(host) - 1) != 0) host[0] = '\0';
  if (char* dot = strchr(host, '.')) *dot = '\0';
  snprintf(launch->id, sizeof(launch->id), "hydra-%s-%d-%llu", host, chosen, start);
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
    ReadHydra(&launch);
  } else if (getenv("SLURM_LOCALID") != nullptr && slurm_job != nullptr && slurm_step != nullptr) {
    launch.known = true;
    launch.local_rank = Number("SLURM_LOCALID", 0);
    launch.local_ranks = SlurmLocalRanks();
    launch.nodes = Number("SLURM_STEP_NUM_NODES", Number("SLURM_NNODES", 0));
    snprintf(launch.id, sizeof(launch.id), "slurm-%s.%s", slurm_job, slurm_step);
  }
  if (launch.local_ranks < 1) launch.local_ranks = 1;
  if (launch.job[0] == '\0') memcpy(launch.job, launch.id, sizeof(launch.job));
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
