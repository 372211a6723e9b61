#include "agent/timing/drain.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "agent/job/background.h"
#include "agent/job/log.h"
#include "agent/job/plugin.h"
#include "agent/job/rendezvous.h"
#include "agent/timing/clock.h"
#include "agent/timing/recorder.h"
#include "agent/timing/sketches.h"
#include "domain/collective.h"
#include "domain/pattern/classes.h"

namespace cox::agent {
namespace {

// The part of MPI_Finalize's wait that is reserved for spooling.
constexpr uint64_t kSpoolTimeNs = 12 * kNsPerMs;
constexpr int kMaxTables = 4096;

struct Drain {
  DrainJob job;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool running = false;  // the thread was started and is not abandoned
  bool hurry = false;    // guarded by lock, as all below
  bool finish = false;
  bool done = false;
  uint64_t deadline_ns = 0;  // of finish
  Table* table[kMaxTables];  // only the thread
  int tables = 0;
};
Drain drain;

timespec ToTimespec(uint64_t ns) {
  return {static_cast<time_t>(ns / kNsPerS), static_cast<long>(ns % kNsPerS)};
}

// Waits until the interval ends or HurryDrain. True: finish by *deadline_ns.
bool Rest(uint64_t until_ns, uint64_t* deadline_ns) {
  const timespec until = ToTimespec(until_ns);
  pthread_mutex_lock(&drain.lock);
  int waited = 0;
  while (!drain.hurry && !drain.finish && waited != ETIMEDOUT) {
    waited = pthread_cond_timedwait(&drain.changed, &drain.lock, &until);
  }
  drain.hurry = false;
  const bool finish = drain.finish;
  *deadline_ns = drain.deadline_ns;
  pthread_mutex_unlock(&drain.lock);
  return finish;
}

void AcceptTables() {
  if (drain.job.listener < 0) return;
  while (drain.tables < kMaxTables) {
    Table* table = AcceptTable(drain.job.listener);
    if (table == nullptr) return;
    drain.table[drain.tables++] = table;
  }
}

// Passes a rank's rows to the plugin and clears its half. Returns the rank's dropped timings.
int64_t Empty(Table::Half* half, const Plugin& plugin, CoxStream* stream) {
  constexpr uint32_t kRows = 128;
  CoxStreamRow rows[kRows];
  uint32_t filled = 0;
  // Another process writes this memory, so its count is checked.
  const uint32_t used = half->used < Table::kEntries ? half->used : Table::kEntries;
  for (uint32_t i = 0; i < used; ++i) {
    const Entry& entry = half->entry[i];
    if (entry.count == 0 || static_cast<int>(entry.key.collective()) >= domain::kCollectiveCount)
      continue;
    CoxStreamRow& row = rows[filled++];
    row.collective = static_cast<int32_t>(entry.key.collective());
    row.origin = static_cast<int32_t>(entry.key.origin());
    row.number = entry.key.number();
    row.ranks = static_cast<int32_t>(entry.key.ranks());
    row.block_bytes = static_cast<int64_t>(entry.key.block_bytes);
    row.type_bytes = entry.key.type_bytes();
    row.count = static_cast<int64_t>(entry.count);
    row.sum_ns = entry.sum_ns;
    row.sum_squares_ns2 = entry.sum_squares_ns2;
    row.recent_ns = entry.recent_ns;
    row.recent_count = row.count < Entry::kRecent ? row.count : Entry::kRecent;
    if (filled == kRows) {
      plugin.add(stream, rows, filled);
      filled = 0;
    }
  }
  if (filled > 0) plugin.add(stream, rows, filled);
  const int64_t dropped = static_cast<int64_t>(half->dropped);
  // Leaves an idle rank's pages untouched: they would count as memory of both processes.
  if (used > 0 || dropped > 0) Table::Clear(half);
  return dropped;
}

static_assert(COX_STREAM_CLASSES == domain::kPatternClasses);

// Passes what a rank sent to the plugin.
void EmptySketches(Sketches* sketches, const Plugin& plugin, CoxStream* stream) {
  for (int i = 0; i < Sketches::kMost; ++i) {
    domain::PatternKind kind = {};
    int ranks = 0;
    SketchSums sums;
    if (!sketches->Take(i, &kind, &ranks, &sums)) continue;
    const CoxStreamSketch sketch = {static_cast<int32_t>(kind),
                                    ranks,
                                    sums.phases,
                                    sums.samples,
                                    sums.repeats,
                                    sums.bytes,
                                    sums.timed,
                                    sums.inside_ns,
                                    sums.between_ns,
                                    sums.destinations,
                                    sums.sizes,
                                    sums.distances};
    plugin.add_sketch(stream, &sketch);
  }
}

void DrainTables(const Plugin& plugin, CoxStream* stream) {
  AcceptTables();
  int64_t dropped = 0;
  for (int i = 0; i < drain.tables; ++i) {
    if (Table::Half* half = drain.table[i]->Swap()) dropped += Empty(half, plugin, stream);
    EmptySketches(&drain.table[i]->sketches(), plugin, stream);
  }
  plugin.flush(stream, dropped);
}

// For the log only: the API has no message for totals.
void LogTotals() {
  if (!drain.job.settings->log) return;
  for (int total = 0; total < kTotalCount; ++total) {
    Totals::Sum sum = {0, 0};
    for (int i = 0; i < drain.tables; ++i) {
      const Totals::Sum one = drain.table[i]->totals().Of(total);
      sum.count += one.count;
      sum.amount += one.amount;
    }
    if (sum.count == 0) continue;
    if (total == kMessages) {
      Log("total: %s %llu calls %llu bytes", kTotalNames[total],
          static_cast<unsigned long long>(sum.count), static_cast<unsigned long long>(sum.amount));
    } else {
      Log("total: %s %llu calls %.6g s", kTotalNames[total],
          static_cast<unsigned long long>(sum.count),
          static_cast<double>(sum.amount) / static_cast<double>(kNsPerS));
    }
  }
}

CoxStream* OpenStream(const Plugin& plugin) {
  const Settings& settings = *drain.job.settings;
  CoxStreamConfig config;
  memset(&config, 0, sizeof(config));
  config.version = COX_STREAM_VERSION;
  config.log = settings.log ? 1 : 0;
  config.server = settings.server;
  config.machine = settings.machine;
  config.library = drain.job.library;
  config.job = settings.job;
  config.application = settings.application;
  config.spool = drain.job.spool;
  config.directory = settings.directory;
  config.ranks = drain.job.ranks;
  config.nodes = drain.job.nodes;
  config.ppn = drain.job.ppn;
  config.is_canary = settings.is_canary ? 1 : 0;
  config.environment = drain.job.environment;
  return plugin.open(&config);
}

void* RunDrain(void*) {
  pthread_setname_np(pthread_self(), "cox-agent");
  Plugin plugin;
  CoxStream* stream = LoadPlugin(&plugin) ? OpenStream(plugin) : nullptr;
  if (stream == nullptr) {
    // Without a stream no one reads the timings.
    active_table.store(nullptr, std::memory_order_release);
  } else {
    uint64_t deadline_ns = 0;
    bool finish = false;
    uint64_t next_ns = NowNs();
    while (!finish) {
      next_ns += drain.job.settings->interval_ns;
      if (const uint64_t now_ns = NowNs(); next_ns < now_ns) next_ns = now_ns;
      finish = Rest(next_ns, &deadline_ns);
      DrainTables(plugin, stream);
    }
    LogTotals();
    plugin.close(stream, deadline_ns - kSpoolTimeNs);
  }
  pthread_mutex_lock(&drain.lock);
  drain.done = true;
  pthread_cond_broadcast(&drain.changed);
  pthread_mutex_unlock(&drain.lock);
  return nullptr;
}

}  // namespace

bool StartDrain(const DrainJob& job) {
  drain.job = job;
  drain.table[drain.tables++] = job.own_table;
  pthread_mutex_init(&drain.lock, nullptr);
  InitCondition(&drain.changed);
  const int error = StartThread(RunDrain);
  drain.running = error == 0;
  if (error != 0) Log("off: cannot start a thread: %s", strerror(error));
  return drain.running;
}

void HurryDrain() {
  if (!drain.running) return;
  pthread_mutex_lock(&drain.lock);
  drain.hurry = true;
  pthread_cond_broadcast(&drain.changed);
  pthread_mutex_unlock(&drain.lock);
}

void FinishDrain(uint64_t deadline_ns) {
  if (!drain.running) return;
  drain.running = false;
  const timespec deadline = ToTimespec(deadline_ns);
  pthread_mutex_lock(&drain.lock);
  drain.finish = true;
  drain.deadline_ns = deadline_ns;
  pthread_cond_broadcast(&drain.changed);
  int waited = 0;
  while (!drain.done && waited != ETIMEDOUT) {
    waited = pthread_cond_timedwait(&drain.changed, &drain.lock, &deadline);
  }
  if (!drain.done)
    Log("the last timings are lost: coxd did not take them before MPI_Finalize had to end");
  pthread_mutex_unlock(&drain.lock);
}

void ForgetDrain() { drain.running = false; }

}  // namespace cox::agent
