// What the examples share: their command line, their clock, their exchange of blocks. Each example
// is a program of supersteps: local work, then communication, a barrier between, so that nobody's
// work counts as somebody else's communication on a computer with more ranks than processors.
//
// All functions but Allocate and Random are collective over the job. What cannot go on ends the
// job.
#ifndef COX_COLLECTIVES_EXAMPLES_EXAMPLE_H_
#define COX_COLLECTIVES_EXAMPLES_EXAMPLE_H_

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What the clock runs for. Exchanges are communication, too.
enum Section { kOutside, kWork, kCommunication, kExchange, kSections };

struct Example {
  int rank;
  int ranks;
  int64_t size;           // what it counts, the program says
  int64_t degree;         // destinations of a rank; 1 .. ranks
  const char* variant;    // one of the program's; "" where it has none
  const char* algorithm;  // one of ExchangeWays, or of the program's own

  // Filled while running.
  enum Section section;
  double entered_s;
  double spent_s[kSections];
  int64_t exchanges;
  int64_t* sent_bytes;  // by destination, in all exchanges of the job; `ranks` of them
};

struct Program {
  const char* name;
  const char* summary;
  const char* size_text;  // what --size counts
  int64_t usual_size;
  const char* variants;   // comma-separated, the usual one first; NULL: none
  bool many;              // few of the blocks have bytes: many-to-many, not all-to-all
  const char* more_ways;  // algorithms besides those of Exchange, comma-separated; NULL: none
  // Why these ranks and this size cannot be; NULL: they can.
  const char* (*refuse)(const struct Example* example);
  // One run from the same input each time. Whether all that this rank could check was right.
  bool (*run)(struct Example* example);
};

// Each example defines its own.
extern const struct Program kProgram;

// Ends the section that the ranks are in and begins another one, all together.
void Enter(struct Example* example, enum Section section);

// Bytes for each rank of a communicator, or from each, one after the other.
struct Blocks {
  int ranks;
  int* bytes;
  int* offsets;
  char* data;
};

// `ranks` blocks without bytes and without data.
struct Blocks NewBlocks(int ranks);
// Gives each block its place, after its bytes are known, and all of them memory. The bytes of all.
int64_t PlaceBlocks(struct Blocks* blocks);
void FreeBlocks(struct Blocks* blocks);

// The algorithms that Exchange knows: MPI's own call, libcoxcoll's choice, and by name, with knobs
// behind a '?'. Comma-separated.
const char* ExchangeWays(void);

// Every rank of `comm` sends out's blocks and receives in's, whose bytes it knows, by
// example->algorithm. Counts as an exchange of the job where `comm` is all of it.
void Exchange(struct Example* example, const struct Blocks* out, struct Blocks* in, MPI_Comm comm);

// Ends the job.
void Fail(const char* what);

// Zeroed; never NULL.
void* Allocate(int64_t count, int64_t element_bytes);

// Where part `part` of `parts` begins, when `whole` is dealt as evenly as can be.
int64_t PartBegin(int64_t whole, int64_t parts, int64_t part);

// A well mixed number for each argument.
uint64_t Random(uint64_t index);

// The d with 2^d = number, or -1.
int WholeLog2(int64_t number);
// The q with q^power = number, or 0.
int WholeRoot(int64_t number, int power);

#endif  // COX_COLLECTIVES_EXAMPLES_EXAMPLE_H_
