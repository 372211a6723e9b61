// Multiplication of two n x n matrices. An operation is an addition or a multiplication.
#include "strategy/kernels/programs.h"
#include "strategy/kernels/ranks.h"

namespace cox::strategy {
namespace {

// 2 n^3 / p in all.
double OperationsOf(const KernelScenario& scenario) {
  const auto n = static_cast<double>(scenario.n);
  return 2 * n * n * n / static_cast<double>(scenario.ranks);
}

// p = q^3 processors (i, j, k). Each gathers A_ij and B_jk, blocks of n^2 / q^2 words in q messages
// of n^2 / p words. It multiplies them, and sends the parts of its C_ijk to their owners in as many
// messages. (Section 4.1, Table II; each phase has q steps, not q - 1: the paper counts a
// processor's own block.)
enum class Cube { kBlocks, kUnbuffered, kWords };
void BuildCube(const KernelScenario& scenario, Cube variant, model::Schedule* schedule) {
  const double operations = OperationsOf(scenario);
  if (scenario.ranks == 1) return AddWork(operations, schedule);
  const auto p = static_cast<double>(scenario.ranks);
  const auto q = static_cast<double>(WholeCubeRoot(scenario.ranks));
  const auto n = static_cast<double>(scenario.n);
  const double block = n * n / (q * q);
  const double messages = variant == Cube::kWords ? block : q;
  AddSuperstep(scenario, 1, Balanced(p, 2 * messages, 2 * block), 0, schedule);
  // Without buffers, no rank may send before all have posted their receives.
  if (variant == Cube::kUnbuffered) AddSuperstep(scenario, 1, {}, 0, schedule);
  AddSuperstep(scenario, 1, Balanced(p, messages, block), operations, schedule);
}

}  // namespace

absl::Status MatmulCubeApplies(const KernelScenario& scenario) {
  const int64_t q = WholeCubeRoot(scenario.ranks);
  if (q == 0) return Needs("a cube of ranks (1, 8, 27, 64, ...)", scenario.ranks);
  return NeedsMultiple(scenario.n, q * q);
}

void BuildMatmulCube(const KernelScenario& scenario, model::Schedule* schedule) {
  BuildCube(scenario, Cube::kBlocks, schedule);
}

void BuildMatmulCubeUnbuffered(const KernelScenario& scenario, model::Schedule* schedule) {
  BuildCube(scenario, Cube::kUnbuffered, schedule);
}

void BuildMatmulCubeWords(const KernelScenario& scenario, model::Schedule* schedule) {
  BuildCube(scenario, Cube::kWords, schedule);
}

absl::Status MatmulCannonApplies(const KernelScenario& scenario) {
  const int64_t q = WholeSquareRoot(scenario.ranks);
  if (q == 0) return Needs("a square of ranks (1, 4, 9, 16, ...)", scenario.ranks);
  return NeedsMultiple(scenario.n, q);
}

// A torus of q x q: row i of A is rotated by i and column j of B by j. Then both are rotated by
// one, q - 1 times. A product of blocks comes before each rotation and at the end.
void BuildMatmulCannon(const KernelScenario& scenario, model::Schedule* schedule) {
  const double operations = OperationsOf(scenario);
  if (scenario.ranks == 1) return AddWork(operations, schedule);
  const auto p = static_cast<double>(scenario.ranks);
  const auto q = static_cast<double>(WholeSquareRoot(scenario.ranks));
  const auto n = static_cast<double>(scenario.n);
  const double block = n * n / p;
  Relation skew = Balanced(p, 2, 2 * block);
  skew.messages_count = 2 * (p - q);  // the first row and the first column stay
  skew.words_count = skew.messages_count * block;
  AddSuperstep(scenario, 1, skew, 0, schedule);
  AddSuperstep(scenario, q - 1, Balanced(p, 2, 2 * block), operations / q, schedule);
  AddWork(operations / q, schedule);
}

}  // namespace cox::strategy
