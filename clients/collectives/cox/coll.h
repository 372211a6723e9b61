/* Collective operations that choose their algorithm at run time: non-blocking personalised and
 * rooted communication, and persistent many-to-many patterns that learn. They run on any MPI's
 * point-to-point messages.
 *
 * Libraries: libcoxcoll-openmpi.so and libcoxcoll-mpich.so. Link the one for the program's MPI.
 *
 * Rules for every function:
 * - A function that starts an operation is collective over its communicator, an
 *   intra-communicator: all ranks call it in the same order, as with MPI. Messages travel on a
 *   private communicator, made at the first use and freed with the program's one. They never meet
 *   the program's messages.
 * - `algorithm` is a name of `cox strategies` with its option: "mesh2d", "windowed?window=4".
 *   Without an option, windowed has no window (direct, linear), and postal has latency 1
 *   (binomial). All ranks must pass the same name. NULL: the library chooses, from identical inputs
 *   on all ranks.
 * - Buffers belong to the operation from its start until its completion, as with MPI.
 * - Functions return MPI_SUCCESS or an MPI error class; cox_error() then names the argument and
 *   the rule. They check arguments before they send anything. cox_test and cox_wait report later
 *   errors, such as a message that is larger than its buffer. For those MPICH calls the error
 *   handler of MPI_COMM_WORLD, which ends the job unless the program has set another one.
 * - Threads: under MPI_THREAD_MULTIPLE, calls on different communicators may run in different
 *   threads; at lower levels, in the threads that MPI allows. Operations proceed inside cox_test
 *   and cox_wait of any request, and in the background after cox_progress_start.
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

/* A running operation. cox_wait completes and frees it, and so does cox_test when it sets *done. */
typedef struct cox_request_* cox_request;
#define COX_REQUEST_NULL ((cox_request)0)

/* Costs of an operation on this rank, in seconds: from its start to its completion, and the
 * processor time that this library spent on it, in calls and in its progress thread. */
typedef struct {
  double completion_s;
  double cpu_s;
} cox_cost;

/* The text of this thread's last error; "" if there was none. Valid until the thread's next call.
 */
const char* cox_error(void);

/* ---- Personalised ---- */

/* As MPI_Ialltoall. Algorithms: direct, windowed?window=W (at most W sends and W receives at once;
 * W >= 1), pairwise, bruck, mesh2d, grid3d, hypercube. mesh2d?columns=C has C ranks in a row: with
 * the ranks per node, only one of its two phases leaves the nodes.
 * sendbuf may be MPI_IN_PLACE. Any number of ranks, any committed datatypes, zero counts.
 *
 * NULL: the algorithm that the profile decides for this number of ranks and this size. Without a
 * decision the cheapest by alpha and beta of direct, bruck, mesh2d, grid3d and hypercube, of equal
 * ones the first; above 4,096 ranks of direct and bruck only.
 *
 * COX_COLL_PROFILE names the profile, a file of lines: costs (`alpha_s VALUE`, `beta_s_per_byte
 * VALUE`, ...) and decisions (`cox tune --library coxcoll` writes them). Rank 0 reads it at the
 * first call on the communicator; if it cannot, all ranks return MPI_ERR_ARG. Without the variable
 * alpha is 1 us and beta 1 ns per byte. */
int cox_ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm,
                  cox_request* request);

/* As MPI_Ialltoallv, with the same algorithms except bruck. direct, windowed and pairwise send
 * nothing for an empty block; the others send even empty combined messages, so that receivers can
 * count them.
 *
 * NULL: the cheapest by alpha and beta, as if every rank had the largest load of any rank, spread
 * evenly over all others. The ranks find that load with one small non-blocking reduction. */
int cox_ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm,
                   cox_request* request);

/* Bytes to a rank, or from one. */
typedef struct {
  int rank;
  int64_t bytes; /* >= 0 */
  const void* data;
} cox_message;

/* Many-to-many: sends `count` messages to any ranks, including this one, and several to one rank if
 * wanted. Receivers need not know who sends to them. Algorithms: direct, mesh2d, grid3d, hypercube.
 * Copies `messages`; the data they point to must stay until completion.
 *
 * NULL: as for cox_ialltoallv, but with the largest load of the previous cox_imany with NULL on
 * comm, whose messages told it to all ranks. Only the first one makes a reduction. So the choice is
 * one call late when sizes change. */
int cox_imany(const cox_message messages[], int count, MPI_Comm comm, const char* algorithm,
              cox_request* request);

/* As cox_wait, for a request of cox_imany or cox_pattern_start. Returns the received messages,
 * ordered by sender and, of one sender, in its order. *received is an array of *count messages in
 * one piece of memory with their data, which the caller frees with cox_free; it is never NULL on
 * success. `cost` may be NULL. */
int cox_wait_many(cox_request* request, cox_message** received, int* count, cox_cost* cost);

/* Frees the array of cox_wait_many with all its data. Ignores NULL. Any thread, also after
 * MPI_Finalize; cannot fail. */
void cox_free(void* memory);

/* ---- Rooted ---- */

/* As MPI_Iscatter and MPI_Igather; the root's own buffer may be MPI_IN_PLACE. Algorithms: linear,
 * binomial, 2-lev-rec (a square number of ranks), 3-lev-sq (a fourth power), logp-lev-sq (a power
 * of two; C3's name for binomial); other numbers of ranks are MPI_ERR_ARG. Gather also takes
 * windowed?window=W (W >= 1): at most W ranks send at a time, so that the buffer of a port on the
 * way does not overflow. The root tells the next sender when a whole block has arrived.
 *
 * NULL: the decision of the profile. Without one, gather is windowed if the profile states a buffer
 * (packet_bytes, buffer_packets, send_gap_s, receive_gap_s) that all senders at once would overrun;
 * the window follows the rule of Tam and Wang. Else the cheapest tree by alpha and beta. */
int cox_iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 const char* algorithm, cox_request* request);
int cox_igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                const char* algorithm, cox_request* request);

/* As MPI_Ibcast. Algorithms: binomial, postal?latency=L (the best tree of the postal model if a
 * message arrives L sending times after its start; L >= 1, default 1).
 *
 * NULL: the decision of the profile. Without one, postal with the latency that the profile gives:
 * (alpha + bytes x beta) divided by the largest of the gap, (alpha_cpu + bytes x beta_cpu) and
 * bytes x beta. binomial if that is 1, or if the profile has neither a gap nor processor costs. */
int cox_ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
               const char* algorithm, cox_request* request);

/* ---- Completion ---- */

/* Makes operations proceed. If *done, this one is complete and freed, and *request is
 * COX_REQUEST_NULL. `cost` may be NULL. A null request is complete. The request of a many-to-many
 * stays until cox_wait_many. */
int cox_test(cox_request* request, int* done, cox_cost* cost);

/* Waits until the operation is complete. Drops what a many-to-many received. */
int cox_wait(cox_request* request, cox_cost* cost);

/* The algorithm of an operation, with its option; "" until the ranks have agreed on one. Valid as
 * long as the request. */
const char* cox_request_algorithm(cox_request request);

/* Starts or ends a thread that makes all operations of this process proceed; MPI_Finalize ends it,
 * too. Needs MPI_THREAD_MULTIPLE, else MPI_ERR_OTHER. It sleeps while no operation runs. */
int cox_progress_start(void);
int cox_progress_stop(void);

/* ---- Persistent patterns ---- */

/* A many-to-many that is repeated. Its ranks record whom they send how many bytes, and how long
 * iterations take. At some starts they report to rank 0, which prices direct, mesh2d, grid3d and
 * hypercube for the actual destinations, chooses the cheapest, and tells all ranks.
 * - Decisions come at the first start, and 4 iterations after it and after every change. Without
 *   a change the next ones come 8, 16 and then every 32 iterations later. A start with a decision
 *   waits, inside the operation, until all ranks have started; its time does not count.
 * - The measured time of an algorithm (the slowest rank's median iteration since the last
 *   decision) replaces its price. A switch needs a gain of 5 %.
 * - A changed pattern (an algorithm's price differs by a factor of 1.5) discards all measured
 *   times. A changed time of the present algorithm (by a factor of 2) discards those of the
 *   others, which are then tried again.
 *
 * A rank with more than 64 messages reports a summary: 64 of its destinations, scaled to the same
 * number of messages and of bytes.
 *
 * cox_pattern_create waits for all ranks. Rank 0 alone reads the profile: the file `profile`, or
 * else that in COX_COLL_PROFILE, as `cox profile show M --compact` writes it. If it cannot, all
 * ranks return MPI_ERR_ARG. Without a profile, ping-pongs between the first and the last rank
 * measure alpha and beta at the first start. */
typedef struct cox_pattern_* cox_pattern;
int cox_pattern_create(MPI_Comm comm, const char* profile, cox_pattern* pattern);

/* Starts the next iteration, as cox_imany; MPI_ERR_REQUEST while the previous one of this pattern
 * is not complete. */
int cox_pattern_start(cox_pattern pattern, const cox_message messages[], int count,
                      cox_request* request);

/* The algorithm that the pattern runs now ("" before the first decision; static storage), how often
 * it has changed, and, as of the last decision, its price and its measured time (0: not measured
 * yet). The same on all ranks that have completed the same iteration. Pointers may be NULL. */
int cox_pattern_state(cox_pattern pattern, const char** algorithm, int* changes,
                      double* predicted_s, double* measured_s);
/* Not collective. A running iteration still completes. */
int cox_pattern_free(cox_pattern* pattern);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* COX_COLL_H_ */
