#include "grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double kPi = 3.14159265358979323846;

static int64_t Before(const struct Grid* grid, int ranks, int rank, bool pencils) {
  if (!pencils) return PartBegin(grid->n, ranks, rank);
  // How many holders there are below this rank.
  int holders = 0;
  while (holders < grid->holders && (int64_t)holders * ranks / grid->holders < rank) ++holders;
  return PartBegin(grid->n, grid->holders, holders);
}

struct Grid NewGrid(const struct Example* example, int64_t n, int holders) {
  const int p = example->ranks;
  struct Grid grid = {.n = n, .holders = holders};
  grid.x_begin = Before(&grid, p, example->rank, false);
  grid.x_end = Before(&grid, p, example->rank + 1, false);
  grid.y_begin = Before(&grid, p, example->rank, true);
  grid.y_end = Before(&grid, p, example->rank + 1, true);
  grid.by_x = Allocate((grid.x_end - grid.x_begin) * n * n, sizeof *grid.by_x);
  grid.by_y = Allocate((grid.y_end - grid.y_begin) * n * n, sizeof *grid.by_y);
  return grid;
}

void FreeGrid(struct Grid* grid) {
  free(grid->by_x);
  free(grid->by_y);
}

// In place, `n` numbers `stride` apart; sign -1 forth, +1 back. Not scaled.
static void Transform(double complex* points, int64_t n, int64_t stride, int sign,
                      double complex* line) {
  const int bits = WholeLog2(n);
  for (int64_t i = 0; i < n; ++i) {
    int64_t mirrored = 0;
    for (int bit = 0; bit < bits; ++bit) mirrored |= (i >> bit & 1) << (bits - 1 - bit);
    line[mirrored] = points[i * stride];
  }
  for (int64_t half = 1; half < n; half *= 2) {
    const double complex step = cexp(sign * I * kPi / (double)half);
    for (int64_t begin = 0; begin < n; begin += 2 * half) {
      double complex turn = 1;
      for (int64_t i = begin; i < begin + half; ++i) {
        const double complex odd = line[i + half] * turn;
        line[i + half] = line[i] - odd;
        line[i] += odd;
        turn *= step;
      }
    }
  }
  for (int64_t i = 0; i < n; ++i) points[i * stride] = line[i];
}

static void TransformPlanes(struct Grid* grid, int sign) {
  const int64_t n = grid->n;
  double complex* line = Allocate(n, sizeof *line);
  for (int64_t x = 0; x < grid->x_end - grid->x_begin; ++x) {
    double complex* plane = grid->by_x + x * n * n;
    for (int64_t y = 0; y < n; ++y) Transform(plane + y * n, n, 1, sign, line);
    for (int64_t z = 0; z < n; ++z) Transform(plane + z, n, n, sign, line);
  }
  free(line);
}

static void TransformPencils(struct Grid* grid, int sign) {
  const int64_t n = grid->n;
  const int64_t points = (grid->y_end - grid->y_begin) * n;  // points of a plane on this rank
  double complex* line = Allocate(n, sizeof *line);
  for (int64_t i = 0; i < points; ++i) Transform(grid->by_y + i, n, points, sign, line);
  free(line);
}

// The blocks of planes, one for each rank with pencils, and those of pencils, one for each rank
// with planes. Holds the data of the side that sends.
static void MakeBlocks(const struct Example* example, const struct Grid* grid,
                       struct Blocks* planes, struct Blocks* pencils) {
  const int p = example->ranks;
  const int64_t point = (int64_t)sizeof(double complex);
  *planes = NewBlocks(p);
  *pencils = NewBlocks(p);
  for (int rank = 0; rank < p; ++rank) {
    const int64_t y = Before(grid, p, rank + 1, true) - Before(grid, p, rank, true);
    const int64_t x = Before(grid, p, rank + 1, false) - Before(grid, p, rank, false);
    planes->bytes[rank] = (int)((grid->x_end - grid->x_begin) * y * grid->n * point);
    pencils->bytes[rank] = (int)(x * (grid->y_end - grid->y_begin) * grid->n * point);
  }
  PlaceBlocks(planes);
  PlaceBlocks(pencils);
}

// Copies between planes and their blocks, which have the same points in another order.
static void CopyPlanes(const struct Example* example, struct Grid* grid, struct Blocks* blocks,
                       bool to_blocks) {
  const int p = example->ranks;
  for (int rank = 0; rank < p; ++rank) {
    const int64_t begin = Before(grid, p, rank, true);
    const int64_t points = (Before(grid, p, rank + 1, true) - begin) * grid->n;
    double complex* block = (double complex*)(blocks->data + blocks->offsets[rank]);
    for (int64_t x = 0; x < grid->x_end - grid->x_begin; ++x) {
      double complex* plane = grid->by_x + (x * grid->n + begin) * grid->n;
      const size_t bytes = (size_t)points * sizeof *plane;
      memcpy(to_blocks ? block + x * points : plane, to_blocks ? plane : block + x * points, bytes);
    }
  }
}

void TransformForth(struct Example* example, struct Grid* grid) {
  struct Blocks planes;
  struct Blocks pencils;
  MakeBlocks(example, grid, &planes, &pencils);
  const int64_t pencil_points = grid->n * (grid->y_end - grid->y_begin) * grid->n;
  Enter(example, kWork);
  TransformPlanes(grid, -1);
  CopyPlanes(example, grid, &planes, true);
  Enter(example, kExchange);
  Exchange(example, &planes, &pencils, MPI_COMM_WORLD);
  Enter(example, kWork);
  memcpy(grid->by_y, pencils.data, (size_t)pencil_points * sizeof *grid->by_y);
  TransformPencils(grid, -1);
  Enter(example, kOutside);
  FreeBlocks(&planes);
  FreeBlocks(&pencils);
}

void TransformBack(struct Example* example, struct Grid* grid) {
  struct Blocks planes;
  struct Blocks pencils;
  MakeBlocks(example, grid, &planes, &pencils);
  const int64_t pencil_points = grid->n * (grid->y_end - grid->y_begin) * grid->n;
  const int64_t plane_points = (grid->x_end - grid->x_begin) * grid->n * grid->n;
  Enter(example, kWork);
  TransformPencils(grid, 1);
  memcpy(pencils.data, grid->by_y, (size_t)pencil_points * sizeof *grid->by_y);
  Enter(example, kExchange);
  Exchange(example, &pencils, &planes, MPI_COMM_WORLD);
  Enter(example, kWork);
  CopyPlanes(example, grid, &planes, false);
  TransformPlanes(grid, 1);
  const double scale = 1 / ((double)grid->n * (double)grid->n * (double)grid->n);
  for (int64_t i = 0; i < plane_points; ++i) grid->by_x[i] *= scale;
  Enter(example, kOutside);
  FreeBlocks(&planes);
  FreeBlocks(&pencils);
}

double complex Wave(const struct Grid* grid, int64_t x, int64_t y, int64_t z) {
  return cexp(2 * kPi * I * (double)(x + 2 * y + 3 * z) / (double)grid->n);
}
