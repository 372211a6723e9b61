// Product of two n x n matrices on a cube of ranks, p = q^3: rank (i, j, k) gathers the blocks A_ij
// and B_jk from the q ranks that have parts of them, multiplies, and sends each part of its share
// of C_ik to the rank that adds it up (B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative
// comparison of parallel computation models, 1998, section 4.1).
#include <stdlib.h>
#include <string.h>

#include "example.h"
#include "superstep.h"

// Small integers: all sums are exact.
static double A(int64_t row, int64_t column) { return (double)((3 * row + 5 * column) % 7 - 3); }
static double B(int64_t row, int64_t column) { return (double)((2 * row + 7 * column) % 9 - 4); }
static double Weight(int64_t column) { return (double)(column % 5 - 2); }

struct Cube {
  int q, i, j, k;
  int64_t n;
  int64_t side;  // n / q, of a block
  int64_t rows;  // side / q, of a part of a block
  MPI_Comm along_i, along_j, along_k;
};

static struct Cube MakeCube(const struct Example* example) {
  struct Cube cube = {.q = WholeRoot(example->ranks, 3), .n = example->size};
  cube.i = example->rank / (cube.q * cube.q);
  cube.j = example->rank / cube.q % cube.q;
  cube.k = example->rank % cube.q;
  cube.side = cube.n / cube.q;
  cube.rows = cube.side / cube.q;
  MPI_Comm_split(MPI_COMM_WORLD, cube.j * cube.q + cube.k, cube.i, &cube.along_i);
  MPI_Comm_split(MPI_COMM_WORLD, cube.i * cube.q + cube.k, cube.j, &cube.along_j);
  MPI_Comm_split(MPI_COMM_WORLD, cube.i * cube.q + cube.j, cube.k, &cube.along_k);
  return cube;
}

static void FreeCube(struct Cube* cube) {
  MPI_Comm_free(&cube->along_i);
  MPI_Comm_free(&cube->along_j);
  MPI_Comm_free(&cube->along_k);
}

// product += a b, all of them side x side.
static void MultiplyBlocks(const double* a, const double* b, int64_t side, double* product) {
  for (int64_t row = 0; row < side; ++row) {
    for (int64_t middle = 0; middle < side; ++middle) {
      const double factor = a[row * side + middle];
      const double* from = b + middle * side;
      double* to = product + row * side;
      for (int64_t column = 0; column < side; ++column) to[column] += factor * from[column];
    }
  }
}

// This rank has part j of C_ik: rows of it, of which weighted sums must be those of A (B weights).
static bool IsRight(const struct Cube* cube, const double* part) {
  const int64_t first_column = cube->k * cube->side;
  double* b_weights = Allocate(cube->n, sizeof *b_weights);
  for (int64_t row = 0; row < cube->n; ++row) {
    for (int64_t column = first_column; column < first_column + cube->side; ++column) {
      b_weights[row] += B(row, column) * Weight(column);
    }
  }
  bool right = true;
  for (int64_t row = 0; row < cube->rows; ++row) {
    const int64_t whole_row = cube->i * cube->side + cube->j * cube->rows + row;
    double expected = 0;
    double sum = 0;
    for (int64_t middle = 0; middle < cube->n; ++middle) {
      expected += A(whole_row, middle) * b_weights[middle];
    }
    for (int64_t column = 0; column < cube->side; ++column) {
      sum += part[row * cube->side + column] * Weight(first_column + column);
    }
    right &= sum == expected;
  }
  free(b_weights);
  return right;
}

static bool Run(struct Example* example) {
  struct Cube cube = MakeCube(example);
  const int64_t part_points = cube.rows * cube.side;
  const int64_t points = cube.side * cube.side;
  double* a = Allocate(points, sizeof *a);
  double* b = Allocate(points, sizeof *b);
  double* product = Allocate(points, sizeof *product);
  double* sum = Allocate(points, sizeof *sum);
  double* a_part = a + cube.k * part_points;  // this rank's own part, in its place
  double* b_part = b + cube.i * part_points;
  for (int64_t at = 0; at < part_points; ++at) {
    const int64_t row = at / cube.side;
    const int64_t column = at % cube.side;
    a_part[at] = A(cube.i * cube.side + cube.k * cube.rows + row, cube.j * cube.side + column);
    b_part[at] = B(cube.j * cube.side + cube.i * cube.rows + row, cube.k * cube.side + column);
  }
  const int64_t part_bytes = part_points * (int64_t)sizeof(double);
  Enter(example, kCommunication);
  ShareParts(a, part_bytes, cube.along_k);
  ShareParts(b, part_bytes, cube.along_i);
  Enter(example, kWork);
  MultiplyBlocks(a, b, cube.side, product);
  Enter(example, kCommunication);
  SwapParts(product, sum, part_bytes, cube.along_j);
  Enter(example, kWork);
  for (int part = 1; part < cube.q; ++part) {
    for (int64_t at = 0; at < part_points; ++at) sum[at] += sum[part * part_points + at];
  }
  Enter(example, kOutside);
  const bool right = IsRight(&cube, sum);
  free(a);
  free(b);
  free(product);
  free(sum);
  FreeCube(&cube);
  return right;
}

static const char* Refuse(const struct Example* example) {
  const int q = WholeRoot(example->ranks, 3);
  if (q == 0) return "needs a cube of ranks: 1, 8, 27, ...";
  if (example->size % ((int64_t)q * q) != 0) return "--size: the rows must come out even";
  return example->size > 1 << 14 ? "--size: at most 16384" : NULL;
}

const struct Program kProgram = {.name = "matmul",
                                 .summary = "multiplies matrices on a cube of ranks",
                                 .size_text = "rows of a matrix",
                                 .usual_size = 256,
                                 .refuse = Refuse,
                                 .run = Run};
