// An MPI program that says its words or, without any, the variables that hooks set: launchers of
// MPICH now and then end in SIGPIPE if the started program is none.
//
// They fit one buffer, so that launchers do not mix the lines of ranks.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

extern char** environ;

static int IsOfHooks(const char* entry) {
  static const char* const kPrefixes[] = {"COX_", "OMPI_MCA_coll_tuned", "MPIR_CVAR",
                                          "LD_PRELOAD="};
  for (size_t i = 0; i < sizeof kPrefixes / sizeof *kPrefixes; ++i) {
    if (strncmp(entry, kPrefixes[i], strlen(kPrefixes[i])) == 0) return 1;
  }
  return 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 1; i < argc; ++i) printf("%s%s", argv[i], i + 1 < argc ? " " : "\n");
  for (char** entry = environ; argc == 1 && *entry != NULL; ++entry) {
    if (IsOfHooks(*entry)) puts(*entry);
  }
  MPI_Finalize();
  return 0;
}
