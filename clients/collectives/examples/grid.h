// A cubic grid of complex numbers. Its planes are dealt to all ranks along x, its pencils along x
// to some ranks by y. The Fourier transform and the exchange between both, for the examples with a
// 3-D transform.
#ifndef COX_COLLECTIVES_EXAMPLES_GRID_H_
#define COX_COLLECTIVES_EXAMPLES_GRID_H_

#include <complex.h>

#include "example.h"

struct Grid {
  int64_t n;        // points along each side, a power of two
  int64_t x_begin;  // this rank's planes
  int64_t x_end;
  int64_t y_begin;  // this rank's pencils along x; none: y_begin == y_end
  int64_t y_end;
  int holders;           // ranks that have pencils: of p ranks, 0, p / holders, 2 p / holders, ...
  double complex* by_x;  // planes, [x - x_begin][y][z]
  double complex* by_y;  // pencils, [x][y - y_begin][z]
};

// All zero.
struct Grid NewGrid(const struct Example* example, int64_t n, int holders);
void FreeGrid(struct Grid* grid);

// From planes to pencils: two-dimensional transforms of planes, an exchange, transforms along x.
void TransformForth(struct Example* example, struct Grid* grid);
// The inverse, which gives the points again.
void TransformBack(struct Example* example, struct Grid* grid);

// A plane wave with the wave numbers (1, 2, 3), in planes.
double complex Wave(const struct Grid* grid, int64_t x, int64_t y, int64_t z);

#endif  // COX_COLLECTIVES_EXAMPLES_GRID_H_
