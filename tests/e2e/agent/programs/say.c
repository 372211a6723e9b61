// An MPI program that says its words, or its environment without any: launchers of MPICH now and
// then end in SIGPIPE if the started program is none.
#include <mpi.h>
#include <stdio.h>

extern char** environ;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 1; i < argc; ++i) printf("%s%s", argv[i], i + 1 < argc ? " " : "\n");
  for (char** entry = environ; argc == 1 && *entry != NULL; ++entry) puts(*entry);
  MPI_Finalize();
  return 0;
}
