// Product of two n x n matrices on a cube of ranks, p = q^3: rank (i, j, k) gathers the blocks A_ij
// and B_jk from the q ranks that have parts of them, multiplies, and sends each part of its share
// of C_ik to the rank that adds it up (B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative
// comparison of parallel computation models, 1998, section 4.1). The variants cut the parts into
// words and send messages in a staggered or in the naive order (section 5.1), or run Cannon's
// algorithm on a square of ranks (section 7.1.2).
#include <stdlib.h>
#include <string.h>

#include "example.h"
#include "superstep.h"

// Small integers: all sums are exact.
static double A(int64_t row, int64_t column) { return (double)((3 * row + 5 * column) % 7 - 3); }
static double B(int64_t row, int64_t column) { return (double)((2 * row + 7 * column) % 9 - 4); }
static double Weight(int64_t column) { return (double)(column % 5 - 2); }

// A variant of the product on the cube.
struct Variant {
  const char* name;
  struct Order order;
};

static const struct Variant kVariants[] = {
    {"blocks", {0, false, false}},
    {"staggered", {0, true, false}},
    {"naive", {0, true, true}},
    {"words", {sizeof(double), true, false}},
    {"words-naive", {sizeof(double), true, true}},
};

static const struct Order* OrderOf(const char* variant) {
  for (size_t i = 0; i < sizeof kVariants / sizeof *kVariants; ++i) {
    if (strcmp(kVariants[i].name, variant) == 0) return &kVariants[i].order;
  }
  return &kVariants[0].order;
}

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

// Whether these rows and columns of C, from (row, column) on, are right: weighted sums of each row
// must be those of A (B weights).
static bool IsRight(int64_t n, int64_t row, int64_t rows, int64_t column, int64_t columns,
                    const double* part) {
  double* b_weights = Allocate(n, sizeof *b_weights);
  for (int64_t middle = 0; middle < n; ++middle) {
    for (int64_t at = column; at < column + columns; ++at) {
      b_weights[middle] += B(middle, at) * Weight(at);
    }
  }
  bool right = true;
  for (int64_t at = 0; at < rows; ++at) {
    double expected = 0;
    double sum = 0;
    for (int64_t middle = 0; middle < n; ++middle) {
      expected += A(row + at, middle) * b_weights[middle];
    }
    for (int64_t i = 0; i < columns; ++i) sum += part[at * columns + i] * Weight(column + i);
    right &= sum == expected;
  }
  free(b_weights);
  return right;
}

static bool RunOnCube(struct Example* example) {
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
  const struct Order* order = OrderOf(example->variant);
  ShareParts(a, part_bytes, order, cube.along_k);
  ShareParts(b, part_bytes, order, cube.along_i);
  Enter(example, kWork);
  MultiplyBlocks(a, b, cube.side, product);
  Enter(example, kCommunication);
  SwapParts(product, sum, part_bytes, order, cube.along_j);
  Enter(example, kWork);
  for (int part = 1; part < cube.q; ++part) {
    for (int64_t at = 0; at < part_points; ++at) sum[at] += sum[part * part_points + at];
  }
  Enter(example, kOutside);
  const bool right = IsRight(cube.n, cube.i * cube.side + cube.j * cube.rows, cube.rows,
                             cube.k * cube.side, cube.side, sum);
  free(a);
  free(b);
  free(product);
  free(sum);
  FreeCube(&cube);
  return right;
}

// Sends a block `by` ranks to the left (or up) of a ring of q ranks, and receives another.
static void Rotate(double** block, double** spare, int64_t points, int at, int by, int q, int first,
                   int step) {
  if (by % q == 0) return;
  const int to = first + (at - by + q) % q * step;
  const int from = first + (at + by) % q * step;
  MPI_Sendrecv(*block, (int)points, MPI_DOUBLE, to, 0, *spare, (int)points, MPI_DOUBLE, from, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double* received = *spare;
  *spare = *block;
  *block = received;
}

// Cannon's algorithm on a torus of q x q ranks: row i of A is rotated by i, column j of B by j.
// Then both are rotated by one, q - 1 times, with a product of blocks before each rotation.
static bool RunCannon(struct Example* example) {
  const int q = WholeRoot(example->ranks, 2);
  const int row = example->rank / q;
  const int column = example->rank % q;
  const int64_t side = example->size / q;
  const int64_t points = side * side;
  double* a = Allocate(points, sizeof *a);
  double* b = Allocate(points, sizeof *b);
  double* spare = Allocate(points, sizeof *spare);
  double* product = Allocate(points, sizeof *product);
  for (int64_t at = 0; at < points; ++at) {
    a[at] = A(row * side + at / side, column * side + at % side);
    b[at] = B(row * side + at / side, column * side + at % side);
  }
  Enter(example, kCommunication);
  Rotate(&a, &spare, points, column, row, q, row * q, 1);
  Rotate(&b, &spare, points, row, column, q, column, q);
  for (int step = 1; step < q; ++step) {
    Enter(example, kWork);
    MultiplyBlocks(a, b, side, product);
    Enter(example, kCommunication);
    Rotate(&a, &spare, points, column, 1, q, row * q, 1);
    Rotate(&b, &spare, points, row, 1, q, column, q);
  }
  Enter(example, kWork);
  MultiplyBlocks(a, b, side, product);
  Enter(example, kOutside);
  const bool right = IsRight(example->size, row * side, side, column * side, side, product);
  free(a);
  free(b);
  free(spare);
  free(product);
  return right;
}

static bool IsCannon(const struct Example* example) {
  return strcmp(example->variant, "cannon") == 0;
}

static bool Run(struct Example* example) {
  return IsCannon(example) ? RunCannon(example) : RunOnCube(example);
}

static const char* Refuse(const struct Example* example) {
  const bool is_cannon = IsCannon(example);
  const int64_t q = WholeRoot(example->ranks, is_cannon ? 2 : 3);
  if (q == 0 && is_cannon) return "cannon needs a square of ranks: 1, 4, 9, ...";
  if (q == 0) return "needs a cube of ranks: 1, 8, 27, ...";
  if (example->size % (is_cannon ? q : q * q) != 0) return "--size: the rows must come out even";
  return example->size > 1 << 14 ? "--size: at most 16384" : NULL;
}

const struct Program kProgram = {
    .name = "matmul",
    .summary = "multiplies matrices on a cube of ranks, or by Cannon's algorithm on a square",
    .size_text = "rows of a matrix",
    .usual_size = 256,
    .variants = "blocks,staggered,naive,words,words-naive,cannon",
    .refuse = Refuse,
    .run = Run};
