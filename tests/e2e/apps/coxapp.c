// The program: options, the kernels in sequence, checksums and times.
#include "coxapp.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modular.h"

static const char kUsage[] =
    "usage: coxapp [--kernels K[=N],...] [--bytes B,...] [--calls N] [--volume V] [--barrier]\n"
    "              [--times FILE]\n"
    "\n"
    "  --kernels K,...  transpose (alltoall), cg (allreduce), halo (allgather), table (bcast);\n"
    "                   default: all; K=N calls its collective about N times\n"
    "  --bytes B,...    block sizes of the collectives, 8..67108864, at most 16; default: "
    "1024,65536\n"
    "  --calls N        calls of each collective at each size, about; default: 50\n"
    "  --volume V       fewer calls of large blocks: calls x bytes is at most V, but at least 10 "
    "calls;\n"
    "                   default: 67108864\n"
    "  --barrier        enter the collectives together: a barrier before each\n"
    "  --times FILE     write elapsed times as CSV to FILE instead of to stderr\n"
    "\n"
    "Run it under mpirun. Checksums go to stdout; they depend on the number of ranks, on the sizes "
    "and on\n"
    "the calls, not on the MPI library or its algorithms. Exit status: 0 all results right, 1 one "
    "is\n"
    "wrong, 2 a wrong argument.\n";

enum { kMaxSizes = 16, kMinCalls = 10 };

static const struct {
  const char* name;
  const char* collective;
  Kernel* run;
} kKernels[] = {
    {"transpose", "alltoall", Transpose},
    {"cg", "allreduce", ConjugateGradient},
    {"halo", "allgather", Halo},
    {"table", "bcast", Table},
};
enum { kKernelCount = sizeof(kKernels) / sizeof(kKernels[0]) };

struct Options {
  bool kernel[kKernelCount];
  int64_t kernel_calls[kKernelCount];  // 0: as many as `calls`
  int64_t bytes[kMaxSizes];
  int sizes;
  int64_t calls;
  int64_t volume;
  bool barrier;
  const char* times;
};

void Enter(const struct Job* job) {
  if (job->barrier) MPI_Barrier(MPI_COMM_WORLD);
}

void* Allocate(int64_t count, int64_t element_bytes) {
  void* memory = calloc((size_t)count, (size_t)element_bytes);
  if (memory == NULL) {
    fprintf(stderr, "coxapp: out of memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
  }
  return memory;
}

// Parses a whole number within [low, high] that ends at `*end`, and moves `*text` there.
static bool ReadNumber(const char** text, int64_t low, int64_t high, int64_t* value) {
  char* end = NULL;
  errno = 0;
  *value = strtoll(*text, &end, 10);
  const bool read = end != *text && errno == 0 && *value >= low && *value <= high;
  *text = end;
  return read;
}

static bool ReadOneNumber(const char* text, int64_t low, int64_t high, int64_t* value) {
  return ReadNumber(&text, low, high, value) && *text == '\0';
}

static bool ReadSizes(const char* text, struct Options* options) {
  for (options->sizes = 0; options->sizes < kMaxSizes; ++text) {
    if (!ReadNumber(&text, 8, 64 << 20, &options->bytes[options->sizes++])) return false;
    if (*text != ',') return *text == '\0';
  }
  return false;
}

static bool ReadKernels(const char* text, struct Options* options) {
  memset(options->kernel, 0, sizeof(options->kernel));
  for (;; ++text) {
    const size_t length = strcspn(text, ",=");
    int kernel = 0;
    while (kernel < kKernelCount && (strlen(kKernels[kernel].name) != length ||
                                     strncmp(text, kKernels[kernel].name, length) != 0)) {
      ++kernel;
    }
    if (kernel == kKernelCount) return false;
    options->kernel[kernel] = true;
    text += length;
    if (*text == '=' && (++text, !ReadNumber(&text, 1, 1000000, &options->kernel_calls[kernel]))) {
      return false;
    }
    if (*text == '\0') return true;
    if (*text != ',') return false;
  }
}

// Reads all of `argv`. Returns the wrong argument, or null.
static const char* ReadArguments(int argc, char** argv, struct Options* options) {
  for (int i = 1; i < argc; ++i) {
    const char* name = argv[i];
    if (strcmp(name, "--barrier") == 0) {
      options->barrier = true;
      continue;
    }
    const char* value = i + 1 < argc ? argv[++i] : "";
    bool good = false;
    if (strcmp(name, "--kernels") == 0) good = ReadKernels(value, options);
    if (strcmp(name, "--bytes") == 0) good = ReadSizes(value, options);
    if (strcmp(name, "--calls") == 0) good = ReadOneNumber(value, 1, 1000000, &options->calls);
    if (strcmp(name, "--volume") == 0) good = ReadOneNumber(value, 1, INT64_MAX, &options->volume);
    if (strcmp(name, "--times") == 0) good = (options->times = value)[0] != '\0';
    if (!good) return name;
  }
  return NULL;
}

static int64_t CallsOf(const struct Options* options, int kernel, int64_t block_bytes) {
  const int64_t own = options->kernel_calls[kernel];
  const int64_t wanted = own > 0 ? own : options->calls;
  int64_t calls = options->volume / block_bytes;
  if (calls < kMinCalls) calls = kMinCalls;
  return calls < wanted ? calls : wanted;
}

// Runs all kernels and prints. Returns the number of wrong results, on every rank.
static int64_t RunKernels(const struct Job* job, const struct Options* options, FILE* times) {
  struct Outcome outcomes[kKernelCount * kMaxSizes];
  int64_t sums[2 * kKernelCount * kMaxSizes];
  int done = 0;
  if (job->rank == 0 && times != stderr) {
    fprintf(times, "kernel,collective,block_bytes,calls,elapsed_s\n");
  }
  for (int kernel = 0; kernel < kKernelCount; ++kernel) {
    for (int size = 0; options->kernel[kernel] && size < options->sizes; ++size, ++done) {
      const double start = MPI_Wtime();
      const int64_t bytes = options->bytes[size];
      outcomes[done] = kKernels[kernel].run(job, bytes, CallsOf(options, kernel, bytes));
      sums[2 * done] = outcomes[done].checksum;
      sums[2 * done + 1] = outcomes[done].right ? 0 : 1;
      if (job->rank != 0) continue;
      fprintf(times,
              times == stderr ? "%-9s %-9s %8lld bytes %6lld calls %10.6f s\n"
                              : "%s,%s,%lld,%lld,%.6f\n",
              kKernels[kernel].name, kKernels[kernel].collective,
              (long long)outcomes[done].block_bytes, (long long)outcomes[done].calls,
              MPI_Wtime() - start);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2 * done, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  int64_t wrong = 0;
  int64_t checksum = 0;
  done = 0;
  for (int kernel = 0; kernel < kKernelCount; ++kernel) {
    for (int size = 0; options->kernel[kernel] && size < options->sizes; ++size, ++done) {
      const int64_t part = sums[2 * done] % kPrime;
      checksum = Add(Multiply(checksum, 31), part);
      wrong += sums[2 * done + 1] > 0;
      if (job->rank != 0) continue;
      printf("%s %lld: checksum %lld%s\n", kKernels[kernel].name,
             (long long)outcomes[done].block_bytes, (long long)part,
             sums[2 * done + 1] > 0 ? " WRONG" : "");
    }
  }
  if (job->rank == 0) printf("checksum %lld\n", (long long)checksum);
  return wrong;
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--help") == 0) return fputs(kUsage, stdout) < 0;
  }
  struct Options options = {
      {true, true, true, true}, {0}, {1024, 65536}, 2, 50, 64 << 20, false, NULL};
  const char* wrong_argument = ReadArguments(argc, argv, &options);
  struct Job job = {0, 1, options.barrier};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
  if (wrong_argument != NULL) {
    if (job.rank == 0) fprintf(stderr, "coxapp: wrong argument %s (see --help)\n", wrong_argument);
    MPI_Finalize();
    return 2;
  }
  FILE* times = stderr;
  if (job.rank == 0 && options.times != NULL && (times = fopen(options.times, "w")) == NULL) {
    fprintf(stderr, "coxapp: %s: %s\n", options.times, strerror(errno));
  }
  // All ranks end together, because a launcher may lose the last output of an aborted job.
  int is_open = times != NULL;
  PMPI_Bcast(&is_open, 1, MPI_INT, 0, MPI_COMM_WORLD);  // not counted as a call of the program
  if (!is_open) {
    MPI_Finalize();
    return 2;
  }
  int64_t wrong = RunKernels(&job, &options, times);
  if (times != stderr && fclose(times) != 0) {
    fprintf(stderr, "coxapp: %s: %s\n", options.times, strerror(errno));
    wrong = 1;
  }
  MPI_Finalize();
  return wrong > 0 ? 1 : 0;
}
