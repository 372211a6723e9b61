#include "strategy/tree_steps.h"

#include <algorithm>
#include <bit>

#include "strategy/patterns.h"

namespace cox::strategy {
namespace {

double SubtreeBytes(const Scenario& scenario, int64_t child, int64_t distance, double chunk_bytes) {
  return static_cast<double>(std::min(distance, scenario.ranks - child)) * chunk_bytes;
}

}  // namespace

int64_t FarthestChild(int64_t ranks) {
  int64_t distance = 1;
  while (2 * distance < ranks) distance *= 2;
  return distance;
}

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
  const int64_t ranks = scenario.ranks;
  for (int64_t distance = 1; distance < ranks; distance *= 2) {
    for (int64_t v = 0; v < distance && v + distance < ranks; ++v) {
      out->Send((v + root) % ranks, (v + distance + root) % ranks, bytes);
    }
    out->EndStep();
  }
}

void AddFarTree(const Rooted& at, double bytes, Steps* steps) {
  if (at.nodes.ranks == 1) return;
  int64_t distance = FarthestChild(at.nodes.ranks);
  const auto least_long = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(at.nodes.ppn)));
  if (const StepRun run = LongFarTreeSteps(at, least_long); run.steps > 0) {
    steps->Add(run.mean, bytes, {}, static_cast<double>(run.steps));
    distance = least_long / 2;
  }
  for (; distance > 0; distance /= 2) steps->Add(FarTreeStep(at, distance), bytes);
}

void EnumerateFarTree(const Scenario& scenario, int64_t root, double bytes, Enumeration* out) {
  if (scenario.ranks == 1) return;
  for (int64_t distance = FarthestChild(scenario.ranks); distance > 0; distance /= 2) {
    ForEachFarEdge(scenario, root, distance, [&](int64_t parent, int64_t child, int64_t) {
      out->Send(parent, child, bytes);
    });
    out->EndStep();
  }
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
  for (int64_t distance = 1; distance < scenario.ranks; distance *= 2) {
    ForEachFarEdge(scenario, root, distance, [&](int64_t parent, int64_t child, int64_t) {
      out->Send(child, parent, bytes);
    });
    out->EndStep();
  }
}

void AddScatter(const Rooted& at, double chunk_bytes, Steps* steps) {
  if (at.nodes.ranks == 1) return;
  for (int64_t distance = FarthestChild(at.nodes.ranks); distance > 0; distance /= 2) {
    steps->Add(FarTreeScatterStep(at, distance, chunk_bytes));
  }
}

void EnumerateScatter(const Scenario& scenario, int64_t root, double chunk_bytes,
                      Enumeration* out) {
  if (scenario.ranks == 1) return;
  for (int64_t distance = FarthestChild(scenario.ranks); distance > 0; distance /= 2) {
    ForEachFarEdge(scenario, root, distance, [&](int64_t parent, int64_t child, int64_t v) {
      out->Send(parent, child, SubtreeBytes(scenario, v, distance, chunk_bytes));
    });
    out->EndStep();
  }
}

void AddGather(const Rooted& at, double chunk_bytes, Steps* steps) {
  for (int64_t distance = 1; distance < at.nodes.ranks; distance *= 2) {
    steps->Add(Reversed(FarTreeScatterStep(at, distance, chunk_bytes)));
  }
}

void EnumerateGather(const Scenario& scenario, int64_t root, double chunk_bytes, Enumeration* out) {
  for (int64_t distance = 1; distance < scenario.ranks; distance *= 2) {
    ForEachFarEdge(scenario, root, distance, [&](int64_t parent, int64_t child, int64_t v) {
      out->Send(child, parent, SubtreeBytes(scenario, v, distance, chunk_bytes));
    });
    out->EndStep();
  }
}

}  // namespace cox::strategy
