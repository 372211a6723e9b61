/* Programs whose ranks are not all in one MPI_COMM_WORLD. Prints sums, on one rank each.
 *
 * usage:
 *   worlds session            a session alone, without MPI_Init
 *   worlds beside             a session beside MPI_Init
 *   worlds spawn COMMAND...   two more processes of COMMAND, which must run `worlds child`
 *   worlds child */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kOften = 150, kChildren = 2 };

/* Calls of `bytes` bytes, to be found in the reports. */
static void use(MPI_Comm comm, const char* name, int bytes) {
  int ranks = 0, me = 0, wrong = 0, all_wrong = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &me);
  for (int i = 0; i < kOften; ++i) {
    unsigned char data[64];
    memset(data, me == i % ranks ? i : 255, sizeof(data));
    MPI_Bcast(data, bytes, MPI_UNSIGNED_CHAR, i % ranks, comm);
    wrong += data[bytes - 1] != i;
  }
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, comm);
  if (me == 0) printf("%s: %d ranks, %d wrong\n", name, ranks, all_wrong);
  fflush(stdout);
}

#if MPI_VERSION >= 4
static void session(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "worlds", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  use(comm, "session", 20);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}
#else
static void session(void) { printf("no sessions\n"); }
#endif

/* Parents and children, side by side and in one communicator. */
static void together(MPI_Comm inter, int is_child) {
  MPI_Comm merged;
  int one = 1, others = 0;
  MPI_Allreduce(&one, &others, 1, MPI_INT, MPI_SUM, inter);
  MPI_Intercomm_merge(inter, is_child, &merged);
  use(merged, "together", 28);
  MPI_Comm_free(&merged);
  MPI_Comm_disconnect(&inter);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "session") == 0) {
    session();
    return 0;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm inter = MPI_COMM_NULL;
  if (strcmp(what, "beside") == 0) {
    use(MPI_COMM_WORLD, "world", 24);
    session();
    use(MPI_COMM_WORLD, "world again", 24);
  } else if (strcmp(what, "spawn") == 0 && argc > 2) {
    MPI_Comm_spawn(argv[2], argv + 3, kChildren, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                   MPI_ERRCODES_IGNORE);
    use(MPI_COMM_WORLD, "parents", 24);
    together(inter, 0);
  } else {
    MPI_Comm_get_parent(&inter);
    use(MPI_COMM_WORLD, "children", 36);
    together(inter, 1);
  }
  MPI_Finalize();
  return 0;
}
