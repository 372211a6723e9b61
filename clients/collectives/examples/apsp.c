// All pairs shortest paths by Floyd's algorithm on a square of ranks; each rank has a block of the
// distances. Variant rows sends one vertex's row and column to all at a time; blocks sends a block
// of vertices with the paths inside it. The data are scattered and gathered, or go down a binomial
// tree (-tree). (B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel
// computation models, 1998, section 4.4, APSP 1 and APSP 2.)
#include <stdlib.h>
#include <string.h>

#include "example.h"
#include "superstep.h"

enum { kNoEdge = 1 << 28, kCheckedRows = 4 };

static int32_t Length(int64_t n, int64_t from, int64_t to) {
  if (from == to) return 0;
  const uint64_t random = Random((uint64_t)(from * n + to));
  return random % 8 < 3 ? (int32_t)(random >> 40 & 1023) + 1 : kNoEdge;
}

struct Square {
  int64_t n, block;       // vertices in all, and of a rank's block of distances
  int side, row, column;  // of ranks
  MPI_Comm in_row, in_column;
  bool tree;
};

// Sends `count` distances from rank `root` of a row or column of ranks to all ranks of it.
static void Broadcast(const struct Square* square, int32_t* distances, int64_t count, int root,
                      MPI_Comm comm) {
  const int64_t bytes = count * (int64_t)sizeof *distances;
  if (square->tree) {
    SendDownTree(distances, bytes, root, comm);
    return;
  }
  DealParts(distances, bytes / square->side, root, comm);
  ShareParts(distances, bytes / square->side, NULL, comm);
}

// to[i][j] = min(to[i][j], from[i][k] + onward[k][j]) for all i, j < rows, k < middles.
static void Shorten(const int32_t* from, int64_t from_stride, const int32_t* onward, int64_t rows,
                    int64_t middles, int32_t* to) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = 0; k < middles; ++k) {
      const int32_t first = from[i * from_stride + k];
      const int32_t* second = onward + k * rows;
      for (int64_t j = 0; j < rows; ++j) {
        const int32_t both = first + second[j];
        if (both < to[i * rows + j]) to[i * rows + j] = both;
      }
    }
  }
}

static void RunRows(struct Example* example, const struct Square* square, int32_t* distances) {
  const int64_t b = square->block;
  int32_t* row = Allocate(b, sizeof *row);
  int32_t* column = Allocate(b, sizeof *column);
  for (int64_t vertex = 0; vertex < square->n; ++vertex) {
    const int owner = (int)(vertex / b);
    const int64_t at = vertex % b;
    if (square->row == owner) memcpy(row, distances + at * b, (size_t)b * sizeof *row);
    for (int64_t i = 0; square->column == owner && i < b; ++i) column[i] = distances[i * b + at];
    Enter(example, kCommunication);
    Broadcast(square, column, b, owner, square->in_row);
    Broadcast(square, row, b, owner, square->in_column);
    Enter(example, kWork);
    Shorten(column, 1, row, b, 1, distances);
  }
  free(row);
  free(column);
}

static void RunBlocks(struct Example* example, const struct Square* square, int32_t* distances) {
  const int64_t b = square->block;
  const size_t bytes = (size_t)(b * b) * sizeof *distances;
  int32_t* inner = Allocate(b * b, sizeof *inner);
  int32_t* column = Allocate(b * b, sizeof *column);
  int32_t* row = Allocate(b * b, sizeof *row);
  for (int k = 0; k < square->side; ++k) {
    if (square->row == k && square->column == k) {
      for (int64_t vertex = 0; vertex < b; ++vertex) {
        memcpy(row, distances + vertex * b, (size_t)b * sizeof *row);
        Shorten(distances + vertex, b, row, b, 1, distances);
      }
      memcpy(inner, distances, bytes);
    }
    Enter(example, kCommunication);
    if (square->row == k) Broadcast(square, inner, b * b, k, square->in_row);
    Enter(example, kWork);
    if (square->row == k) {  // on from vertices of the block, by ways inside of it
      memcpy(row, distances, bytes);
      Shorten(inner, b, distances, b, b, row);
    }
    if (square->column == k) memcpy(column, distances, bytes);
    Enter(example, kCommunication);
    Broadcast(square, row, b * b, k, square->in_column);
    Broadcast(square, column, b * b, k, square->in_row);
    Enter(example, kWork);
    Shorten(column, b, row, b, b, distances);
  }
  free(inner);
  free(column);
  free(row);
}

// Dijkstra's algorithm from one vertex: an independent way to the same distances.
static void ShortestFrom(int64_t n, int64_t source, int32_t* shortest) {
  bool* done = Allocate(n, sizeof *done);
  for (int64_t v = 0; v < n; ++v) shortest[v] = v == source ? 0 : kNoEdge;
  for (int64_t round = 0; round < n; ++round) {
    int64_t nearest = -1;
    for (int64_t v = 0; v < n; ++v) {
      if (!done[v] && (nearest < 0 || shortest[v] < shortest[nearest])) nearest = v;
    }
    done[nearest] = true;
    for (int64_t v = 0; v < n; ++v) {
      const int32_t by = shortest[nearest] + Length(n, nearest, v);
      if (by < shortest[v]) shortest[v] = by;
    }
  }
  free(done);
}

static bool IsRight(const struct Square* square, const int32_t* distances) {
  const int64_t b = square->block;
  int32_t* shortest = Allocate(square->n, sizeof *shortest);
  bool right = true;
  for (int64_t row = 0; row<b; row += b> kCheckedRows ? b / kCheckedRows : 1) {
    ShortestFrom(square->n, square->row * b + row, shortest);
    for (int64_t column = 0; column < b; ++column) {
      right &= distances[row * b + column] == shortest[square->column * b + column];
    }
  }
  free(shortest);
  return right;
}

static bool Run(struct Example* example) {
  const int side = WholeRoot(example->ranks, 2);
  struct Square square = {.n = example->size,
                          .block = example->size / side,
                          .side = side,
                          .row = example->rank / side,
                          .column = example->rank % side};
  square.tree = strstr(example->variant, "-tree") != NULL;
  MPI_Comm_split(MPI_COMM_WORLD, square.row, square.column, &square.in_row);
  MPI_Comm_split(MPI_COMM_WORLD, square.column, square.row, &square.in_column);
  const int64_t b = square.block;
  int32_t* distances = Allocate(b * b, sizeof *distances);
  for (int64_t i = 0; i < b * b; ++i) {
    distances[i] = Length(square.n, square.row * b + i / b, square.column * b + i % b);
  }
  Enter(example, kWork);
  if (strncmp(example->variant, "rows", 4) == 0) {
    RunRows(example, &square, distances);
  } else {
    RunBlocks(example, &square, distances);
  }
  Enter(example, kOutside);
  const bool right = IsRight(&square, distances);
  free(distances);
  MPI_Comm_free(&square.in_row);
  MPI_Comm_free(&square.in_column);
  return right;
}

static const char* Refuse(const struct Example* example) {
  if (WholeRoot(example->ranks, 2) == 0) return "needs a square of ranks: 1, 4, 9, ...";
  if (example->size % example->ranks != 0) return "--size: needs a multiple of the ranks";
  return example->size > 4096 ? "--size: at most 4096" : NULL;
}

const struct Program kProgram = {.name = "apsp",
                                 .summary = "shortest paths between all vertices of a graph",
                                 .size_text = "vertices",
                                 .usual_size = 64,
                                 .variants = "rows,rows-tree,blocks,blocks-tree",
                                 .refuse = Refuse,
                                 .run = Run};
