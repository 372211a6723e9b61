// Fourier transform of a cubic grid and back: each rank has planes, transforms them, and sends each
// other rank its pencils for the transforms along x (L. V. Kale, S. Kumar, A framework for
// collective personalized communication, 2003, section 4.4). All ranks send to all.
#include <complex.h>

#include "example.h"
#include "grid.h"

static bool Run(struct Example* example) {
  const int64_t n = example->size;
  struct Grid grid = NewGrid(example, n, example->ranks);
  // A wave: its transform is one point.
  const int64_t planes = grid.x_end - grid.x_begin;
  for (int64_t i = 0; i < planes * n * n; ++i) {
    grid.by_x[i] = Wave(&grid, grid.x_begin + i / (n * n), i / n % n, i % n);
  }
  TransformForth(example, &grid);
  bool right = true;
  for (int64_t i = 0; i < n * (grid.y_end - grid.y_begin) * n; ++i) {
    const int64_t y = grid.y_begin + i / n % (grid.y_end - grid.y_begin);
    const int64_t x = i / (n * (grid.y_end - grid.y_begin));
    const bool is_wave = x == 1 && y == 2 && i % n == 3;
    const double expected = is_wave ? (double)(n * n * n) : 0;
    right &= cabs(grid.by_y[i] - expected) < 1e-9 * (double)(n * n * n);
  }
  TransformBack(example, &grid);
  for (int64_t i = 0; i < planes * n * n; ++i) {
    const double complex wave = Wave(&grid, grid.x_begin + i / (n * n), i / n % n, i % n);
    right &= cabs(grid.by_x[i] - wave) < 1e-9;
  }
  FreeGrid(&grid);
  return right;
}

static const char* Refuse(const struct Example* example) {
  if (WholeLog2(example->size) < 2) return "--size: needs a power of two, at least 4";
  return example->size > 256 ? "--size: at most 256" : NULL;
}

const struct Program kProgram = {.name = "fft3d",
                                 .summary = "transforms a cubic grid and back",
                                 .size_text = "points along a side",
                                 .usual_size = 32,
                                 .refuse = Refuse,
                                 .run = Run};
