// One V-cycle of multigrid on p time levels at once: rank t has the plane of n x n cells of time
// level t of a heat equation, and passes it on to the next level on every grid (I. Stoica, F.
// Sultan, D. Keyes, Evaluating the hyperbolic model on a variety of architectures, 1996, section 4,
// in the limit of time parallelism).
//
// A cell has the equation  stiffness (4 u - neighbours) + kStepRate (u - u one level before) =
// right,  with u = -u across a border. A grid has half the stiffness of the next finer one: the sum
// of four equations with equal u.
#include <math.h>
#include <stdlib.h>

#include "example.h"

enum { kCycles = 16, kMaxGrids = 16, kMaxSide = 1 << 12 };

static const double kStepRate = 4;
static const double kDamping = 0.8;

struct Grid {
  int64_t side;
  double stiffness;
  double* right;
  double* plane;
  double* before;  // the plane one time level before; zeros on rank 0
  double* next;    // scratch
};

static int64_t CellsOf(const struct Grid* grid) { return grid->side * grid->side; }

static struct Grid NewGrid(int64_t side, double stiffness) {
  struct Grid grid = {.side = side, .stiffness = stiffness};
  grid.right = Allocate(CellsOf(&grid), sizeof(double));
  grid.plane = Allocate(CellsOf(&grid), sizeof(double));
  grid.before = Allocate(CellsOf(&grid), sizeof(double));
  grid.next = Allocate(CellsOf(&grid), sizeof(double));
  return grid;
}

static void FreeGrid(struct Grid* grid) {
  free(grid->right);
  free(grid->plane);
  free(grid->before);
  free(grid->next);
}

// The factor of a cell's own value in its equation.
static double DiagonalOf(const struct Grid* grid, int64_t row, int64_t column) {
  const int64_t last = grid->side - 1;
  const int borders = (row == 0) + (row == last) + (column == 0) + (column == last);
  return grid->stiffness * (4 + borders) + kStepRate;
}

// What the plane leaves of the right side of a cell's equation.
static double ResidualOf(const struct Grid* grid, int64_t row, int64_t column) {
  const int64_t side = grid->side;
  const double* cell = grid->plane + row * side + column;
  double neighbours = 0;
  if (row > 0) neighbours += cell[-side];
  if (row + 1 < side) neighbours += cell[side];
  if (column > 0) neighbours += cell[-1];
  if (column + 1 < side) neighbours += cell[1];
  return grid->right[row * side + column] - DiagonalOf(grid, row, column) * *cell +
         grid->stiffness * neighbours + kStepRate * grid->before[row * side + column];
}

// One step of damped Jacobi: each cell solves its equation for `damping` of what it leaves.
static void Relax(struct Grid* grid, double damping) {
  for (int64_t row = 0, i = 0; row < grid->side; ++row) {
    for (int64_t column = 0; column < grid->side; ++column, ++i) {
      grid->next[i] =
          grid->plane[i] + damping * ResidualOf(grid, row, column) / DiagonalOf(grid, row, column);
    }
  }
  double* plane = grid->plane;
  grid->plane = grid->next;
  grid->next = plane;
}

// The plane to the next time level, and the one before from the level before. Only the first cycle
// is timed.
static void PassOn(struct Example* example, struct Grid* grid, bool timed) {
  const int next = example->rank + 1 < example->ranks ? example->rank + 1 : MPI_PROC_NULL;
  const int before = example->rank > 0 ? example->rank - 1 : MPI_PROC_NULL;
  const int count = (int)CellsOf(grid);
  if (timed) Enter(example, kCommunication);
  MPI_Sendrecv(grid->plane, count, MPI_DOUBLE, next, 0, grid->before, count, MPI_DOUBLE, before, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (timed) Enter(example, kWork);
}

static void Clear(struct Grid* grid) {
  for (int64_t i = 0; i < CellsOf(grid); ++i) grid->plane[i] = grid->before[i] = 0;
}

// The mean of what four cells leave.
static void Restrict(const struct Grid* fine, struct Grid* coarse) {
  for (int64_t row = 0, i = 0; row < coarse->side; ++row) {
    for (int64_t column = 0; column < coarse->side; ++column, ++i) {
      double sum = 0;
      for (int part = 0; part < 4; ++part) {
        sum += ResidualOf(fine, 2 * row + part / 2, 2 * column + part % 2);
      }
      coarse->right[i] = sum / 4;
    }
  }
}

static void AddCoarse(const struct Grid* coarse, struct Grid* fine) {
  for (int64_t row = 0, i = 0; row < fine->side; ++row) {
    for (int64_t column = 0; column < fine->side; ++column, ++i) {
      fine->plane[i] += coarse->plane[row / 2 * coarse->side + column / 2];
    }
  }
}

// From the finest grid to a single cell and back. Corrections of the planes are in grids[0].plane.
static void Cycle(struct Example* example, struct Grid* grids, int count, bool timed) {
  for (int i = 0; i < count; ++i) {
    Clear(&grids[i]);
    Relax(&grids[i], i + 1 < count ? kDamping : 1);
    PassOn(example, &grids[i], timed);
    if (i + 1 < count) Restrict(&grids[i], &grids[i + 1]);
  }
  Relax(&grids[count - 1], 1);
  for (int i = count - 2; i >= 0; --i) {
    AddCoarse(&grids[i + 1], &grids[i]);
    PassOn(example, &grids[i], timed);
    Relax(&grids[i], kDamping);
  }
}

// A cell of the solution, between 0 and 1.
static double TruthAt(const struct Grid* grid, int rank, int64_t cell) {
  return (double)(Random((uint64_t)(rank * CellsOf(grid) + cell)) >> 11) * 0x1p-53;
}

// What the planes leave, as the right side of the finest grid of corrections.
static void Leave(const struct Grid* whole, struct Grid* finest) {
  for (int64_t row = 0, i = 0; row < whole->side; ++row) {
    for (int64_t column = 0; column < whole->side; ++column, ++i) {
      finest->right[i] = ResidualOf(whole, row, column);
    }
  }
}

// The right side that has this solution; leaves planes of zeros.
static void SetProblem(const struct Example* example, struct Grid* whole) {
  for (int64_t i = 0; i < CellsOf(whole); ++i) {
    whole->plane[i] = TruthAt(whole, example->rank, i);
    whole->before[i] = example->rank > 0 ? TruthAt(whole, example->rank - 1, i) : 0;
  }
  for (int64_t row = 0, i = 0; row < whole->side; ++row) {
    for (int64_t column = 0; column < whole->side; ++column, ++i) {
      whole->next[i] = -ResidualOf(whole, row, column);
    }
  }
  double* right = whole->right;
  whole->right = whole->next;
  whole->next = right;
  Clear(whole);
}

// Whether further cycles come to the solution: within a half of its largest value, from 1.
static bool Converges(struct Example* example, struct Grid* whole, struct Grid* grids, int count) {
  for (int cycle = 1;; ++cycle) {
    for (int64_t i = 0; i < CellsOf(whole); ++i) whole->plane[i] += grids[0].plane[i];
    if (cycle == kCycles) break;
    PassOn(example, whole, false);
    Leave(whole, &grids[0]);
    Cycle(example, grids, count, false);
  }
  double error = 0;
  for (int64_t i = 0; i < CellsOf(whole); ++i) {
    error = fmax(error, fabs(whole->plane[i] - TruthAt(whole, example->rank, i)));
  }
  return error < 0.5;
}

static bool Run(struct Example* example) {
  const int count = WholeLog2(example->size) + 1;
  const double stiffness = (double)(example->size * example->size);
  struct Grid grids[kMaxGrids];
  for (int i = 0; i < count; ++i) grids[i] = NewGrid(example->size >> i, ldexp(stiffness, -i));
  struct Grid whole = NewGrid(example->size, stiffness);
  SetProblem(example, &whole);
  Leave(&whole, &grids[0]);
  Enter(example, kWork);
  Cycle(example, grids, count, true);
  Enter(example, kOutside);
  const bool right = Converges(example, &whole, grids, count);
  for (int i = 0; i < count; ++i) FreeGrid(&grids[i]);
  FreeGrid(&whole);
  return right;
}

static const char* Refuse(const struct Example* example) {
  if (WholeLog2(example->size) < 0) return "--size: needs a power of two";
  return example->size > kMaxSide ? "--size: at most 4096" : NULL;
}

const struct Program kProgram = {.name = "multigrid",
                                 .summary = "one V-cycle on all time levels of a heat equation",
                                 .size_text = "cells on a side of the finest grid",
                                 .usual_size = 64,
                                 .refuse = Refuse,
                                 .run = Run};
