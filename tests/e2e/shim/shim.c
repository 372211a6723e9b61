/* Preload this into an Open MPI job: it records which of the library's algorithm functions run. The
 * library calls them through the dynamic linker, so a function of the same name that is found first
 * sees each call.
 *
 * cox_shim_take() returns what ran since the last call: names without their common prefix; a '>'
 * precedes a function that ran inside another, e.g.
 * "allreduce_intra_ring>allreduce_intra_recursivedoubling". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kTraceBytes = 4096 };

static char trace[kTraceBytes];
static int depth;

static void note(const char* name) {
  const size_t length = strlen(trace);
  if (length > 0 || depth > 0) {
    snprintf(trace + length, sizeof(trace) - length, "%s%s", depth > 0 ? ">" : " ", name);
  } else {
    snprintf(trace, sizeof(trace), "%s", name);
  }
}

const char* cox_shim_take(void) {
  static char taken[kTraceBytes];
  memcpy(taken, trace, sizeof(taken));
  trace[0] = '\0';
  return taken;
}

/* Whatever the parameters are: they are integers and pointers, at most eleven. Reading more than
 * were passed reads the caller's stack, which is there. */
typedef long (*Function)(long, long, long, long, long, long, long, long, long, long, long);

#define WRAP(name)                                                                           \
  long ompi_coll_base_##name(long a, long b, long c, long d, long e, long f, long g, long h, \
                             long i, long j, long k);                                        \
  long ompi_coll_base_##name(long a, long b, long c, long d, long e, long f, long g, long h, \
                             long i, long j, long k) {                                       \
    static Function next;                                                                    \
    if (next == NULL) next = (Function)dlsym(RTLD_NEXT, "ompi_coll_base_" #name);            \
    if (next == NULL) abort();                                                               \
    note(#name);                                                                             \
    ++depth;                                                                                 \
    const long result = next(a, b, c, d, e, f, g, h, i, j, k);                               \
    --depth;                                                                                 \
    return result;                                                                           \
  }

#define TUNED(collective, native_id, name) WRAP(name)
#include "tuned_functions.def"
