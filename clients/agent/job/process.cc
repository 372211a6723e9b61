#include "agent/job/process.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/job/environment.h"
#include "agent/job/launch.h"
#include "agent/job/log.h"
#include "agent/job/rendezvous.h"
#include "agent/job/settings.h"
#include "agent/timing/call_clock.h"
#include "agent/timing/drain.h"
#include "agent/timing/recorder.h"

namespace cox::agent {

constinit std::atomic<Table*> active_table{nullptr};
constinit std::atomic<bool> passing_due{false};
constinit std::atomic<bool> synchronising{false};
constinit std::atomic<bool> applying{false};
constinit thread_local int agent_calls = 0;

namespace {

constexpr int kPassTries = 40;
constexpr uint64_t kPassPauseNs = 50 * kNsPerMs;

// All state of the agent in this process: a preloaded library has no owner to hold it.
struct Process {
  const char* library = nullptr;
  bool begun = false;   // BeforeInit was here
  bool wants = false;   // and the agent is to run
  bool on = false;      // between AfterInit and AfterFinalize
  bool drains = false;  // this rank drains its node's tables
  Settings settings;
  Launch launch;
  int listener = -1;    // of the draining rank
  int descriptor = -1;  // of the table, until it was passed
  int pass_tries = 0;
  std::atomic<uint64_t> next_pass_ns{0};
  pthread_mutex_t pass_lock = PTHREAD_MUTEX_INITIALIZER;
};
Process process;

// A forked child is not a rank: it inherits the memory, but neither the threads nor the job. Calls
// only functions that are safe between fork and exec.
void InChild() {
  active_table.store(nullptr, std::memory_order_release);
  passing_due.store(false, std::memory_order_relaxed);
  synchronising.store(false, std::memory_order_relaxed);
  applying.store(false, std::memory_order_relaxed);
  process.on = false;
  process.wants = false;
  if (process.listener >= 0) close(process.listener);
  process.listener = -1;
  ForgetDrain();
}

void NameSpool(const Process& job, char* path, size_t size) {
  if (job.settings.spool[0] != '\0') {
    snprintf(path, size, "%s", job.settings.spool);
    return;
  }
  const char* folder = getenv("TMPDIR");
  if (folder == nullptr || folder[0] == '\0') folder = "/tmp";
  char name[192];
  snprintf(name, sizeof(name), "coxswain-%u-%.96s-%.64s.csv", static_cast<unsigned>(getuid()),
           job.settings.job, job.settings.node);
  for (char* c = name; *c != '\0'; ++c) {
    if (*c == '/') *c = '_';
  }
  snprintf(path, size, "%s/%s", folder, name);
}

void NameJob(int64_t nodes) {
  char* job = process.settings.job;
  const size_t size = sizeof(process.settings.job);
  if (job[0] == '\0') {
    if (process.launch.job[0] != '\0') {
      snprintf(job, size, "%s", process.launch.job);
    } else {
      snprintf(job, size, "single-%.64s-%d", process.settings.node, static_cast<int>(getpid()));
    }
  }
  // Each node of a job streams and numbers its own batches.
  if (nodes > 1) {
    const size_t length = strnlen(job, size - 32);
    snprintf(job + length, size - length, "@%.30s", process.settings.node);
  }
}

bool StartDraining(Table* table, int64_t world_ranks) {
  const JobShape shape = ShapeOfJob(world_ranks, process.launch.local_ranks, process.launch.nodes);
  NameJob(shape.nodes);
  DrainJob job;
  job.library = process.library;
  job.settings = &process.settings;
  NameSpool(process, job.spool, sizeof(job.spool));
  job.ranks = world_ranks;
  job.nodes = shape.nodes;
  job.ppn = shape.ppn;
  job.own_table = table;
  job.listener = process.listener;
  job.environment = EnvironmentAtInit();
  return StartDrain(job);
}

// Sends the last timings of a program that ends without MPI_Finalize.
__attribute__((destructor)) void AtExit() { AfterFinalize(); }

}  // namespace

void TryToPass(uint64_t now_ns) {
  if (now_ns < process.next_pass_ns.load(std::memory_order_relaxed)) return;
  if (pthread_mutex_trylock(&process.pass_lock) != 0) return;
  if (process.descriptor >= 0) {
    const bool passed = PassTable(process.launch.id, process.descriptor);
    if (passed || ++process.pass_tries == kPassTries) {
      if (!passed) Log("off: the first rank of this node does not collect timings");
      close(process.descriptor);
      process.descriptor = -1;
      passing_due.store(false, std::memory_order_relaxed);
    }
    process.next_pass_ns.store(now_ns + kPassPauseNs, std::memory_order_relaxed);
  }
  pthread_mutex_unlock(&process.pass_lock);
}

void BeforeInit(const char* library) {
  if (process.begun) return;
  process.begun = true;
  process.library = library;
  process.settings = ReadSettings();
  SetLog(process.settings.log);
  if (process.settings.disabled) return;
  process.launch = ReadLaunch();
  process.wants = true;
  call_clock.Begin();
  process.drains = process.launch.local_rank == 0;
  // Listens before MPI_Init, so that it is ready when the other ranks leave theirs.
  if (process.drains && process.launch.local_ranks > 1) {
    process.listener = ListenForTables(process.launch.id);
  }
}

bool WantsToRun() { return process.wants; }

void WarnOfSettings() {
  WriteRefused(process.settings);
  process.settings.refused = 0;
}

bool WantsToSynchronise() {
  return process.wants && process.settings.synchronises && process.launch.known;
}

double SynchronisedShare() { return process.settings.synchronised_share; }

bool WantsToApply() { return process.wants && process.settings.applies && process.launch.known; }

double PrivateShare() { return process.settings.private_share; }

JobDescription DescribeJob(int64_t world_ranks) {
  const JobShape shape = ShapeOfJob(world_ranks, process.launch.local_ranks, process.launch.nodes);
  return {&process.settings, process.library, shape.nodes, shape.ppn};
}

void AfterInit(int64_t world_ranks) {
  if (!process.wants || process.on) return;
  if (!process.launch.known && world_ranks > 1) {
    Log("off: unknown launcher; start the job with mpirun, mpiexec.hydra or srun");
    process.wants = false;
    return;
  }
  Table* table = CreateTable(&process.descriptor);
  if (table == nullptr) return;
  process.on = true;
  call_clock.Calibrate();
  pthread_atfork(nullptr, nullptr, InChild);
  if (process.drains) {
    close(process.descriptor);
    process.descriptor = -1;
    // Sets the table before the thread starts: the thread removes it if it cannot stream.
    active_table.store(table, std::memory_order_release);
    if (!StartDraining(table, world_ranks)) active_table.store(nullptr, std::memory_order_release);
  } else {
    passing_due.store(true, std::memory_order_relaxed);
    TryToPass(NowNs());
    active_table.store(table, std::memory_order_release);
  }
}

void BeforeFinalize() {
  synchronising.store(false, std::memory_order_relaxed);
  applying.store(false, std::memory_order_relaxed);
  if (!process.on) return;
  if (passing_due.load(std::memory_order_relaxed)) {
    process.next_pass_ns.store(0, std::memory_order_relaxed);
    TryToPass(NowNs());
  }
  if (process.drains) HurryDrain();
}

void AfterFinalize() {
  if (!process.on) return;
  process.on = false;
  // The table stays mapped: another thread may be about to use it.
  active_table.store(nullptr, std::memory_order_release);
  if (process.drains) FinishDrain(NowNs() + kFinalizeWaitNs);
}

}  // namespace cox::agent
