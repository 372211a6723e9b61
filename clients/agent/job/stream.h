/* The C interface between the agent and its streaming plugin, libcoxagent-stream.so. The agent
 * opens the plugin on one rank per node; only the plugin loads gRPC. No exception crosses the
 * interface, and the plugin never writes to stdout.
 *
 * Threads: one at a time (the agent's draining thread). Failures: if cox_stream_open returns null
 * the agent stays off; after that the plugin handles its own failures (it spools). */
#ifndef COX_AGENT_JOB_STREAM_H_
#define COX_AGENT_JOB_STREAM_H_

#include <stddef.h>
#include <stdint.h>

#include "domain/collective.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COX_STREAM_VERSION 8

struct CoxStreamConfig {
  uint32_t version;   /* COX_STREAM_VERSION */
  uint32_t log;       /* 1: write on stderr what happens */
  const char* server; /* gRPC target */
  const char* machine;
  const char* library; /* "openmpi-4.1" */
  const char* job;     /* at most 127 bytes */
  const char* application;
  const char* spool;     /* path */
  const char* directory; /* base of relative paths in MPI's settings */
  int64_t ranks;         /* of MPI_COMM_WORLD */
  int64_t nodes;
  int64_t ppn;
  uint32_t is_canary; /* 1: the job runs the library's default to show what that takes */
  const char* const* environment; /* NAME=VALUE, ended by a null: what the plugin reads instead of
                                     the process's; lives for ever; null: the process's */
};

/* One rank's timings of one key in a window. */
struct CoxStreamRow {
  int32_t collective; /* cox::domain::Collective */
  int32_t origin;     /* cox::agent::Origin */
  int32_t number;     /* the selected algorithm, see run_time_number.h; 0: none */
  int32_t ranks;      /* of the communicator */
  int64_t block_bytes;
  int64_t type_bytes;
  int64_t count; /* >= 1 */
  uint64_t sum_ns;
  double sum_squares_ns2;
  const float* recent_ns; /* the latest timings, in any order; valid during the call */
  int64_t recent_count;   /* 0..count */
};

#define COX_STREAM_CLASSES 40 /* cox::domain::kPatternClasses */

/* What one rank sent in phases of one kind since its last row; see domain/pattern/sketch.h. */
struct CoxStreamSketch {
  int32_t kind;  /* cox::domain::PatternKind */
  int32_t ranks; /* of the communicator */
  uint64_t phases;
  uint64_t samples;
  uint64_t repeats;
  uint64_t bytes;
  uint64_t timed;
  uint64_t inside_ns;
  uint64_t between_ns;
  const uint32_t* destinations; /* by class, as the next two; valid during the call */
  const uint32_t* sizes;
  const uint32_t* distances;
};

/* A question for a decision table. */
struct CoxStreamQuestion {
  uint32_t version;                 /* COX_STREAM_VERSION */
  uint32_t elements_at_least_ranks; /* 1: every call has at least as many elements as ranks */
  uint32_t same_counts;             /* 1: all ranks pass the same count and type, both ways */
  const char* server;
  const char* machine;
  const char* library;
  int64_t nodes;
  int64_t ppn;
  uint64_t limit_ns;              /* the longest wait for the daemon */
  uint32_t use_coxcoll;           /* 1: libcoxcoll may run in place of this library */
  double explore_share;           /* of the collectives' time, for trials; 0: none */
  const char* const* environment; /* as in CoxStreamConfig */
};

/* The algorithm to select from a block size on. */
struct CoxStreamDecision {
  int32_t collective; /* cox::domain::Collective */
  int32_t number;     /* 0: the library chooses */
  int64_t block_bytes;
  char name[32]; /* libcoxcoll's algorithm with its knob, for its numbers; else "" */
};

struct CoxStream;

/* Gets the decisions for a job of that shape from the daemon or from the cache on disk, ascending
 * per collective. Returns their number, at most `capacity`; -1 without a table. `remark` gets a
 * message for the log, or "". Any thread; needs no stream. */
typedef int (*CoxStreamDecide)(const struct CoxStreamQuestion* question,
                               struct CoxStreamDecision* decisions, int capacity, char* remark,
                               size_t remark_bytes);

/* Starts the stream and its sending thread. Null on failure, also for another version. */
typedef struct CoxStream* (*CoxStreamOpen)(const struct CoxStreamConfig* config);
/* Adds a rank's rows to the current window. */
typedef void (*CoxStreamAdd)(struct CoxStream* stream, const struct CoxStreamRow* rows,
                             size_t count);
/* Adds what a rank sent. */
typedef void (*CoxStreamAddSketch)(struct CoxStream* stream, const struct CoxStreamSketch* sketch);
/* Ends the window: sends its observations and the number of dropped timings. */
typedef void (*CoxStreamFlush)(struct CoxStream* stream, int64_t dropped_count);
/* Sends the observations that were held back, waits for acknowledgements until the monotonic clock
 * shows deadline_ns, and spools the rest. Do not use the stream after that. */
typedef void (*CoxStreamClose)(struct CoxStream* stream, uint64_t deadline_ns);

#ifdef __cplusplus
}
#endif

#endif /* COX_AGENT_JOB_STREAM_H_ */
