#include "bench/suite/plan.h"

#include <algorithm>
#include <cmath>

namespace cox::bench {
namespace {

// How many of the ranks a program can use, and what divides its sizes then.
struct Shape {
  int64_t ranks;
  int64_t divisor;
};

int64_t WholePart(double root) { return static_cast<int64_t>(std::floor(root + 1e-9)); }

Shape AnyRanks(int64_t ranks) { return {ranks, ranks}; }

Shape PowerOfTwo(int64_t ranks) {
  int64_t power = 1;
  while (2 * power <= ranks) power *= 2;
  return {power, power};
}

Shape Cube(int64_t ranks) {
  const int64_t q = WholePart(std::cbrt(static_cast<double>(ranks)));
  return {q * q * q, q * q};
}

Shape Square(int64_t ranks) {
  const int64_t q = WholePart(std::sqrt(static_cast<double>(ranks)));
  return {q * q, q * q};
}

Shape AsAsked(int64_t ranks) { return {ranks, 1}; }

constexpr char kMpi[] = "mpi";
constexpr char kWays[] = "mpi,direct,mesh2d,grid3d,hypercube";
constexpr char kNeighbourWays[] = "mpi,mpi-neighbor,direct,mesh2d,grid3d,hypercube";

struct Row {
  const char* program;
  const char* variant;
  const char* kernel;
  int64_t word_bytes;
  bool communication_only;
  Shape (*shape)(int64_t ranks);
  int64_t quick_size;
  std::vector<int64_t> sizes;
  // Destinations of a rank as shares of all; 0: the program's own.
  std::vector<double> degrees;
  const char* algorithms;
};

const std::vector<Row>& Rows() {
  static const auto* const kRows = new std::vector<Row>{
      {"matmul", "blocks", "matmul-3d", 8, false, Cube, 32, {64, 128, 256, 512}, {0}, kMpi},
      {"matmul", "words", "matmul-3d?variant=words", 8, false, Cube, 32, {32, 64}, {0}, kMpi},
      {"matmul", "cannon", "matmul-cannon", 8, false, Square, 32, {64, 128, 256, 512}, {0}, kMpi},
      {"bitonic-sort",
       "blocks",
       "bitonic-sort",
       8,
       false,
       PowerOfTwo,
       4096,
       {8192, 65536, 524288, 2097152},
       {0},
       kMpi},
      {"bitonic-sort",
       "words",
       "bitonic-sort?variant=words",
       8,
       false,
       PowerOfTwo,
       4096,
       {8192, 65536},
       {0},
       kMpi},
      {"sample-sort",
       "ssdr",
       "sample-sort?variant=ssdr",
       8,
       false,
       AnyRanks,
       4096,
       {8192, 65536, 524288, 2097152},
       {0},
       kMpi},
      {"sample-sort",
       "ssbr",
       "sample-sort?variant=ssbr",
       8,
       false,
       PowerOfTwo,
       4096,
       {8192, 65536, 524288, 2097152},
       {0},
       kMpi},
      {"sample-sort",
       "words",
       "sample-sort?variant=words",
       8,
       false,
       AnyRanks,
       4096,
       {8192, 65536},
       {0},
       kMpi},
      {"sample-sort",
       "32-bytes",
       "sample-sort?variant=32-bytes",
       8,
       false,
       AnyRanks,
       4096,
       {8192, 65536},
       {0},
       kMpi},
      {"apsp", "rows", "apsp-1", 4, true, Square, 32, {64, 128, 256, 512}, {0}, kMpi},
      {"apsp",
       "rows-tree",
       "apsp-1?variant=tree",
       4,
       true,
       Square,
       32,
       {64, 128, 256, 512},
       {0},
       kMpi},
      {"apsp", "blocks", "apsp-2", 4, true, Square, 32, {64, 128, 256, 512}, {0}, kMpi},
      {"apsp",
       "blocks-tree",
       "apsp-2?variant=tree",
       4,
       true,
       Square,
       32,
       {64, 128, 256, 512},
       {0},
       kMpi},
      {"multigrid", "", "multigrid", 8, false, AsAsked, 32, {64, 128, 256, 512}, {0}, kMpi},
      {"neighbours",
       "",
       "",
       0,
       true,
       AsAsked,
       76,
       {76, 476, 4096},
       {0.125, 0.375, 0.875},
       kNeighbourWays},
      {"radix-sort", "", "", 0, true, AsAsked, 1000, {1000, 10000, 100000}, {0}, kWays},
      {"fft3d", "", "", 0, true, AsAsked, 8, {16, 32, 64}, {0}, kWays},
      {"pme", "", "", 0, true, AsAsked, 8, {16, 32, 64}, {0.25, 0.5}, kWays},
  };
  return *kRows;
}

bool Wanted(const std::vector<std::string>& programs, const char* program) {
  return programs.empty() || std::count(programs.begin(), programs.end(), program) > 0;
}

int64_t RoundUp(int64_t size, int64_t divisor) { return (size + divisor - 1) / divisor * divisor; }

}  // namespace

std::vector<Experiment> PlanSuite(int64_t ranks, bool quick,
                                  const std::vector<std::string>& programs) {
  std::vector<Experiment> plan;
  for (const Row& row : Rows()) {
    const Shape shape = row.shape(ranks);
    if (!Wanted(programs, row.program) || shape.ranks < 2) continue;
    const std::vector<int64_t> sizes = quick ? std::vector<int64_t>{row.quick_size} : row.sizes;
    for (const int64_t size : sizes) {
      for (const double share : row.degrees) {
        const auto degree = static_cast<int64_t>(share * static_cast<double>(shape.ranks));
        Experiment experiment = {row.program,
                                 row.variant,
                                 row.kernel,
                                 row.word_bytes,
                                 row.communication_only,
                                 shape.ranks,
                                 RoundUp(size, shape.divisor),
                                 share > 0 ? std::max<int64_t>(1, degree) : 0,
                                 row.algorithms};
        plan.push_back(std::move(experiment));
        if (quick) break;
      }
    }
  }
  return plan;
}

std::vector<std::string> ProgramNames() {
  std::vector<std::string> names;
  for (const Row& row : Rows()) {
    if (std::count(names.begin(), names.end(), row.program) == 0) names.emplace_back(row.program);
  }
  return names;
}

}  // namespace cox::bench
