/* A tool that makes an algorithm a lie: it benchmarks well, and takes twice as long in the job. It
 * is loaded behind the agent, and prolongs the allreduces of the kind that SLOWER names:
 *
 *   steered   the agent has selected an algorithm
 *   default   the library chooses
 *
 * A prolonged call takes as long again, and twenty milliseconds: other programs on the processors
 * delay calls by some milliseconds, and must not hide the difference. All ranks leave it together:
 * otherwise the next call would take the longer. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int is_steered(MPI_Comm comm) {
#ifdef OPEN_MPI
  /* The agent selects algorithms for communicators of its own. */
  return comm != MPI_COMM_WORLD;
#else
  /* The agent sets MPICH's variable for the call; 0: automatic. */
  static MPI_T_cvar_handle handle;
  (void)comm;
  if (handle == NULL) {
    int provided = 0, index = 0, elements = 0;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS ||
        MPI_T_cvar_get_index("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &elements) != MPI_SUCCESS) {
      abort();
    }
  }
  int value = 0;
  if (MPI_T_cvar_read(handle, &value) != MPI_SUCCESS) abort();
  return value != 0;
#endif
}

static const double kExtra_s = 0.02;

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int MPI_Allreduce(const void* in, void* out, int elements, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  const char* slower = getenv("SLOWER");
  const double start_s = now_s();
  const int steered = is_steered(comm);
  const int result = PMPI_Allreduce(in, out, elements, type, op, comm);
  if (slower != NULL && strcmp(slower, steered ? "steered" : "default") == 0) {
    const double pause_s = now_s() - start_s + kExtra_s;
    struct timespec pause;
    pause.tv_sec = (time_t)pause_s;
    pause.tv_nsec = (long)(1e9 * (pause_s - (double)pause.tv_sec));
    nanosleep(&pause, NULL);
    PMPI_Barrier(comm);
  }
  return result;
}
