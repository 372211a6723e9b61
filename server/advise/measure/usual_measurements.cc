#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "advise/measure/suggest.h"
#include "advise/tuning/tuning.h"
#include "domain/collective.h"
#include "domain/parse_collective.h"
#include "learn/structure.h"
#include "library/algorithms.h"
#include "library/run_time_number.h"
#include "strategy/benchmarked.h"
#include "strategy/scenario.h"

namespace cox::advise {
namespace {

constexpr size_t kMostHalvings = 7;
constexpr int64_t kLeastBytes = 4;
constexpr int64_t kMostBytes = int64_t{1} << 20;
constexpr int64_t kSizeStep = 8;

using Names = std::map<std::string, std::set<std::string>>;  // algorithms of each collective

// What the library's table allows for every call of a program, of what cox-bench can time.
void AddListed(absl::string_view library, Names* names) {
  TuningQuestion question;
  question.job.library = std::string(library);
  question.job.assume.commutative = true;
  for (int i = 0; i < domain::kCollectiveCount; ++i) {
    const auto collective = static_cast<domain::Collective>(i);
    if (!strategy::IsBenchmarked(collective) || !library::Lists(library, collective)) continue;
    const std::vector<std::string> candidates = QuestionFor(question, collective).candidates;
    (*names)[domain::CollectiveName(collective)].insert(candidates.begin(), candidates.end());
  }
}

void AddObserved(const MachineView& machine, absl::string_view library, Names* names) {
  for (const learn::Cell& cell : machine.cells) {
    if (cell.library != library || cell.algorithm == learn::kSelectionFile) continue;
    (*names)[cell.collective].insert({cell.algorithm, std::string(learn::kDefaultAlgorithm)});
  }
}

// All nodes, half of them and so on, and three quarters of each: algorithms behave differently
// where ranks are no power of two (M. Wilkins et al., "ACCLAiM", CLUSTER 2022, section IV-C).
std::set<int64_t, std::greater<>> NodeCounts(int64_t most) {
  std::set<int64_t, std::greater<>> counts;
  for (size_t i = 0; i < kMostHalvings; ++i) {
    counts.insert({most, (3 * most + 3) / 4});
    most = (most + 1) / 2;
  }
  return counts;
}

// (nodes, ranks per node), at least two ranks each.
std::vector<std::pair<int64_t, int64_t>> Shapes(const MachineView& machine) {
  std::vector<std::pair<int64_t, int64_t>> shapes;
  std::set<int64_t> ranks_per_node = {1, std::max<int64_t>(1, machine.cores_per_node)};
  for (const int64_t nodes : NodeCounts(std::max<int64_t>(1, machine.nodes))) {
    for (const int64_t ppn : ranks_per_node) {
      if (nodes * ppn > 1) shapes.emplace_back(nodes, ppn);
    }
  }
  return shapes;
}

// Whether the library runs the algorithm in this call, and not another one in its place.
bool RunsAsItself(absl::string_view library, const Measurement& one) {
  const auto collective = domain::ParseCollective(one.collective);
  if (!collective.ok()) return true;
  const library::Algorithm* row = library::FindAlgorithm(library, *collective, one.algorithm);
  if (row == nullptr) return true;
  const strategy::Scenario scenario{.collective = *collective,
                                    .ranks = one.ranks,
                                    .ppn = one.ppn,
                                    .block_bytes = one.block_bytes,
                                    .type_bytes = one.type_bytes};
  return library::Effective(*row, scenario, library::kUsualCalls) == row;
}

}  // namespace

std::vector<Measurement> UsualMeasurements(const MachineView& machine, absl::string_view library) {
  Names names;
  AddListed(library, &names);
  AddObserved(machine, library, &names);
  // libcoxcoll has no default.
  if (library == library::kCoxcoll) {
    for (auto& [_, algorithms] : names) algorithms.erase(std::string(learn::kDefaultAlgorithm));
  }
  std::vector<Measurement> measurements;
  for (const auto& [nodes, ppn] : Shapes(machine)) {
    for (const auto& [collective, algorithms] : names) {
      const bool has_size = collective != domain::CollectiveName(domain::Collective::kBarrier);
      const int64_t most_bytes = has_size ? kMostBytes : 0;
      for (int64_t bytes = has_size ? kLeastBytes : 0; bytes <= most_bytes;
           bytes = std::max<int64_t>(1, bytes * kSizeStep)) {
        for (const std::string& algorithm : algorithms) {
          if (measurements.size() == kMaxMeasurements) return measurements;
          Measurement one{.collective = collective,
                          .algorithm = algorithm,
                          .nodes = nodes,
                          .ppn = ppn,
                          .ranks = nodes * ppn,
                          .block_bytes = bytes};
          if (RunsAsItself(library, one)) measurements.push_back(std::move(one));
        }
      }
    }
  }
  return measurements;
}

}  // namespace cox::advise
