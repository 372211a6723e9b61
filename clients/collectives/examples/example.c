#include "example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void Fail(const char* what) {
  fprintf(stderr, "%s: %s\n", kProgram.name, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void Enter(struct Example* example, enum Section section) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double now_s = MPI_Wtime();
  example->spent_s[example->section] += now_s - example->entered_s;
  example->section = section;
  example->entered_s = now_s;
}

void* Allocate(int64_t count, int64_t element_bytes) {
  const size_t bytes = ((size_t)count + 1) * (size_t)element_bytes;
  void* memory = malloc(bytes);
  if (memory == NULL) Fail("no memory left");
  return memset(memory, 0, bytes);  // touched, so that no exchange waits for pages
}

int64_t PartBegin(int64_t whole, int64_t parts, int64_t part) { return whole * part / parts; }

// One step of SplitMix64 (S. Vigna, public domain).
uint64_t Random(uint64_t index) {
  uint64_t mixed = (index + 1) * 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return mixed ^ (mixed >> 31);
}

int WholeLog2(int64_t number) {
  int log = 0;
  while (INT64_C(1) << log < number) ++log;
  return INT64_C(1) << log == number ? log : -1;
}

int WholeRoot(int64_t number, int power) {
  for (int root = 1;; ++root) {
    int64_t product = 1;
    for (int i = 0; i < power; ++i) product *= root;
    if (product >= number) return product == number ? root : 0;
  }
}
