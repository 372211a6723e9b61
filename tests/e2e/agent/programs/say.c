// An MPI program whose ranks say their words or, without any, the variables that hooks set:
// launchers of MPICH now and then end in SIGPIPE if the started program is none.
//
// Rank 0 prints what all ranks say: launchers mix the lines of ranks.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
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
  char* text = NULL;
  size_t length = 0;
  FILE* said = open_memstream(&text, &length);
  for (int i = 1; i < argc; ++i) fprintf(said, "%s%s", argv[i], i + 1 < argc ? " " : "\n");
  for (char** entry = environ; argc == 1 && *entry != NULL; ++entry) {
    if (IsOfHooks(*entry)) fprintf(said, "%s\n", *entry);
  }
  fclose(said);

  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank != 0) MPI_Send(text, (int)length, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  if (rank == 0) fputs(text, stdout);
  for (int from = 1; rank == 0 && from < ranks; ++from) {
    MPI_Status status;
    int count;
    MPI_Probe(from, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &count);
    text = realloc(text, (size_t)count);
    MPI_Recv(text, count, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fwrite(text, 1, (size_t)count, stdout);
  }
  free(text);
  MPI_Finalize();
  return 0;
}
