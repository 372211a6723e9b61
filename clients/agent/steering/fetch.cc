#include "agent/steering/fetch.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "agent/job/background.h"
#include "agent/job/environment.h"
#include "agent/job/log.h"
#include "agent/job/plugin.h"
#include "agent/timing/clock.h"
#include "domain/collective.h"

namespace cox::agent {
namespace {

constexpr int kMostDecisions = domain::kCollectiveCount * Decisions::kMostRows;

// The thread may outlive the wait, so its data is static.
struct Fetch {
  CoxStreamQuestion question;
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed;
  bool started = false;
  bool done = false;       // guarded by lock
  uint64_t answer_ns = 0;  // from the question to the answer
  int count = -1;
  CoxStreamDecision decision[kMostDecisions];
  char remark[512] = "";
};
Fetch fetch;

double InMs(uint64_t time_ns) {
  return static_cast<double>(time_ns) / static_cast<double>(kNsPerMs);
}

void* RunFetch(void*) {
  pthread_setname_np(pthread_self(), "cox-fetch");
  Plugin plugin;
  if (LoadPlugin(&plugin)) {
    const uint64_t asked_ns = NowNs();
    fetch.count = plugin.decide(&fetch.question, fetch.decision, kMostDecisions, fetch.remark,
                                sizeof(fetch.remark));
    fetch.answer_ns = NowNs() - asked_ns;
  }
  pthread_mutex_lock(&fetch.lock);
  fetch.done = true;
  pthread_cond_broadcast(&fetch.changed);
  pthread_mutex_unlock(&fetch.lock);
  return nullptr;
}

}  // namespace

void StartFetch(const JobDescription& job) {
  CoxStreamQuestion& question = fetch.question;
  memset(&question, 0, sizeof(question));
  question.version = COX_STREAM_VERSION;
  question.server = job.settings->server;
  question.machine = job.settings->machine;
  question.library = job.library;
  question.nodes = job.nodes;
  question.ppn = job.ppn;
  // The job's own limit, whatever the plugin's loading takes: the cache compares jobs by it.
  question.limit_ns = job.settings->limit_ns;
  question.use_coxcoll = job.settings->applies_coxcoll ? 1 : 0;
  question.explore_share = job.settings->explore_share;
  question.elements_at_least_ranks = job.settings->elements_at_least_ranks ? 1 : 0;
  question.same_counts = job.settings->same_counts ? 1 : 0;
  question.environment = EnvironmentAtInit();

  InitCondition(&fetch.changed);
  const int error = StartThread(RunFetch);
  fetch.started = error == 0;
  if (error != 0) Log("cannot ask for a decision table: no thread: %s", strerror(error));
}

bool FinishFetch(Decisions* decisions) {
  if (!fetch.started) return false;
  const uint64_t begun_ns = NowNs();
  const uint64_t wait_ns = fetch.question.limit_ns + kFetchGraceNs;
  const uint64_t deadline_ns = begun_ns + wait_ns;
  const timespec deadline = {static_cast<time_t>(deadline_ns / kNsPerS),
                             static_cast<long>(deadline_ns % kNsPerS)};
  pthread_mutex_lock(&fetch.lock);
  int waited = 0;
  while (!fetch.done && waited != ETIMEDOUT) {
    waited = pthread_cond_timedwait(&fetch.changed, &fetch.lock, &deadline);
  }
  const bool done = fetch.done;
  pthread_mutex_unlock(&fetch.lock);
  if (!done) {
    Log("no decision table within %llu ms", static_cast<unsigned long long>(wait_ns / kNsPerMs));
    return false;
  }
  if (fetch.remark[0] != '\0') Log("decision table: %s", fetch.remark);
  Log("decision table: the answer took %.1f ms, MPI_Init waited %.1f ms", InMs(fetch.answer_ns),
      InMs(NowNs() - begun_ns));
  for (int i = 0; i < fetch.count; ++i) {
    const CoxStreamDecision& decision = fetch.decision[i];
    decisions->Add(decision.collective, decision.block_bytes, decision.number, decision.name);
  }
  return fetch.count >= 0;
}

}  // namespace cox::agent
