/* Attributes and communicators from birth to end: callbacks of attributes that count, refuse,
 * communicate, and run in MPI_Finalize; communicators of every origin, used often enough to be
 * steered. Rank 0 prints a line per part, summed over the ranks.
 *
 * usage: lifetimes */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kOften = 150 };

static int rank, size;
static int copied, deleted, refusals, sums_wrong;

static void say(const char* part, int first, int second) {
  int own[3] = {first, second, sums_wrong}, all[3] = {0, 0, 0};
  MPI_Reduce(own, all, 3, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s: %d %d, %d wrong\n", part, all[0], all[1], all[2]);
  fflush(stdout);
}

/* Calls of several kinds and sizes, whose results each rank checks. */
static void use(MPI_Comm comm, int calls) {
  int ranks = 0, me = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &me);
  for (int i = 0; i < calls; ++i) {
    int in[8], out[8];
    for (int k = 0; k < 8; ++k) in[k] = me + k;
    MPI_Allreduce(in, out, 8, MPI_INT, MPI_SUM, comm);
    sums_wrong += out[7] != ranks * (ranks - 1) / 2 + 7 * ranks;
    int word = me == i % ranks ? i : -1;
    MPI_Bcast(&word, 1, MPI_INT, i % ranks, comm);
    sums_wrong += word != i;
  }
}

static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  ++copied;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

static int forget(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}

static int refuse(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  return refusals-- > 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* The communicator is still whole while its attributes are deleted. */
static int communicate(MPI_Comm comm, int key, void* value, void* extra) {
  (void)key, (void)value, (void)extra;
  use(comm, 3);
  return MPI_SUCCESS;
}

static int at_the_end(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  use(MPI_COMM_WORLD, 3);
  if (rank == 0) printf("end of %s\n", (const char*)value);
  fflush(stdout);
  return MPI_SUCCESS;
}

static int key_of(MPI_Comm_delete_attr_function* on_delete) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(copy, on_delete, &key, NULL);
  return key;
}

static void copies_and_deletions(void) {
  int key = key_of(forget), value = 1;
  MPI_Comm first, second, third, fourth;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_set_attr(first, key, &value);
  use(first, kOften);
  MPI_Comm_dup(first, &second);
  use(second, kOften);
  MPI_Comm_idup(second, &third, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_split(third, 0, -rank, &fourth);
  use(third, kOften);
  use(fourth, kOften);
  say("copied, deleted", copied, deleted);
  int found = 0, found_in_split = 0;
  void* got = NULL;
  MPI_Comm_get_attr(third, key, &got, &found);
  found = found && got == &value;
  MPI_Comm_get_attr(fourth, key, &got, &found_in_split);
  say("attribute of a duplicate, of a part", found, found_in_split);
  MPI_Comm_delete_attr(first, key);
  MPI_Comm_free_keyval(&key);
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
  use(third, 3);
  MPI_Comm_free(&third);
  MPI_Comm_disconnect(&fourth);
  say("deleted, key is gone", deleted, key == MPI_KEYVAL_INVALID);
}

/* A communicator whose attribute refuses lives on, and is freed the second time. */
static void refused_deletion(void) {
  int key = key_of(refuse), class = MPI_SUCCESS;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  /* The attribute is older than the agent's own, which the first call sets, and then younger. MPICH
   * reports what the oldest attribute says. */
#ifdef OPEN_MPI
  enum { kWays = 2 };
#else
  enum { kWays = 1 };
#endif
  for (int i = 0; i < kWays; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (i == 0) MPI_Comm_set_attr(comm, key, &key);
    use(comm, kOften);
    if (i == 1) MPI_Comm_set_attr(comm, key, &key);
    refusals = 1;
    MPI_Error_class(MPI_Comm_free(&comm), &class);
    say("refused, is freed", class != MPI_SUCCESS, comm == MPI_COMM_NULL);
    use(comm, kOften);
    MPI_Error_class(MPI_Comm_free(&comm), &class);
    say("freed at last", class == MPI_SUCCESS, comm == MPI_COMM_NULL);
  }
  MPI_Comm_free_keyval(&key);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void communicating_deletion(void) {
  int key = key_of(communicate);
  for (int i = 0; i < 3; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (i != 1) MPI_Comm_set_attr(comm, key, &key);
    use(comm, i == 0 ? 0 : kOften);
    if (i == 1) MPI_Comm_set_attr(comm, key, &key);
    MPI_Comm_free(&comm);
  }
  MPI_Comm_free_keyval(&key);
  say("communicated while freed", 0, 0);
}

static void origins(void) {
  MPI_Comm half, inter, merged, shared, grouped, reversed;
  MPI_Group group;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter);
  MPI_Intercomm_merge(inter, rank % 2, &merged);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_create_group(MPI_COMM_WORLD, group, 9, &grouped);
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reversed);
  MPI_Comm all[] = {half, merged, shared, grouped, reversed};
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 5; ++i) use(all[i], kOften / 2);
  }
  int compared = 0, same = 0;
  MPI_Comm_compare(MPI_COMM_WORLD, grouped, &compared);
  MPI_Comm_compare(MPI_COMM_WORLD, reversed, &same);
  say("compared", compared == MPI_CONGRUENT, same == MPI_SIMILAR);
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  MPI_Comm_set_name(merged, "merged");
  use(merged, 3);
  MPI_Comm_get_name(merged, name, &length);
  say("name", strcmp(name, "merged") == 0, length);
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  say("name of all", strcmp(name, "MPI_COMM_WORLD") == 0, length);
  MPI_Group_free(&group);
  MPI_Comm_free(&inter);
  for (int i = 0; i < 5; ++i) MPI_Comm_free(&all[i]);
}

/* Non-blocking collectives under way, on the communicator of the blocking ones. */
static void in_between(void) {
  for (int i = 0; i < kOften; ++i) {
    int one = 1, sum = 0;
    MPI_Request request;
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    use(MPI_COMM_WORLD, 1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sums_wrong += sum != size;
  }
  say("in between", 0, 0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  static char first[] = "the first attribute", second[] = "the second attribute";
  int key = key_of(at_the_end), another = key_of(at_the_end);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, first);
  MPI_Comm_set_attr(MPI_COMM_SELF, another, second);
  copies_and_deletions();
  refused_deletion();
  communicating_deletion();
  origins();
  in_between();
  MPI_Comm_free_keyval(&key);
  MPI_Comm_free_keyval(&another);
  MPI_Finalize();
  return sums_wrong == 0 ? 0 : 3;
}
