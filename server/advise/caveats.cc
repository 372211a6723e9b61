#include "advise/caveats.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "domain/level.h"
#include "domain/parameter.h"
#include "domain/words/counted.h"
#include "learn/fallback_parameters.h"
#include "learn/structure.h"
#include "model/model.h"

namespace cox::advise {
namespace {

// A model without levels is fitted to the messages of any level. Those with levels tell which
// levels were measured.
bool IsAssumed(const MachineView& machine, domain::Level level) {
  const bool has_levels = learn::HasNodeLevel(*machine.model);
  bool is_copied = false;
  for (const model::Model* model : model::Models()) {
    if (has_levels ? model != machine.model : !learn::HasNodeLevel(*model)) continue;
    bool has_values = false;
    bool has_copies = false;
    for (const domain::Parameter& one : machine.profile.parameters) {
      if (one.level != level || one.model != model->id()) continue;
      has_values = true;
      has_copies |= learn::IsCopied(one);
    }
    if (has_values && !has_copies) return false;
    is_copied |= has_copies;
  }
  return is_copied;
}

// Levels that the job communicates at.
Levels LevelsOf(const JobShape& job) {
  return {.node = job.ranks > 1 && job.ppn > 1, .network = job.ranks > job.ppn};
}

bool IsAnyAssumed(const MachineView& machine, const Levels& used) {
  return (used.node && machine.assumed.node) || (used.network && machine.assumed.network);
}

}  // namespace

Levels AssumedLevels(const MachineView& machine) {
  if (machine.model == nullptr) return {};
  return {.node = !machine.timed.node && IsAssumed(machine, domain::Level::kNode),
          .network = !machine.timed.network && IsAssumed(machine, domain::Level::kNetwork)};
}

bool RestsOnAssumptions(const MachineView& machine, const JobShape& job) {
  return IsAnyAssumed(machine, LevelsOf(job));
}

std::vector<std::string> CaveatsOf(const MachineView& machine, const JobShape& job) {
  return CaveatsOf(machine, job, LevelsOf(job));
}

std::vector<std::string> CaveatsOf(const MachineView& machine, const JobShape& job,
                                   const Levels& used) {
  std::vector<std::string> caveats;
  const int64_t needed = (job.ranks - 1) / job.ppn + 1;
  const int64_t nodes = std::max(job.nodes, needed);
  if (machine.nodes > 0 && nodes > machine.nodes) {
    caveats.push_back(absl::StrCat("the job has more nodes (", nodes, ") than machine ",
                                   machine.name, " (", machine.nodes, "): times are extrapolated"));
  }
  const int64_t on_a_node = std::min(job.ppn, job.ranks);
  if (machine.cores_per_node > 0 && on_a_node > machine.cores_per_node) {
    caveats.push_back(absl::StrCat("a node runs ", on_a_node, " ranks on ",
                                   domain::Counted(machine.cores_per_node, "core"),
                                   ": no model knows the cost of shared cores"));
  }
  if (!IsAnyAssumed(machine, used)) return caveats;
  const domain::Level level =
      used.network && machine.assumed.network ? domain::Level::kNetwork : domain::Level::kNode;
  caveats.push_back(absl::StrCat("nobody measured level ", domain::LevelName(level), ": model ",
                                 machine.model->id(), " assumes the values of another level"));
  return caveats;
}

std::optional<std::string> CaveatOfPrice(const MachineView& machine, absl::string_view collective) {
  if (!machine.timed_collectives.contains(collective)) return std::nullopt;
  return absl::StrCat("times are a model's prices; machine ", machine.name, " has timings of ",
                      collective, ", which `cox recommend` uses");
}

bool IsOneReporters(const learn::AlgorithmTimings& timings, const JobShape& job,
                    int64_t block_bytes) {
  return timings.reporters.IsOneAt(job.node_count(), job.ppn, job.ranks, block_bytes);
}

std::vector<std::string> CaveatsOf(const MachineView& machine, const library::TunedJob& job,
                                   absl::Span<const library::DecisionTable> tables) {
  const JobShape shape{job.nodes, job.ppn, job.ranks()};
  std::vector<std::string> caveats = CaveatsOf(machine, shape);
  std::vector<absl::string_view> without_links;
  int64_t row_count = 0;
  int64_t lone_count = 0;
  for (const library::DecisionTable& table : tables) {
    if (table.leaves_links_out) without_links.push_back(table.collective);
    for (const library::DecisionRow& row : table.rows) {
      if (row.algorithm == learn::kDefaultAlgorithm) continue;
      ++row_count;
      const learn::AlgorithmTimings& timings = machine.corrections->TimingsOf(
          row.library.empty() ? job.library : row.library, table.collective, row.algorithm);
      lone_count += IsOneReporters(timings, shape, row.block_bytes);
    }
  }
  if (lone_count > 0) {
    caveats.push_back(absl::StrCat("one reporter alone timed what ", lone_count, " of ",
                                   domain::Counted(row_count, "row"), " ",
                                   domain::Plural(lone_count, "runs", "run"),
                                   " instead of the default: `cox recommend` says which"));
  }
  if (!without_links.empty()) {
    caveats.push_back(absl::StrCat(absl::StrJoin(without_links, ", "), ": ", kLinksLeftOut));
  }
  return caveats;
}

}  // namespace cox::advise
