#include "strategy/algorithms/rooted/binomial_steps.h"

#include <bit>

#include "strategy/traffic/step_patterns.h"
#include "topology/near_tree.h"

namespace cox::strategy {
namespace {

// Adds a step for each level of the binomial tree of `scenario` with this root.
template <typename BytesOf>
void EnumerateBinomial(const Scenario& scenario, int64_t root, Direction direction,
                       const BytesOf& bytes_of, Enumeration* out) {
  SendAlong(topology::RootedTree::Binomial(scenario.ranks, root), direction, bytes_of, out,
            [out] { out->EndStep(); });
}

auto ChunksOf(double chunk_bytes) {
  return [chunk_bytes](const topology::RootedTree::Edge& edge) {
    return static_cast<double>(edge.blocks.count) * chunk_bytes;
  };
}

}  // namespace

void AddNearTree(const Rooted& at, double bytes, Steps* steps) {
  for (int64_t distance = 1; distance < at.nodes.ranks;) {
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
  if (at.nodes.ranks == 1) return;
  int64_t distance = topology::FarthestChild(at.nodes.ranks);
  const auto least_long = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(at.nodes.ppn)));
  if (const StepRun run = LongFarTreeSteps(at, least_long); run.steps > 0) {
    steps->Add(run.mean, bytes, {}, static_cast<double>(run.steps));
    distance = least_long / 2;
  }
  for (; distance > 0; distance /= 2) steps->Add(FarTreeStep(at, distance), bytes);
}

void EnumerateFarTree(const Scenario& scenario, int64_t root, double bytes, Enumeration* out) {
  EnumerateBinomial(
      scenario, root, Direction::kFromRoot,
      [bytes](const topology::RootedTree::Edge&) { return bytes; }, out);
}

void AddReduction(const Rooted& at, double bytes, Steps* steps) {
  const model::LocalWork work{0, bytes};
  for (int64_t distance = 1; distance < at.nodes.ranks; distance *= 2) {
    const StepRun run = LongFarTreeSteps(at, distance);
    if (run.steps > 0) {
      steps->Add(Reversed(run.mean), bytes, work, static_cast<double>(run.steps));
      return;
    }
    steps->Add(Reversed(FarTreeStep(at, distance)), bytes, work);
  }
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
