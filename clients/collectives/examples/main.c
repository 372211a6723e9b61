// The command line of an example: what to run how often, and the results.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example.h"

struct Arguments {
  int64_t size;
  int64_t degree;
  int64_t repeats;
  const char* variant;
  char* algorithms;
  const char* messages;
};

// Whether `name` is in a comma-separated list.
static bool IsIn(const char* list, const char* name) {
  const size_t length = strlen(name);
  for (const char* at = list; at != NULL; at = strchr(at, ',')) {
    at += *at == ',';
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
  }
  return false;
}

static bool IsAlgorithm(const char* name) {
  char bare[64];
  return sscanf(name, "%63[^?]", bare) == 1 &&
         (IsIn(ExchangeWays(), bare) || IsIn(kProgram.more_ways, bare));
}

static void PrintHelp(void) {
  printf("%s: %s\n\n", kProgram.name, kProgram.summary);
  printf("  --size N        %s (%lld)\n", kProgram.size_text, (long long)kProgram.usual_size);
  printf("  --degree N      destinations of a rank, if the program uses them (all)\n");
  if (kProgram.variants != NULL) printf("  --variant V     one of: %s\n", kProgram.variants);
  printf("  --algorithm A   how blocks are exchanged, or several with commas between: %s%s%s\n",
         ExchangeWays(), kProgram.more_ways != NULL ? "," : "",
         kProgram.more_ways != NULL ? kProgram.more_ways : "");
  printf("  --repeats N     runs of each; the fastest counts (3)\n");
  printf(
      "  --messages FILE file for the messages of a mean exchange, for `cox pattern --file`\n\n"
      "Prints a line for each algorithm: the slowest rank's seconds, in all and by section, and\n"
      "whether the result is right. Exit codes: 0 done, 1 a result is wrong, 2 wrong arguments.\n");
}

// Returns 0 to run, else the exit code plus one.
static int Parse(int argc, char** argv, struct Arguments* arguments, bool speaks) {
  static char usual_algorithm[] = "mpi";
  *arguments = (struct Arguments){kProgram.usual_size, 0, 3, "", usual_algorithm, NULL};
  for (int i = 1; i < argc; ++i) {
    const char* name = argv[i];
    if (strcmp(name, "--help") == 0) {
      if (speaks) PrintHelp();
      return 1;
    }
    char* value = i + 1 < argc ? argv[++i] : NULL;
    char* end = value;
    int64_t* number = strcmp(name, "--size") == 0      ? &arguments->size
                      : strcmp(name, "--degree") == 0  ? &arguments->degree
                      : strcmp(name, "--repeats") == 0 ? &arguments->repeats
                                                       : NULL;
    bool good = value != NULL;
    if (good && number != NULL) {
      *number = strtoll(value, &end, 10);
      good = end != value && *end == '\0' && *number >= 1 && *number <= INT64_C(1) << 40;
    } else if (good && strcmp(name, "--variant") == 0) {
      arguments->variant = value;
      good = IsIn(kProgram.variants, value);
    } else if (good && strcmp(name, "--algorithm") == 0) {
      arguments->algorithms = value;
    } else if (good && strcmp(name, "--messages") == 0) {
      arguments->messages = value;
    } else {
      good = false;
    }
    if (!good) {
      if (speaks) {
        fprintf(stderr, "%s: %s %s: not understood (--help explains)\n", kProgram.name, name,
                value != NULL ? value : "without a value");
      }
      return 3;
    }
  }
  return 0;
}

// Rank 0 writes the messages of a mean exchange.
static void WriteMessages(const struct Example* example, const char* path) {
  const int p = example->ranks;
  int64_t* all = Allocate((int64_t)p * p, sizeof(int64_t));
  MPI_Gather(example->sent_bytes, p, MPI_INT64_T, all, p, MPI_INT64_T, 0, MPI_COMM_WORLD);
  FILE* file = example->rank == 0 ? fopen(path, "w") : NULL;
  if (example->rank == 0 && file == NULL) Fail("--messages: the file cannot be written");
  if (file != NULL) {
    fprintf(file, "src,dst,bytes\n");
    for (int i = 0; i < p * p; ++i) {
      if (i / p == i % p || all[i] == 0) continue;
      fprintf(file, "%d,%d,%lld\n", i / p, i % p, (long long)(all[i] / example->exchanges));
    }
    if (fclose(file) != 0) Fail("--messages: the file cannot be written");
  }
  free(all);
}

// The layout of MPI_DOUBLE_INT.
struct Slowest {
  double time_s;
  int rank;
};

// Runs one algorithm, prints its line on rank 0, and returns whether all results were right.
static bool RunAlgorithm(struct Example* example, int64_t repeats) {
  double time_s = 0;
  double best_s[kSections] = {0};
  bool right = true;
  for (int64_t repeat = 0; repeat < repeats; ++repeat) {
    memset(example->spent_s, 0, sizeof example->spent_s);
    memset(example->sent_bytes, 0, (size_t)example->ranks * sizeof(int64_t));
    example->exchanges = 0;
    example->section = kOutside;
    right &= kProgram.run(example);
    Enter(example, kOutside);
    struct Slowest own = {0, example->rank};
    for (int section = kWork; section < kSections; ++section) {
      own.time_s += example->spent_s[section];
    }
    struct Slowest slowest;
    MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    MPI_Bcast(example->spent_s, kSections, MPI_DOUBLE, slowest.rank, MPI_COMM_WORLD);
    if (repeat == 0 || slowest.time_s < time_s) {
      time_s = slowest.time_s;
      memcpy(best_s, example->spent_s, sizeof best_s);
    }
  }
  int everywhere = right;
  MPI_Allreduce(MPI_IN_PLACE, &everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (example->rank == 0) {
    printf(
        "program=%s ranks=%d size=%lld degree=%lld variant=%s algorithm=%s time_s=%.9g "
        "communication_s=%.9g exchange_s=%.9g exchanges=%lld work_s=%.9g right=%s\n",
        kProgram.name, example->ranks, (long long)example->size, (long long)example->degree,
        example->variant, example->algorithm, time_s, best_s[kCommunication] + best_s[kExchange],
        best_s[kExchange], (long long)example->exchanges, best_s[kWork], everywhere ? "yes" : "no");
    fflush(stdout);
  }
  return everywhere != 0;
}

static int RunAll(struct Example* example, const struct Arguments* arguments) {
  const char* why = kProgram.refuse != NULL ? kProgram.refuse(example) : NULL;
  if (example->degree > example->ranks) why = "--degree: more destinations than ranks";
  char* rest = NULL;
  char* copy = strdup(arguments->algorithms);
  for (char* name = strtok_r(copy, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest)) {
    if (!IsAlgorithm(name)) why = "--algorithm: unknown (--help lists the algorithms)";
  }
  free(copy);
  if (why != NULL) {
    if (example->rank == 0) fprintf(stderr, "%s: %s\n", kProgram.name, why);
    return 2;
  }
  bool right = true;
  for (char* name = strtok_r(arguments->algorithms, ",", &rest); name != NULL;
       name = strtok_r(NULL, ",", &rest)) {
    example->algorithm = name;
    right &= RunAlgorithm(example, arguments->repeats);
  }
  if (arguments->messages != NULL && example->exchanges > 0) {
    WriteMessages(example, arguments->messages);
  }
  return right ? 0 : 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct Example example = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &example.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &example.ranks);
  struct Arguments arguments;
  int code = Parse(argc, argv, &arguments, example.rank == 0);
  if (code == 0) {
    char variant[32] = "";
    if (kProgram.variants != NULL) {
      sscanf(arguments.variant[0] != '\0' ? arguments.variant : kProgram.variants, "%31[^,]",
             variant);
    }
    example.size = arguments.size;
    example.degree = arguments.degree > 0 ? arguments.degree : example.ranks;
    example.variant = variant;
    example.sent_bytes = Allocate(example.ranks, sizeof(int64_t));
    code = RunAll(&example, &arguments);
    free(example.sent_bytes);
  } else {
    --code;
  }
  MPI_Finalize();
  return code;
}
