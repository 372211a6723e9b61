/* Collective operations that choose their algorithm as they go: non-blocking personalised and
 * rooted communication on top of any MPI's point-to-point, and persistent many-to-many patterns
 * that learn.
 *
 * Libraries: libcoxcoll-openmpi.so, libcoxcoll-mpich.so; link the one of the MPI that the program
 * uses.
 *
 * Rules that hold for every function:
 * - A function that starts an operation is collective over its communicator (an intra-communicator)
 * and must be called by all ranks in the same order, like MPI's own. Messages travel on a private
 * duplicate of the communicator, made at its first use and freed with it: they never meet the
 * program's own messages.
 * - `algorithm` names the strategy as `cox strategies` does, with its knobs: "mesh2d",
 * "windowed?window=4". Without its knob windowed has no window: everything at once, as direct and
 * linear; and postal has latency 1: binomial. NULL: the library chooses, from identical inputs on
 * all ranks. All ranks must give the same name.
 * - Buffers belong to the operation from its start until its completion, as with MPI.
 * - Return value: MPI_SUCCESS or an MPI error class; cox_error() then says what was wrong, naming
 * the argument and the rule. Wrong arguments are found before anything is sent. What only shows on
 * the way, like a message that is larger than its room, is told by cox_test and cox_wait; MPICH
 * asks the error handler of MPI_COMM_WORLD about it, which ends the job unless the program has set
 * another one.
 * - Threads: calls on different communicators may run in different threads under
 * MPI_THREAD_MULTIPLE; below that from the threads that MPI itself allows. Operations proceed
 * inside cox_test and cox_wait of any request, and in the background after cox_progress_start.
 * - Sizes are int64_t bytes inside; counts are int as in MPI 3.
 */
#ifndef COX_COLL_H_
#define COX_COLL_H_

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default) /* the library is built with everything else hidden */
#endif

/* An operation under way. Completed by cox_wait, or by cox_test that says so; freed by either. */
typedef struct cox_request_* cox_request;
#define COX_REQUEST_NULL ((cox_request)0)

/* The two costs of an operation on this rank: from its start to its completion, and what of that
 * the processor spent in this library (its calls and its progress thread), both in seconds. */
typedef struct {
  double completion_s;
  double cpu_s;
} cox_cost;

/* The text of this thread's last error; "" if there was none. Valid until the thread's next call.
 */
const char* cox_error(void);

/* ---- Personalised ---- */

/* As MPI_Ialltoall. Algorithms: direct, windowed?window=W (at most W sends and W receives under
 * way; W >= 1), pairwise, bruck, mesh2d, grid3d, hypercube.
 * sendbuf may be MPI_IN_PLACE. Any number of ranks, any committed datatypes, zero counts.
 *
 * NULL: the cheapest of direct, bruck, mesh2d, grid3d and hypercube by alpha and beta, of equal
 * ones the first; above 4,096 ranks of direct and bruck. Alpha and beta are those of
 * COX_COLL_PROFILE, a file of lines `name value` (alpha_s, beta_s_per_byte, ...) that rank 0 reads
 * when it meets the communicator for the first time; without it, 1 us and 1 ns a byte. Where the
 * file says what was decided for as many ranks (`cox tune --library coxcoll`), that is taken
 * instead. A file that cannot be read is MPI_ERR_ARG, on all ranks. */
int cox_ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm,
                  cox_request* request);

/* As MPI_Ialltoallv; the same algorithms but bruck. direct, windowed and pairwise send nothing for
 * an empty block; the others send their combined messages even when empty, so that receivers can
 * count them.
 *
 * NULL: as for cox_ialltoall, but bruck, as if every rank had for all others alike what the rank
 * with most has. The ranks find that by one small non-blocking reduction at the start. */
int cox_ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm,
                   cox_request* request);

/* Bytes for a rank, or from one. */
typedef struct {
  int rank;
  int64_t bytes; /* >= 0 */
  const void* data;
} cox_message;

/* Many-to-many: sends `count` messages, to any ranks, this one included, several to one rank if
 * wished. Receivers need not know who sends to them. Algorithms: direct, mesh2d, grid3d, hypercube.
 * `messages` is copied; the data they point at must stay until completion.
 *
 * NULL: as for cox_ialltoallv, but by what the rank with most had in the last cox_imany on comm
 * that was left to choose, which its messages told to all ranks; only the first one makes a
 * reduction. So the choice is one call late where the sizes change. */
int cox_imany(const cox_message messages[], int count, MPI_Comm comm, const char* algorithm,
              cox_request* request);

/* As cox_wait, for the request of a cox_imany (or of cox_pattern_start): gives what came in,
 * ordered by sender and, of one sender, in its order. *received is an array of *count messages,
 * with their data, in one piece of memory that the caller frees with cox_free; it is never NULL on
 * success. `cost` may be NULL. */
int cox_wait_many(cox_request* request, cox_message** received, int* count, cox_cost* cost);

/* Frees what cox_wait_many has given, the array and all its data at once. NULL is nothing to free.
 * Any thread, also after MPI_Finalize; cannot fail. */
void cox_free(void* memory);

/* ---- Rooted ---- */

/* As MPI_Iscatter and MPI_Igather; the root's own buffer may be MPI_IN_PLACE. Algorithms: linear,
 * binomial, 2-lev-rec (needs a square number of ranks), 3-lev-sq (a fourth power), logp-lev-sq
 * (binomial by the name that C3 gives it; needs a power of two) - other numbers of ranks are
 * MPI_ERR_ARG -, and for gather windowed?window=W (W >= 1), where senders wait for their turn: at
 * most W send at a time, so that the buffer of a port in the way does not overflow; when the root
 * has all of a block it tells the next sender.
 *
 * NULL: the tree that is cheapest by alpha and beta; of gather, windowed if the profile states a
 * buffer (packet_bytes, buffer_packets, send_gap_s, receive_gap_s) that all senders at once would
 * overrun, with the window by the rule of Tam and Wang; before that, what the profile says was
 * decided. */
int cox_iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 const char* algorithm, cox_request* request);
int cox_igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                const char* algorithm, cox_request* request);

/* As MPI_Ibcast. Algorithms: binomial, postal?latency=L (the postal model's best tree, where a
 * message arrives L sending times after its start; L >= 1, 1 if it is not stated).
 *
 * NULL: postal with the latency that the profile gives: (alpha + bytes beta) over what keeps a
 * sender from its next message, the gap, (alpha_cpu + bytes beta_cpu) or (bytes beta), whichever is
 * longest; binomial where that comes to 1, or the profile has neither a gap nor a processor's part.
 */
int cox_ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
               const char* algorithm, cox_request* request);

/* ---- Completion ---- */

/* Lets operations proceed; *done tells whether this one is complete, and then it is freed and
 * *request is COX_REQUEST_NULL. `cost` may be NULL. A null request is complete. The request of a
 * many-to-many stays until cox_wait_many. */
int cox_test(cox_request* request, int* done, cox_cost* cost);

/* Until it is complete. What a many-to-many received is dropped. */
int cox_wait(cox_request* request, cox_cost* cost);

/* The algorithm that an operation runs, with its knobs; "" as long as the ranks have not agreed on
 * one. Valid as long as the request. */
const char* cox_request_algorithm(cox_request request);

/* Starts a thread that lets all operations of this process proceed, and ends it (by itself in
 * MPI_Finalize). Needs MPI_THREAD_MULTIPLE: MPI_ERR_OTHER without. It sleeps while there is nothing
 * to do. */
int cox_progress_start(void);
int cox_progress_stop(void);

/* ---- Persistent patterns ---- */

/* A many-to-many that is repeated. Its ranks record whom they send how much, and how long
 * iterations take. At some starts they tell rank 0, which prices direct, mesh2d, grid3d and
 * hypercube with the destinations that there are, takes the cheapest, and tells all:
 * - at the first start, 4 iterations after it and after every change; where nothing changes 8, 16
 *   and then every 32 iterations later. Such a start waits, within the operation, for all ranks to
 *   have started; its iteration's time does not count.
 * - The measured time of an algorithm (the slowest rank's median iteration since the last decision)
 *   takes the place of its price. Another algorithm has to be 5 % cheaper.
 * - Measured times are forgotten when the pattern is another one (an algorithm's price is off by a
 *   factor of 1.5), and those of the other algorithms when the present one's is off by a factor of
 *   2: then what was tried is tried again.
 * Of a rank with more than 64 messages rank 0 hears a summary: so many, as large in all, to 64 of
 * their destinations.
 *
 * cox_pattern_create waits for all ranks. The profile: the file that `cox profile show M --compact`
 * writes, `profile` or else COX_COLL_PROFILE; read by rank 0 alone; all ranks get MPI_ERR_ARG if it
 * cannot. NULL and no variable: alpha and beta are measured at the first start by ping-pongs
 * between the first rank and the last one. */
typedef struct cox_pattern_* cox_pattern;
int cox_pattern_create(MPI_Comm comm, const char* profile, cox_pattern* pattern);

/* The next iteration, as cox_imany; MPI_ERR_REQUEST while the former one of this pattern is not
 * complete. */
int cox_pattern_start(cox_pattern pattern, const cox_message messages[], int count,
                      cox_request* request);

/* What the pattern runs now ("" before the first decision; the text stays), how often that has
 * changed, and, as of the last decision, its price and its measured time (0: it was not measured
 * yet). The same on all ranks that have completed the same iteration. Pointers may be NULL. */
int cox_pattern_state(cox_pattern pattern, const char** algorithm, int* changes,
                      double* predicted_s, double* measured_s);
/* Not collective. What is under way completes all the same. */
int cox_pattern_free(cox_pattern* pattern);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* COX_COLL_H_ */
