#include "strategy/algorithms/rooted/binomial_steps.h"

#include "strategy/traffic/step_patterns.h"
#include "topology/near_tree.h"
#include "topology/powers_of_two.h"

namespace cox::strategy {
namespace {

// Adds a step for each level of the binomial tree of `scenario` with this root.
template <typename BytesOf>
void EnumerateBinomial(const Scenario& scenario, int64_t root, Direction direction,
                       const BytesOf& bytes_of, Enumeration* out) {
  SendAlong(topology::RootedTree::Binomial(scenario.ranks, root), direction, bytes_of, out,
            [out] { out->EndStep(); });
}

// The steps of a far tree that are alike, and the distances of the others: begin, 2 begin, ... <
// end.
struct FarTreeRuns {
  explicit FarTreeRuns(const Rooted& at)
      : near(ShortFarTreeSteps(at)), begin(int64_t{1} << near.steps) {
    const int64_t all = int64_t{1} << topology::DoublingsTo(at.nodes.ranks);
    const int64_t longer = int64_t{1} << topology::DoublingsTo(at.nodes.ppn);
    far = LongFarTreeSteps(at, longer);
    end = far.steps > 0 ? longer : all;
  }

  StepRun near;
  StepRun far;
  int64_t begin;
  int64_t end;
};

auto ChunksOf(double chunk_bytes) {
  return [chunk_bytes](const topology::RootedTree::Edge& edge) {
    return static_cast<double>(edge.blocks.count) * chunk_bytes;
  };
}

}  // namespace

void AddNearTree(const Rooted& at, double bytes, Steps* steps) {
  const StepRun near = ShortNearTreeSteps(at);
  steps->Add(near.mean, bytes, {}, static_cast<double>(near.steps));
  for (int64_t distance = int64_t{1} << near.steps; distance < at.nodes.ranks;) {
    const StepRun run = LongNearTreeSteps(at, distance);
    if (run.steps > 0) {
      steps->Add(run.mean, bytes, {}, static_cast<double>(run.steps));
      distance <<= run.steps;
    } else {
      steps->Add(NearTreeStep(at, distance), bytes);
      distance *= 2;
    }
  }
}

void EnumerateNearTree(const Scenario& scenario, int64_t root, double bytes, Enumeration* out) {
  const topology::NearTree tree{scenario.ranks, root};
  for (int64_t distance = 1; distance < scenario.ranks; distance *= 2) {
    for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
      const int64_t child = tree.ChildAt(rank, distance);
      if (child >= 0) out->Send(rank, child, bytes);
    }
    out->EndStep();
  }
}

void AddFarTree(const Rooted& at, double bytes, Steps* steps) {
  const FarTreeRuns runs(at);
  steps->Add(runs.far.mean, bytes, {}, static_cast<double>(runs.far.steps));
  for (int64_t distance = runs.end / 2; distance >= runs.begin; distance /= 2) {
    steps->Add(FarTreeStep(at, distance), bytes);
  }
  steps->Add(runs.near.mean, bytes, {}, static_cast<double>(runs.near.steps));
}

void EnumerateFarTree(const Scenario& scenario, int64_t root, double bytes, Enumeration* out) {
  EnumerateBinomial(
      scenario, root, Direction::kFromRoot,
      [bytes](const topology::RootedTree::Edge&) { return bytes; }, out);
}

void AddReduction(const Rooted& at, double bytes, Steps* steps) {
  const model::LocalWork work{0, bytes};
  const FarTreeRuns runs(at);
  steps->Add(Reversed(runs.near.mean), bytes, work, static_cast<double>(runs.near.steps));
  for (int64_t distance = runs.begin; distance < runs.end; distance *= 2) {
    steps->Add(Reversed(FarTreeStep(at, distance)), bytes, work);
  }
  steps->Add(Reversed(runs.far.mean), bytes, work, static_cast<double>(runs.far.steps));
}

void EnumerateReduction(const Scenario& scenario, int64_t root, double bytes, Enumeration* out) {
  EnumerateBinomial(
      scenario, root, Direction::kToRoot,
      [bytes](const topology::RootedTree::Edge&) { return bytes; }, out);
}

void AddScatter(const Rooted& at, double chunk_bytes, Steps* steps) {
  if (at.nodes.ranks == 1) return;
  for (int64_t distance = topology::FarthestChild(at.nodes.ranks); distance > 0; distance /= 2) {
    steps->Add(FarTreeScatterStep(at, distance, chunk_bytes));
  }
}

void EnumerateScatter(const Scenario& scenario, int64_t root, double chunk_bytes,
                      Enumeration* out) {
  EnumerateBinomial(scenario, root, Direction::kFromRoot, ChunksOf(chunk_bytes), out);
}

void AddScatterRing(const Rooted& at, double chunk_bytes, const model::LocalWork& work,
                    Steps* steps) {
  if (at.nodes.ranks == 1) return;
  AddScatter(at, chunk_bytes, steps);
  steps->Add(Shift(at.nodes, 1), chunk_bytes, work, static_cast<double>(at.nodes.ranks - 1));
}

void EnumerateScatterRing(const Scenario& scenario, int64_t root, double chunk_bytes,
                          Enumeration* out) {
  EnumerateScatter(scenario, root, chunk_bytes, out);
  for (int64_t step = 1; step < scenario.ranks; ++step) {
    for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
      out->Send(rank, (rank + 1) % scenario.ranks, chunk_bytes);
    }
    out->EndStep();
  }
}

void AddGather(const Rooted& at, double chunk_bytes, Steps* steps) {
  for (int64_t distance = 1; distance < at.nodes.ranks; distance *= 2) {
    steps->Add(Reversed(FarTreeScatterStep(at, distance, chunk_bytes)));
  }
}

void EnumerateGather(const Scenario& scenario, int64_t root, double chunk_bytes, Enumeration* out) {
  EnumerateBinomial(scenario, root, Direction::kToRoot, ChunksOf(chunk_bytes), out);
}

}  // namespace cox::strategy
