/* Preloaded into the ranks of a fabric's jobs: lets MPICH 4.0 over UCX 1.13's TCP end.
 *
 * In MPI_Finalize a rank closes its connections, and then reads from the process manager until all
 * ranks have done so. While it reads it serves no connection; a rank whose own closing needs an
 * answer of it waits for ever. Over TCP between namespaces that was so in 3 of 10 jobs of 8 ranks.
 * Here the reading rank goes on serving. Without effect where the MPI library does not use UCX. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kBetween_ns = 200000 };

/* UCX's and MPI's own, as their headers declare them. */
unsigned ucp_worker_progress(void* worker);
void ucp_worker_destroy(void* worker);
int MPI_Finalize(void);
int PMPI_Finalize(void);

static void* worker_in_use;
static int finalizing;

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*real)(void*);
  if (real == NULL) real = (unsigned (*)(void*))dlsym(RTLD_NEXT, "ucp_worker_progress");
  worker_in_use = worker;
  return real(worker);
}

void ucp_worker_destroy(void* worker) {
  void (*real)(void*) = (void (*)(void*))dlsym(RTLD_NEXT, "ucp_worker_destroy");
  worker_in_use = NULL;
  real(worker);
}

/* An agent that is preloaded as well calls the one with P. */
int PMPI_Finalize(void) {
  int (*real)(void) = (int (*)(void))dlsym(RTLD_NEXT, "PMPI_Finalize");
  finalizing = 1;
  return real();
}

int MPI_Finalize(void) { return PMPI_Finalize(); }

ssize_t read(int file, void* bytes, size_t count) {
  struct pollfd wanted = {file, POLLIN, 0};
  while (finalizing && worker_in_use != NULL) {
    /* The system call leaves in it what was left of the time. */
    struct timespec between = {0, kBetween_ns};
    if (syscall(SYS_ppoll, &wanted, 1, &between, NULL, 0) != 0) break;
    ucp_worker_progress(worker_in_use);
  }
  return syscall(SYS_read, file, bytes, count);
}
