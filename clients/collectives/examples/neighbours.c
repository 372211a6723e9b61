// The neighbour benchmark: rank i sends a message to each of the ranks i + 1, i + 2, ... i + degree
// (L. V. Kale, S. Kumar, A framework for collective personalized communication, 2003, section
// 4.1). By MPI also over a graph of neighbours, where ranks without a message do not
// appear at all.
#include <stdlib.h>
#include <string.h>

#include "example.h"

enum { kCalls = 20 };

static char Byte(int from, int to, int64_t at) { return (char)(17 * from + 31 * to + at); }

static MPI_Comm NeighbourGraph(const struct Example* example, int* sources, int* destinations) {
  const int p = example->ranks;
  const int degree = (int)example->degree;
  for (int k = 1; k <= degree; ++k) {
    destinations[k - 1] = (example->rank + k) % p;
    sources[k - 1] = (example->rank + p - k) % p;
  }
  // All alike. MPI_UNWEIGHTED of one MPI is an array of no integers, of which compilers complain.
  int* weights = Allocate(degree, sizeof(int));
  for (int i = 0; i < degree; ++i) weights[i] = 1;
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, sources, weights, degree, destinations,
                                 weights, MPI_INFO_NULL, 0, &graph);
  free(weights);
  return graph;
}

// The blocks of the graph's neighbours are those of their ranks, in another order.
static void ExchangeWithNeighbours(struct Example* example, const struct Blocks* out,
                                   struct Blocks* in) {
  const int degree = (int)example->degree;
  int* sources = Allocate(degree, sizeof(int));
  int* destinations = Allocate(degree, sizeof(int));
  MPI_Comm graph = NeighbourGraph(example, sources, destinations);
  struct Blocks graph_out = NewBlocks(degree);
  struct Blocks graph_in = NewBlocks(degree);
  for (int i = 0; i < degree; ++i) {
    graph_out.bytes[i] = out->bytes[destinations[i]];
    graph_out.offsets[i] = out->offsets[destinations[i]];
    graph_in.bytes[i] = in->bytes[sources[i]];
    graph_in.offsets[i] = in->offsets[sources[i]];
  }
  Enter(example, kExchange);
  for (int call = 0; call < kCalls; ++call) {
    MPI_Neighbor_alltoallv(out->data, graph_out.bytes, graph_out.offsets, MPI_BYTE, in->data,
                           graph_in.bytes, graph_in.offsets, MPI_BYTE, graph);
  }
  Enter(example, kOutside);
  example->exchanges = kCalls;
  for (int i = 0; i < example->ranks; ++i) {
    example->sent_bytes[i] = (int64_t)kCalls * out->bytes[i];
  }
  MPI_Comm_free(&graph);
  FreeBlocks(&graph_out);
  FreeBlocks(&graph_in);
  free(sources);
  free(destinations);
}

static bool Run(struct Example* example) {
  const int p = example->ranks;
  struct Blocks out = NewBlocks(p);
  struct Blocks in = NewBlocks(p);
  for (int k = 1; k <= example->degree; ++k) {
    out.bytes[(example->rank + k) % p] = (int)example->size;
    in.bytes[(example->rank + p - k) % p] = (int)example->size;
  }
  PlaceBlocks(&out);
  const int64_t received = PlaceBlocks(&in);
  for (int to = 0; to < p; ++to) {
    for (int at = 0; at < out.bytes[to]; ++at) {
      out.data[out.offsets[to] + at] = Byte(example->rank, to, at);
    }
  }
  if (strcmp(example->algorithm, "mpi-neighbor") == 0) {
    ExchangeWithNeighbours(example, &out, &in);
  } else {
    Enter(example, kExchange);
    for (int call = 0; call < kCalls; ++call) Exchange(example, &out, &in, MPI_COMM_WORLD);
    Enter(example, kOutside);
  }
  bool right = received == example->size * example->degree;
  for (int from = 0; from < p; ++from) {
    for (int at = 0; at < in.bytes[from]; ++at) {
      right &= in.data[in.offsets[from] + at] == Byte(from, example->rank, at);
    }
  }
  FreeBlocks(&out);
  FreeBlocks(&in);
  return right;
}

static const char* Refuse(const struct Example* example) {
  return example->size > 1 << 26 ? "--size: at most 64 MiB" : NULL;
}

const struct Program kProgram = {.name = "neighbours",
                                 .summary = "each rank sends to its next neighbours",
                                 .size_text = "bytes of a message",
                                 .usual_size = 76,
                                 .many = true,
                                 .more_ways = "mpi-neighbor",
                                 .refuse = Refuse,
                                 .run = Run};
