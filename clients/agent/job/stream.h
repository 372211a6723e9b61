/* The C interface between the agent and its streaming plugin, libcoxagent-stream.so. The agent
 * opens the plugin on one rank per node; only the plugin loads gRPC. No exception crosses it,
 * nothing is printed on stdout.
 *
 * Threads: one at a time (the agent's draining thread). Failures: cox_stream_open answers null and
 * the agent stays off; after that the plugin deals with its failures itself (it spools). */
#ifndef COX_AGENT_JOB_STREAM_H_
#define COX_AGENT_JOB_STREAM_H_

#include <stddef.h>
#include <stdint.h>

#include "domain/collective.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COX_STREAM_VERSION 5

struct CoxStreamConfig {
  uint32_t version;   /* COX_STREAM_VERSION */
  uint32_t log;       /* 1: tell on stderr what happens */
  const char* server; /* gRPC target */
  const char* machine;
  const char* library;   /* "openmpi-4.1" */
  const char* job;       /* at most 127 bytes */
  const char* spool;     /* path */
  const char* directory; /* what relative paths in MPI's settings are relative to */
  int64_t ranks;         /* of MPI_COMM_WORLD */
  int64_t nodes;
  int64_t ppn;
};

/* What one rank timed in a window, per key. */
struct CoxStreamRow {
  int32_t collective; /* cox::domain::Collective */
  int32_t origin;     /* cox::agent::Origin */
  int32_t number;     /* what the library was told, see run_time_number.h; 0: nothing */
  int32_t ranks;      /* of the communicator */
  int64_t block_bytes;
  int64_t type_bytes;
  int64_t count; /* >= 1 */
  uint64_t sum_ns;
  double sum_squares_ns2;
  const float* recent_ns; /* the latest timings, in any order; valid during the call */
  int64_t recent_count;   /* 0..count */
};

/* What a decision table is asked for. */
struct CoxStreamQuestion {
  uint32_t version;                 /* COX_STREAM_VERSION */
  uint32_t elements_at_least_ranks; /* 1: every call has as many elements as ranks */
  uint32_t same_counts;             /* 1: all ranks give a call the same count and type */
  const char* server;
  const char* machine;
  const char* library;
  int64_t nodes;
  int64_t ppn;
  uint64_t limit_ns;    /* wait at most so long for the daemon */
  uint32_t use_coxcoll; /* 1: our own library may run in the place of this one */
  double explore_share; /* of the time of the job's collectives, for trials; 0: none */
};

/* From a size on: what the library is told, or what our own runs in its place. */
struct CoxStreamDecision {
  int32_t collective; /* cox::domain::Collective */
  int32_t number;     /* 0: as the library wants */
  int64_t block_bytes;
  char name[32]; /* our own library's algorithm with its knob, for its numbers; else "" */
};

struct CoxStream;

/* The decisions for a job of that shape, from the daemon or from the cache on disk, ascending per
 * collective: their number, at most `capacity`; -1 where there are none. `remark` gets what is to
 * be said about it, "" where nothing. Any thread, without a stream. */
typedef int (*CoxStreamDecide)(const struct CoxStreamQuestion* question,
                               struct CoxStreamDecision* decisions, int capacity, char* remark,
                               size_t remark_bytes);

typedef struct CoxStream* (*CoxStreamOpen)(const struct CoxStreamConfig* config);
/* A rank's rows of the window that is being gathered. */
typedef void (*CoxStreamAdd)(struct CoxStream* stream, const struct CoxStreamRow* rows,
                             size_t count);
/* Ends the window: makes observations of it and sends them, with the timings dropped in it. */
typedef void (*CoxStreamFlush)(struct CoxStream* stream, int64_t dropped_count);
/* Makes observations of what was held back, waits for acknowledgements until the monotonic clock
 * shows deadline_ns, spools the rest. The stream must not be used after that. */
typedef void (*CoxStreamClose)(struct CoxStream* stream, uint64_t deadline_ns);

#ifdef __cplusplus
}
#endif

#endif /* COX_AGENT_JOB_STREAM_H_ */
