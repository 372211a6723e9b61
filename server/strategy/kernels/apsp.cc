// All pairs' shortest paths in a graph of n vertices by Floyd's algorithm, with the distances in
// sqrt(p) x sqrt(p) blocks (section 4.4, Table V). apsp-1 takes one vertex at a time, apsp-2 a
// block. An operation is an update d_ij = min(d_ij, d_ik + d_kj): n^3 / p of them on each rank.
#include <cmath>

#include "strategy/kernels/programs.h"
#include "strategy/kernels/ranks.h"

namespace cox::strategy {
namespace {

struct Sizes {
  explicit Sizes(const KernelScenario& scenario)
      : p(static_cast<double>(scenario.ranks)),
        side(static_cast<double>(WholeSquareRoot(scenario.ranks))),
        n(static_cast<double>(scenario.n)),
        operations(n * n * n / p) {}

  double p;
  double side;  // sqrt(p)
  double n;
  double operations;  // of one rank in all
};

// The first half of broadcasts along rows and columns: `senders` ranks scatter `words` words each,
// in `messages` parts, to sqrt(p) ranks each.
Relation Scatter(const Sizes& sizes, double senders, double messages, double words) {
  return {messages,
          std::ceil(messages / sizes.side),
          words,
          std::ceil(words / sizes.side),
          senders * messages,
          senders * words,
          false};
}

// One stage of a row's or column's broadcast down a tree. Over the stages, the mean number of
// senders is that of the ranks that still lack the words. Row and column pass a rank at the same
// time: it may send one and receive the other.
Relation TreeStage(const Sizes& sizes, double words) {
  const double stages = std::log2(sizes.side);
  const double messages = sizes.side * (sizes.side - 1) / stages;
  return {1, 1, words, words, messages, messages * words, false};
}

}  // namespace

absl::Status ApspApplies(const KernelScenario& scenario) {
  const int64_t side = WholeSquareRoot(scenario.ranks);
  if (side == 0) return Needs("a square of ranks (1, 4, 9, 16, ...)", scenario.ranks);
  return NeedsMultiple(scenario.n, side);
}

absl::Status ApspRowsApplies(const KernelScenario& scenario) {
  if (scenario.n < scenario.ranks) {
    return absl::FailedPreconditionError(absl::StrCat("needs at least as many vertices as ranks, ",
                                                      scenario.ranks, ", not ", scenario.n,
                                                      "; the variant \"words\" takes fewer"));
  }
  return ApspApplies(scenario);
}

// Fewer vertices than ranks: the words of a row are doubled log2(p / n) times.
absl::Status ApspWordsApplies(const KernelScenario& scenario) { return ApspApplies(scenario); }

// n times: row k and column k, n words each on sqrt(p) ranks, are scattered, then all ranks gather
// them. Two supersteps of h = 2 n / sqrt(p); the first has a V of only 2 n words.
void BuildApspRows(const KernelScenario& scenario, model::Schedule* schedule) {
  const Sizes sizes(scenario);
  if (scenario.ranks == 1) return AddWork(sizes.operations, schedule);
  const double words = 2 * sizes.n / sizes.side;
  AddSuperstep(scenario, sizes.n, Scatter(sizes, sizes.side, 2 * sizes.side, words), 0, schedule);
  AddSuperstep(scenario, sizes.n, Balanced(sizes.p, 2 * sizes.side, words),
               sizes.operations / sizes.n, schedule);
}

// The same with trees: log2 p stages of n / sqrt(p) words.
void BuildApspRowsTree(const KernelScenario& scenario, model::Schedule* schedule) {
  const Sizes sizes(scenario);
  if (scenario.ranks == 1) return AddWork(sizes.operations, schedule);
  const double stages = std::log2(sizes.p);
  AddSuperstep(scenario, sizes.n * stages, TreeStage(sizes, sizes.n / sizes.side),
               sizes.operations / (sizes.n * stages), schedule);
}

// The same word by word, for machines that pass only words. A row's and a column's word of sqrt(p),
// then of p ranks. If there are fewer words than ranks, steps of n, 2 n, 4 n, ... ranks come
// between.
void BuildApspRowsWords(const KernelScenario& scenario, model::Schedule* schedule) {
  const Sizes sizes(scenario);
  if (scenario.ranks == 1) return AddWork(sizes.operations, schedule);
  const double words = 2 * sizes.n / sizes.side;
  AddSuperstep(scenario, sizes.n, Scatter(sizes, sizes.side, words, words), 0, schedule);
  for (double active = sizes.n; active < sizes.p; active *= 2) {
    AddSuperstep(scenario, sizes.n, {2, 2, 2, 2, 2 * active, 2 * active, false}, 0, schedule);
  }
  AddSuperstep(scenario, sizes.n, Balanced(sizes.p, words, words), sizes.operations / sizes.n,
               schedule);
}

// sqrt(p) times: the block on the diagonal to its row, then row and column of blocks to all. These
// are three broadcasts of n^2 / p words: a scatter (by one rank; by sqrt(p) twice), then all ranks
// gather.
void BuildApspBlocks(const KernelScenario& scenario, model::Schedule* schedule) {
  const Sizes sizes(scenario);
  if (scenario.ranks == 1) return AddWork(sizes.operations, schedule);
  const double words = sizes.n * sizes.n / sizes.p;
  AddSuperstep(scenario, sizes.side, Scatter(sizes, 1, sizes.side, words), 0, schedule);
  AddSuperstep(scenario, 2 * sizes.side, Scatter(sizes, sizes.side, sizes.side, words), 0,
               schedule);
  AddSuperstep(scenario, 3 * sizes.side, Balanced(sizes.p, sizes.side, words),
               sizes.operations / (3 * sizes.side), schedule);
}

// The same with trees: 2 log2 p stages of n^2 / p words.
void BuildApspBlocksTree(const KernelScenario& scenario, model::Schedule* schedule) {
  const Sizes sizes(scenario);
  if (scenario.ranks == 1) return AddWork(sizes.operations, schedule);
  const double stages = 2 * std::log2(sizes.p) * sizes.side;
  AddSuperstep(scenario, stages, TreeStage(sizes, sizes.n * sizes.n / sizes.p),
               sizes.operations / stages, schedule);
}

}  // namespace cox::strategy
