// The grid part of particle mesh Ewald: a transform of the grid of charges, a multiplication by a
// kernel, and a transform back. All ranks have planes, only --degree of them have pencils, so all
// ranks send to few, and few to all (L. V. Kale, S. Kumar, A framework for collective personalized
// communication, 2003, sections 4.3 and 4.4, high variance).
#include <complex.h>
#include <math.h>

#include "example.h"
#include "grid.h"

// Wave numbers in the order of a transform: those above n / 2 are negative.
static double Kernel(const struct Grid* grid, int64_t x, int64_t y, int64_t z) {
  const int64_t numbers[3] = {x, y, z};
  double square = 0;
  for (int i = 0; i < 3; ++i) {
    const int64_t number = 2 * numbers[i] > grid->n ? numbers[i] - grid->n : numbers[i];
    square += (double)(number * number);
  }
  return square > 0 ? exp(-square / (double)(grid->n * grid->n)) / square : 0;
}

static bool Run(struct Example* example) {
  const int64_t n = example->size;
  struct Grid grid = NewGrid(example, n, (int)example->degree);
  const int64_t planes = grid.x_end - grid.x_begin;
  const int64_t pencils = grid.y_end - grid.y_begin;
  // The potential of a wave is the wave times the kernel at its wave numbers; that of a constant is
  // 0.
  for (int64_t i = 0; i < planes * n * n; ++i) {
    grid.by_x[i] = 5 + Wave(&grid, grid.x_begin + i / (n * n), i / n % n, i % n);
  }
  TransformForth(example, &grid);
  Enter(example, kWork);
  for (int64_t i = 0; i < n * pencils * n; ++i) {
    grid.by_y[i] *= Kernel(&grid, i / (pencils * n), grid.y_begin + i / n % pencils, i % n);
  }
  Enter(example, kOutside);
  TransformBack(example, &grid);
  bool right = true;
  for (int64_t i = 0; i < planes * n * n; ++i) {
    const double complex wave = Wave(&grid, grid.x_begin + i / (n * n), i / n % n, i % n);
    right &= cabs(grid.by_x[i] - wave * Kernel(&grid, 1, 2, 3)) < 1e-9;
  }
  FreeGrid(&grid);
  return right;
}

static const char* Refuse(const struct Example* example) {
  if (WholeLog2(example->size) < 3) return "--size: needs a power of two, at least 8";
  return example->size > 256 ? "--size: at most 256" : NULL;
}

const struct Program kProgram = {.name = "pme",
                                 .summary = "a grid of charges to potentials, by few of the ranks",
                                 .size_text = "points along a side",
                                 .usual_size = 32,
                                 .many = true,
                                 .refuse = Refuse,
                                 .run = Run};
