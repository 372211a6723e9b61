/* Preloaded into the ranks of a fabric's jobs: turns the busy polling of an MPI library into
 * waiting, so that many ranks can share few cores and still wake at once when their event comes.
 *
 * A zero timeout that found nothing for the second time in a row becomes one of 0.2 ms, which data
 * ends early. Only for tests: a rank that also computes while it polls would be slowed. */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kIdlePolls = 2, kWait_ns = 200000 };

static __thread int idle_polls;

/* NULL for a wait without end. */
static const struct timespec* TimeoutOf(int timeout_ms, struct timespec* room) {
  if (timeout_ms < 0) return NULL;
  room->tv_sec = timeout_ms / 1000;
  room->tv_nsec = timeout_ms % 1000 * 1000000L;
  if (timeout_ms == 0 && idle_polls >= kIdlePolls) room->tv_nsec = kWait_ns;
  return room;
}

static int Count(int timeout_ms, int ready) {
  if (timeout_ms == 0) idle_polls = ready == 0 ? idle_polls + 1 : 0;
  return ready;
}

int poll(struct pollfd* files, nfds_t count, int timeout_ms) {
  struct timespec room;
  const struct timespec* timeout = TimeoutOf(timeout_ms, &room);
  return Count(timeout_ms, (int)syscall(SYS_ppoll, files, count, timeout, NULL, 0));
}

int epoll_wait(int epoll, struct epoll_event* events, int count, int timeout_ms) {
  struct timespec room;
  const struct timespec* timeout = TimeoutOf(timeout_ms, &room);
  return Count(timeout_ms, (int)syscall(SYS_epoll_pwait2, epoll, events, count, timeout, NULL, 0));
}
