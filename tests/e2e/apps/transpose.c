// A 3-D transform of a grid n x n x depth, cut into slabs along its first axis: transforms the two
// local axes, transposes (alltoall), transforms the third axis, and returns. Number-theoretic
// instead of Fourier: the same structure, but exact.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "coxapp.h"
#include "modular.h"

struct Grid {
  int64_t n;  // first two axes, a power of two
  int64_t
      planes;  // of a slab: n over ranks, rounded up; the last slabs may be partly or all padding
  int64_t depth;  // third axis, a power of two
};

static int64_t BlockElements(const struct Grid* grid) {
  return grid->planes * grid->planes * grid->depth;
}

// The grid with the largest block of at most `elements`; of those, the closest to a cube.
static struct Grid FitGrid(int64_t ranks, int64_t elements) {
  struct Grid best = {1, 1, 1};
  for (int64_t n = 1; n <= 1024; n *= 2) {
    struct Grid grid = {n, (n + ranks - 1) / ranks, 1};
    if (BlockElements(&grid) > elements) break;
    while (2 * BlockElements(&grid) <= elements) grid.depth *= 2;
    const bool larger = BlockElements(&grid) > BlockElements(&best);
    const bool more_cubic = BlockElements(&grid) == BlockElements(&best) && grid.n <= grid.depth;
    if (larger || more_cubic) best = grid;
  }
  return best;
}

// Transforms `length` elements in place, `stride` apart; `length` is a power of two. The inverse
// omits the division by `length`.
static void TransformLine(int64_t* line, int64_t length, int64_t stride, bool inverse) {
  for (int64_t i = 1, j = 0; i < length; ++i) {
    int64_t bit = length / 2;
    for (; j & bit; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) {
      const int64_t swapped = line[i * stride];
      line[i * stride] = line[j * stride];
      line[j * stride] = swapped;
    }
  }
  for (int64_t half = 1; half < length; half *= 2) {
    const int64_t order = (kPrime - 1) / (2 * half);
    const int64_t root = Power(kGenerator, inverse ? kPrime - 1 - order : order);
    int64_t twiddle = 1;
    for (int64_t k = 0; k < half; ++k, twiddle = Multiply(twiddle, root)) {
      for (int64_t start = k; start < length; start += 2 * half) {
        int64_t* low = line + start * stride;
        int64_t* high = low + half * stride;
        const int64_t product = Multiply(*high, twiddle);
        *high = Subtract(*low, product);
        *low = Add(*low, product);
      }
    }
  }
}

// All lines along the second axis (`axis` 1) or the third (2) of a slab.
static void TransformSlab(int64_t* slab, const struct Grid* grid, int axis, bool inverse) {
  for (int64_t plane = 0; plane < grid->planes; ++plane) {
    int64_t* at = slab + plane * grid->n * grid->depth;
    if (axis == 1) {
      for (int64_t k = 0; k < grid->depth; ++k)
        TransformLine(at + k, grid->n, grid->depth, inverse);
    } else {
      for (int64_t j = 0; j < grid->n; ++j) {
        TransformLine(at + j * grid->depth, grid->depth, 1, inverse);
      }
    }
  }
}

struct Exchange {
  int64_t* out;
  int64_t* in;
};

// Exchanges the first two axes of the grid: slab[i][j][k] becomes slab[j][i][k].
static void TransposeSlab(const struct Job* job, const struct Grid* grid,
                          const struct Exchange* exchange, int64_t* slab) {
  const int64_t block = BlockElements(grid);
  const size_t line_bytes = (size_t)grid->depth * sizeof(int64_t);
  for (int64_t j = 0; j < grid->n; ++j) {
    int64_t* to = exchange->out + j / grid->planes * block + j % grid->planes * grid->depth;
    for (int64_t i = 0; i < grid->planes; ++i) {
      memcpy(to + i * grid->planes * grid->depth, slab + (i * grid->n + j) * grid->depth,
             line_bytes);
    }
  }
  Enter(job);
  MPI_Alltoall(exchange->out, (int)block, MPI_INT64_T, exchange->in, (int)block, MPI_INT64_T,
               MPI_COMM_WORLD);
  for (int64_t i = 0; i < grid->n; ++i) {
    const int64_t* from =
        exchange->in + i / grid->planes * block + i % grid->planes * grid->planes * grid->depth;
    for (int64_t j = 0; j < grid->planes; ++j) {
      memcpy(slab + (j * grid->n + i) * grid->depth, from + j * grid->depth, line_bytes);
    }
  }
}

// This element becomes the sum of all elements.
static bool SumIsRight(const struct Job* job, const struct Grid* grid, const int64_t* slab) {
  if (job->rank != 0) return true;
  int64_t sum = 0;
  for (int64_t i = 0; i < grid->n * grid->n * grid->depth; ++i) sum = Add(sum, Noise(i));
  return slab[0] == sum;
}

struct Outcome Transpose(const struct Job* job, int64_t block_bytes, int64_t calls) {
  const struct Grid grid = FitGrid(job->ranks, block_bytes / (int64_t)sizeof(int64_t));
  const int64_t slab_elements = grid.planes * grid.n * grid.depth;
  const int64_t exchanged = job->ranks * BlockElements(&grid);
  const struct Exchange exchange = {Allocate(exchanged, sizeof(int64_t)),
                                    Allocate(exchanged, sizeof(int64_t))};
  int64_t* first = Allocate(slab_elements, sizeof(int64_t));
  int64_t* slab = Allocate(slab_elements, sizeof(int64_t));
  const int64_t offset = job->rank * slab_elements;
  const int64_t own = grid.n * grid.n * grid.depth - offset;  // the rest is padding
  for (int64_t i = 0; i < slab_elements && i < own; ++i) first[i] = Noise(offset + i);
  memcpy(slab, first, (size_t)slab_elements * sizeof(int64_t));

  struct Outcome outcome = {BlockElements(&grid) * (int64_t)sizeof(int64_t), 0, 0, true};
  const int64_t scale = Power(grid.n * grid.n * grid.depth % kPrime, kPrime - 2);
  do {
    TransformSlab(slab, &grid, 2, false);
    TransformSlab(slab, &grid, 1, false);
    TransposeSlab(job, &grid, &exchange, slab);
    TransformSlab(slab, &grid, 1, false);
    if (outcome.calls == 0) {
      outcome.right = SumIsRight(job, &grid, slab);
      for (int64_t i = 0; i < slab_elements; ++i) {
        outcome.checksum = Add(outcome.checksum, Multiply(slab[i], Noise(offset + i)));
      }
    }
    TransformSlab(slab, &grid, 1, true);
    TransposeSlab(job, &grid, &exchange, slab);
    TransformSlab(slab, &grid, 1, true);
    TransformSlab(slab, &grid, 2, true);
    for (int64_t i = 0; i < slab_elements; ++i) slab[i] = Multiply(slab[i], scale);
    outcome.right &= memcmp(slab, first, (size_t)slab_elements * sizeof(int64_t)) == 0;
    outcome.calls += 2;
  } while (outcome.calls < calls);
  free(exchange.out);
  free(exchange.in);
  free(first);
  free(slab);
  return outcome;
}
