// Shared code of the examples: their command line, their clock, their exchange of blocks. Each
// example is a program of supersteps: local work, then communication, with a barrier between. So a
// rank's work never counts as another rank's communication, even with more ranks than processors.
//
// All functions except Allocate and Random are collective over the job. Errors end the job.
#ifndef COX_COLLECTIVES_EXAMPLES_EXAMPLE_H_
#define COX_COLLECTIVES_EXAMPLES_EXAMPLE_H_

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The section of the program that the clock runs for. Exchanges are also communication.
enum Section { kOutside, kWork, kCommunication, kExchange, kSections };

struct Example {
  int rank;
  int ranks;
  int64_t size;           // the program says of what
  int64_t degree;         // destinations of a rank; 1 .. ranks
  const char* variant;    // one of the program's; "" if it has none
  const char* algorithm;  // one of ExchangeWays, or of the program's own

  // Filled while running.
  enum Section section;
  double entered_s;
  double spent_s[kSections];
  int64_t exchanges;
  int64_t* sent_bytes;  // by destination, in all exchanges of the job; `ranks` elements
};

struct Program {
  const char* name;
  const char* summary;
  const char* size_text;  // what --size counts
  int64_t usual_size;
  const char* variants;   // comma-separated, the default first; NULL: none
  bool many;              // most blocks are empty: many-to-many instead of all-to-all
  const char* more_ways;  // algorithms besides those of Exchange, comma-separated; NULL: none
  // NULL, or why the program cannot run with these ranks and this size.
  const char* (*refuse)(const struct Example* example);
  // Runs once, from the same input each time. Returns whether everything that this rank could check
  // was right.
  bool (*run)(struct Example* example);
};

// Each example defines its own.
extern const struct Program kProgram;

// Ends the current section and begins another one, on all ranks together.
void Enter(struct Example* example, enum Section section);

// Bytes for, or from, each rank of a communicator, one after the other.
struct Blocks {
  int ranks;
  int* bytes;
  int* offsets;
  char* data;
};

// `ranks` empty blocks without data.
struct Blocks NewBlocks(int ranks);
// Gives each block its place after its bytes are known, and allocates them. Returns the bytes of
// all.
int64_t PlaceBlocks(struct Blocks* blocks);
void FreeBlocks(struct Blocks* blocks);

// The algorithms of Exchange, comma-separated: MPI's own call, libcoxcoll's choice, and
// libcoxcoll's by name, with options after a '?'.
const char* ExchangeWays(void);

// Each rank of `comm` sends out's blocks and receives in's, whose bytes it knows, with
// example->algorithm. Counts as an exchange of the job if `comm` contains all its ranks.
void Exchange(struct Example* example, const struct Blocks* out, struct Blocks* in, MPI_Comm comm);

// Prints why and ends the job.
void Fail(const char* what);

// Zeroed memory; never NULL.
void* Allocate(int64_t count, int64_t element_bytes);

// The first element of part `part` of `parts`, if `whole` is dealt as evenly as possible.
int64_t PartBegin(int64_t whole, int64_t parts, int64_t part);

// A well mixed number for each argument.
uint64_t Random(uint64_t index);

// The d with 2^d = number, or -1.
int WholeLog2(int64_t number);
// The q with q^power = number, or 0.
int WholeRoot(int64_t number, int power);

#endif  // COX_COLLECTIVES_EXAMPLES_EXAMPLE_H_
