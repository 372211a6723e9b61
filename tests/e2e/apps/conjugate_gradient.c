// The conjugate gradient method on many tridiagonal systems (diagonal 4, beside it -1) at once; one
// allreduce sums their scalar products. The solutions are integers, so rounding at the end removes
// the effect of the summation order.
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#include "coxapp.h"
#include "modular.h"

// The error falls to 0.27 times itself in each step (condition number 3): 22 steps give 12 digits.
enum { kSteps = 22, kCallsPerSolve = 1 + 2 * kSteps, kLargest = 100 };
// Squared norms below this are rounding errors; a system below it is solved and no longer takes
// part.
static const double kSolved = 1e-22;

// A vector of each system: element (row, system) at row * systems + system. Rows -1 and `rows` are
// copies of the neighbours' rows.
struct Systems {
  int64_t rows;
  int64_t systems;
};

static double* NewVectors(const struct Systems* of) {
  return (double*)Allocate((of->rows + 2) * of->systems, sizeof(double)) + of->systems;
}
static void FreeVectors(const struct Systems* of, double* vectors) { free(vectors - of->systems); }

static void ExchangeEdges(const struct Job* job, const struct Systems* of, double* v) {
  const int count = (int)of->systems;
  const int before = job->rank > 0 ? job->rank - 1 : MPI_PROC_NULL;
  const int after = job->rank + 1 < job->ranks ? job->rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(v, count, MPI_DOUBLE, before, 0, v + of->rows * count, count, MPI_DOUBLE, after, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(v + (of->rows - 1) * count, count, MPI_DOUBLE, after, 1, v - count, count,
               MPI_DOUBLE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// product = A v
static void Apply(const struct Job* job, const struct Systems* of, double* v, double* product) {
  ExchangeEdges(job, of, v);
  for (int64_t i = 0; i < of->rows * of->systems; ++i) {
    product[i] = 4 * v[i] - v[i - of->systems] - v[i + of->systems];
  }
}

// sums[system] = the scalar product of all rows of v and w.
static void ScalarProducts(const struct Job* job, const struct Systems* of, const double* v,
                           const double* w, double* sums, double* partial) {
  for (int64_t s = 0; s < of->systems; ++s) partial[s] = 0;
  for (int64_t i = 0; i < of->rows * of->systems; ++i) partial[i % of->systems] += v[i] * w[i];
  Enter(job);
  MPI_Allreduce(partial, sums, (int)of->systems, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

struct Work {
  double *solution, *residual, *direction, *product;
  double *squares, *next_squares, *curvature, *partial;
};

// Solves A solution = residual; the residual is used up.
static void Solve(const struct Job* job, const struct Systems* of, struct Work* work) {
  const int64_t elements = of->rows * of->systems;
  for (int64_t i = 0; i < elements; ++i) {
    work->solution[i] = 0;
    work->direction[i] = work->residual[i];
  }
  ScalarProducts(job, of, work->residual, work->residual, work->squares, work->partial);
  for (int step = 0; step < kSteps; ++step) {
    Apply(job, of, work->direction, work->product);
    ScalarProducts(job, of, work->direction, work->product, work->curvature, work->partial);
    for (int64_t i = 0; i < elements; ++i) {
      const int64_t s = i % of->systems;
      if (work->squares[s] < kSolved) continue;
      const double length = work->squares[s] / work->curvature[s];
      work->solution[i] += length * work->direction[i];
      work->residual[i] -= length * work->product[i];
    }
    ScalarProducts(job, of, work->residual, work->residual, work->next_squares, work->partial);
    for (int64_t i = 0; i < elements; ++i) {
      const int64_t s = i % of->systems;
      if (work->squares[s] < kSolved) continue;
      work->direction[i] =
          work->residual[i] + work->next_squares[s] / work->squares[s] * work->direction[i];
    }
    double* swapped = work->squares;
    work->squares = work->next_squares;
    work->next_squares = swapped;
  }
}

struct Outcome ConjugateGradient(const struct Job* job, int64_t block_bytes, int64_t calls) {
  struct Systems of = {2, block_bytes / (int64_t)sizeof(double)};
  if (of.systems < 1) of.systems = 1;
  while (of.rows < 64 && of.rows * of.systems < 4096) of.rows *= 2;
  const int64_t elements = of.rows * of.systems;
  struct Work work = {NewVectors(&of),
                      NewVectors(&of),
                      NewVectors(&of),
                      NewVectors(&of),
                      Allocate(of.systems, sizeof(double)),
                      Allocate(of.systems, sizeof(double)),
                      Allocate(of.systems, sizeof(double)),
                      Allocate(of.systems, sizeof(double))};
  double* wanted = NewVectors(&of);
  struct Outcome outcome = {of.systems * (int64_t)sizeof(double), 0, 0, true};
  for (int64_t solve = 0; outcome.calls < calls; ++solve) {
    const int64_t offset = (solve * job->ranks + job->rank) * elements;
    for (int64_t i = 0; i < elements; ++i) wanted[i] = (double)(Noise(offset + i) % (kLargest + 1));
    Apply(job, &of, wanted, work.residual);
    Solve(job, &of, &work);
    for (int64_t i = 0; i < elements; ++i) {
      const double nearest = round(work.solution[i]);
      outcome.right &= nearest == wanted[i] && fabs(work.solution[i] - nearest) < 1e-6;
      const bool valid = nearest >= 0 && nearest <= kLargest;
      outcome.checksum =
          Add(outcome.checksum, Multiply(valid ? (int64_t)nearest : 0, Noise(offset + i)));
    }
    outcome.calls += kCallsPerSolve;
  }
  FreeVectors(&of, wanted);
  FreeVectors(&of, work.solution);
  FreeVectors(&of, work.residual);
  FreeVectors(&of, work.direction);
  FreeVectors(&of, work.product);
  free(work.squares);
  free(work.next_squares);
  free(work.curvature);
  free(work.partial);
  return outcome;
}
