#include "agent/job/background.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

namespace cox::agent {
namespace {

constexpr size_t kStackBytes = 1 << 20;

}  // namespace

void InitCondition(pthread_cond_t* condition) {
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &clock);
  pthread_condattr_destroy(&clock);
}

int StartThread(void* (*function)(void*)) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  // Threads inherit the mask.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, function, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return error;
}

}  // namespace cox::agent
