#include "cli/run/job_shape.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "console/numbers.h"
#include "console/programs.h"
#include "domain/words/counted.h"
#include "files/file_io.h"

namespace cox::cli {
namespace {

using Launcher = LauncherKind;

struct LauncherName {
  const char* name;
  Launcher kind;
};
// Names of programs once links are followed.
constexpr LauncherName kLaunchers[] = {
    {"orterun", Launcher::kOpenMpi},        {"prterun", Launcher::kOpenMpi},
    {"mpirun.openmpi", Launcher::kOpenMpi}, {"mpiexec.openmpi", Launcher::kOpenMpi},
    {"mpiexec.hydra", Launcher::kHydra},    {"mpirun.mpich", Launcher::kHydra},
    {"mpiexec.mpich", Launcher::kHydra},    {"srun", Launcher::kSrun},
};

enum class OptionMeaning { kRanks, kNodes, kPpn, kHosts, kMapBy, kOther };

struct LauncherOption {
  Launcher kind;
  const char* name;
  OptionMeaning meaning;
  int values;  // words that follow
};
constexpr LauncherOption kOptions[] = {
    {Launcher::kOpenMpi, "-n", OptionMeaning::kRanks, 1},
    {Launcher::kOpenMpi, "--n", OptionMeaning::kRanks, 1},
    {Launcher::kOpenMpi, "-np", OptionMeaning::kRanks, 1},
    {Launcher::kOpenMpi, "--np", OptionMeaning::kRanks, 1},
    {Launcher::kOpenMpi, "-c", OptionMeaning::kRanks, 1},
    {Launcher::kOpenMpi, "-N", OptionMeaning::kPpn, 1},
    {Launcher::kOpenMpi, "-npernode", OptionMeaning::kPpn, 1},
    {Launcher::kOpenMpi, "--npernode", OptionMeaning::kPpn, 1},
    {Launcher::kOpenMpi, "--map-by", OptionMeaning::kMapBy, 1},
    {Launcher::kOpenMpi, "-map-by", OptionMeaning::kMapBy, 1},
    {Launcher::kOpenMpi, "-H", OptionMeaning::kHosts, 1},
    {Launcher::kOpenMpi, "-host", OptionMeaning::kHosts, 1},
    {Launcher::kOpenMpi, "--host", OptionMeaning::kHosts, 1},
    {Launcher::kOpenMpi, "-hostfile", OptionMeaning::kHosts, 1},
    {Launcher::kOpenMpi, "--hostfile", OptionMeaning::kHosts, 1},
    {Launcher::kOpenMpi, "-machinefile", OptionMeaning::kHosts, 1},
    {Launcher::kOpenMpi, "--machinefile", OptionMeaning::kHosts, 1},
    {Launcher::kOpenMpi, "-mca", OptionMeaning::kOther, 2},
    {Launcher::kOpenMpi, "--mca", OptionMeaning::kOther, 2},
    {Launcher::kOpenMpi, "-gmca", OptionMeaning::kOther, 2},
    {Launcher::kOpenMpi, "--gmca", OptionMeaning::kOther, 2},
    {Launcher::kOpenMpi, "-x", OptionMeaning::kOther, 1},
    {Launcher::kOpenMpi, "-am", OptionMeaning::kOther, 1},
    {Launcher::kOpenMpi, "--am", OptionMeaning::kOther, 1},
    {Launcher::kOpenMpi, "--tune", OptionMeaning::kOther, 1},
    {Launcher::kOpenMpi, "-wdir", OptionMeaning::kOther, 1},
    {Launcher::kOpenMpi, "--wdir", OptionMeaning::kOther, 1},
    {Launcher::kOpenMpi, "--prefix", OptionMeaning::kOther, 1},
    {Launcher::kOpenMpi, "-bind-to", OptionMeaning::kOther, 1},
    {Launcher::kOpenMpi, "--bind-to", OptionMeaning::kOther, 1},
    {Launcher::kOpenMpi, "--rank-by", OptionMeaning::kOther, 1},
    {Launcher::kOpenMpi, "-rf", OptionMeaning::kHosts, 1},
    {Launcher::kOpenMpi, "--rankfile", OptionMeaning::kHosts, 1},
    {Launcher::kHydra, "-n", OptionMeaning::kRanks, 1},
    {Launcher::kHydra, "-np", OptionMeaning::kRanks, 1},
    {Launcher::kHydra, "-ppn", OptionMeaning::kPpn, 1},
    {Launcher::kHydra, "-perhost", OptionMeaning::kPpn, 1},
    {Launcher::kHydra, "-f", OptionMeaning::kHosts, 1},
    {Launcher::kHydra, "-hostfile", OptionMeaning::kHosts, 1},
    {Launcher::kHydra, "-machinefile", OptionMeaning::kHosts, 1},
    {Launcher::kHydra, "-host", OptionMeaning::kHosts, 1},
    {Launcher::kHydra, "-hosts", OptionMeaning::kHosts, 1},
    {Launcher::kHydra, "-env", OptionMeaning::kOther, 2},
    {Launcher::kHydra, "-genv", OptionMeaning::kOther, 2},
    {Launcher::kHydra, "-envlist", OptionMeaning::kOther, 1},
    {Launcher::kHydra, "-genvlist", OptionMeaning::kOther, 1},
    {Launcher::kHydra, "-wdir", OptionMeaning::kOther, 1},
    {Launcher::kHydra, "-launcher", OptionMeaning::kOther, 1},
    {Launcher::kHydra, "-bind-to", OptionMeaning::kOther, 1},
    {Launcher::kHydra, "-map-by", OptionMeaning::kOther, 1},
    {Launcher::kSrun, "-n", OptionMeaning::kRanks, 1},
    {Launcher::kSrun, "--ntasks", OptionMeaning::kRanks, 1},
    {Launcher::kSrun, "-N", OptionMeaning::kNodes, 1},
    {Launcher::kSrun, "--nodes", OptionMeaning::kNodes, 1},
    {Launcher::kSrun, "--ntasks-per-node", OptionMeaning::kPpn, 1},
    {Launcher::kSrun, "-w", OptionMeaning::kOther, 1},
    {Launcher::kSrun, "-p", OptionMeaning::kOther, 1},
    {Launcher::kSrun, "-c", OptionMeaning::kOther, 1},
    {Launcher::kSrun, "-t", OptionMeaning::kOther, 1},
    {Launcher::kSrun, "-o", OptionMeaning::kOther, 1},
    {Launcher::kSrun, "-e", OptionMeaning::kOther, 1},
    {Launcher::kSrun, "-J", OptionMeaning::kOther, 1},
    {Launcher::kSrun, "-A", OptionMeaning::kOther, 1},
    {Launcher::kSrun, "-D", OptionMeaning::kOther, 1},
};

const LauncherOption* FindOption(Launcher kind, absl::string_view name) {
  const auto* found = std::find_if(
      std::begin(kOptions), std::end(kOptions),
      [&](const LauncherOption& option) { return option.kind == kind && name == option.name; });
  return found == std::end(kOptions) ? nullptr : found;
}

// 0 for a text that is not a number of ranks or nodes.
int64_t Count(absl::string_view text) {
  return console::ParseInteger(text, 1, console::kMaxCount).value_or(0);
}

// The first mention counts: what comes later may be the program's own.
void SetOnce(int64_t value, int64_t& to) {
  if (to == 0) to = value;
}

void Take(OptionMeaning meaning, const std::string& value, LauncherWords& words) {
  switch (meaning) {
    case OptionMeaning::kRanks:
      SetOnce(Count(value), words.ranks);
      break;
    case OptionMeaning::kNodes:
      SetOnce(Count(value), words.nodes);
      break;
    case OptionMeaning::kPpn:
      SetOnce(Count(value), words.ppn);
      break;
    case OptionMeaning::kHosts:
      words.hosts_named = true;
      break;
    case OptionMeaning::kMapBy: {
      // "ppr:4:node": four processes per node.
      const std::vector<std::string> parts = absl::StrSplit(value, ':');
      if (parts.size() >= 3 && parts[0] == "ppr" && parts[2] == "node") {
        SetOnce(Count(parts[1]), words.ppn);
      }
      break;
    }
    case OptionMeaning::kOther:
      break;
  }
}

// Ranks on each node, as Slurm writes them ("4(x16)", "4,4"); 0 where nodes differ.
int64_t UniformTasksPerNode(absl::string_view text) {
  int64_t uniform = 0;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const int64_t tasks = Count(part.substr(0, part.find('(')));
    if (tasks == 0 || (uniform != 0 && tasks != uniform)) return 0;
    uniform = tasks;
  }
  return uniform;
}

// A host a line, as often as it has ranks.
JobShape ShapeOfNodeFile(const std::string& path) {
  const absl::StatusOr<std::string> content = ReadFile(path);
  if (!content.ok()) return {};
  std::map<std::string, int64_t> ranks_of;
  for (const absl::string_view line : absl::StrSplit(*content, '\n', absl::SkipWhitespace())) {
    ++ranks_of[std::string(line)];
  }
  if (ranks_of.empty()) return {};
  const int64_t ppn = ranks_of.begin()->second;
  const bool alike = std::all_of(ranks_of.begin(), ranks_of.end(),
                                 [ppn](const auto& host) { return host.second == ppn; });
  return {static_cast<int64_t>(ranks_of.size()), alike ? ppn : 0};
}

// The scheduler's shape; zeros where it gives none.
JobShape ShapeOfAllocation(const Environment& environment) {
  // salloc's shell is a step of one task that keeps its job's layout: a launcher in it has the
  // job's nodes.
  const bool is_shell = Count(tuning::ValueOrEmpty(environment, "SLURM_STEP_NUM_TASKS")) == 1 &&
                        tuning::ValueOrEmpty(environment, "SLURM_TASKS_PER_NODE") !=
                            tuning::ValueOrEmpty(environment, "SLURM_STEP_TASKS_PER_NODE");
  // Else a step's own shape goes before its job's.
  const std::pair<const char*, const char*> of_slurm[] = {
      {"SLURM_STEP_NUM_NODES", "SLURM_STEP_TASKS_PER_NODE"},
      {"SLURM_JOB_NUM_NODES", "SLURM_TASKS_PER_NODE"}};
  for (const auto& [nodes, tasks] : absl::MakeConstSpan(of_slurm).subspan(is_shell ? 1 : 0)) {
    if (const int64_t count = Count(tuning::ValueOrEmpty(environment, nodes)); count > 0) {
      return {count, UniformTasksPerNode(tuning::ValueOrEmpty(environment, tasks))};
    }
  }
  if (const char* path = environment("PBS_NODEFILE"); path != nullptr) return ShapeOfNodeFile(path);
  return {};
}

// How `ranks` fill an allocation whose nodes are filled one after the other; ppn 0: not alike.
JobShape Fill(int64_t ranks, const JobShape& allocation) {
  if (allocation.ppn == 0) return {allocation.nodes, 0};
  if (ranks <= allocation.ppn) return {1, ranks};
  const int64_t room = allocation.nodes * allocation.ppn;
  if (ranks > room) {
    return {allocation.nodes, ranks % allocation.nodes == 0 ? ranks / allocation.nodes : 0};
  }
  return {(ranks + allocation.ppn - 1) / allocation.ppn,
          ranks % allocation.ppn == 0 ? allocation.ppn : 0};
}

// A shape of `ranks`, of which `shape` says a part.
JobShape Complete(int64_t ranks, JobShape shape) {
  if (ranks == 0) return shape;
  if (shape.nodes == 0 && shape.ppn > 0) {
    shape.nodes = (ranks + std::min(shape.ppn, ranks) - 1) / std::min(shape.ppn, ranks);
    shape.ppn = std::min(shape.ppn, ranks);
  } else if (shape.ppn == 0 && shape.nodes > 0 && ranks % shape.nodes == 0) {
    shape.ppn = ranks / shape.nodes;
  }
  return shape;
}

}  // namespace

LauncherKind KindOfLauncher(const std::string& program) {
  const std::string path = console::FindInPath(program);
  if (path.empty()) return Launcher::kNone;
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  for (const std::string& name :
       {real.filename().string(), std::filesystem::path(path).filename().string()}) {
    for (const LauncherName& launcher : kLaunchers) {
      if (name == launcher.name) return launcher.kind;
    }
  }
  return Launcher::kNone;
}

absl::StatusOr<LauncherWords> ReadLauncherWords(const std::vector<std::string>& command) {
  LauncherWords words;
  if (command.empty()) return words;
  words.kind = KindOfLauncher(command[0]);
  if (words.kind == Launcher::kNone) return words;
  size_t at = 1;
  while (at < command.size() && command[at].size() > 1 && command[at][0] == '-') {
    std::string name = command[at];
    std::optional<std::string> attached;
    if (const size_t equals = name.find('='); equals != std::string::npos) {
      attached = name.substr(equals + 1);
      name.resize(equals);
    }
    const LauncherOption* option = FindOption(words.kind, name);
    // "-n4" of srun.
    if (option == nullptr && name.size() > 2 && name[1] != '-' && !attached) {
      option = FindOption(words.kind, name.substr(0, 2));
      if (option != nullptr && Count(name.substr(2)) > 0) {
        attached = name.substr(2);
      } else {
        option = nullptr;
      }
    }
    ++at;
    if (option == nullptr) {
      // An unknown option may have a value; a value is not an executable program.
      const bool value_follows = !attached && at < command.size() && command[at][0] != '-' &&
                                 console::FindInPath(command[at]).empty();
      if (value_follows) ++at;
      continue;
    }
    if (attached) {
      Take(option->meaning, *attached, words);
    } else if (at < command.size()) {
      Take(option->meaning, command[at], words);
      at += static_cast<size_t>(option->values);
    }
  }
  words.program_at = std::min(at, command.size());
  if (words.kind != Launcher::kSrun &&
      std::find(command.begin() + static_cast<std::ptrdiff_t>(words.program_at), command.end(),
                ":") != command.end()) {
    return absl::InvalidArgumentError("several programs are started at once");
  }
  return words;
}

std::optional<StepTask> FindStepTask(const Environment& environment) {
  constexpr std::pair<const char*, const char*> kCountAndRank[] = {
      {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
      {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
      {"PMI_SIZE", "PMI_RANK"}};
  for (const auto& [count_name, rank_name] : kCountAndRank) {
    const char* rank = environment(rank_name);
    const int64_t count = Count(tuning::ValueOrEmpty(environment, count_name));
    if (rank != nullptr && count > 1) return StepTask{Count(rank), count};
  }
  return std::nullopt;
}

absl::StatusOr<JobShape> FindJobShape(const JobShape& given, const LauncherWords& words,
                                      const Environment& environment) {
  JobShape shape = {given.nodes > 0 ? given.nodes : words.nodes,
                    given.ppn > 0 ? given.ppn : words.ppn};
  shape = Complete(words.ranks, shape);
  const JobShape allocation = ShapeOfAllocation(environment);
  if (shape.nodes == 0 && shape.ppn == 0 && words.ranks > 0) {
    if (allocation.nodes > 0) {
      shape = Fill(words.ranks, allocation);
    } else if (!words.hosts_named) {
      shape = {1, words.ranks};
    }
  } else if (words.ranks == 0) {
    if (shape.nodes == 0) shape.nodes = allocation.nodes;
    if (shape.ppn == 0) shape.ppn = allocation.ppn;
  }
  if (shape.nodes == 0 || shape.ppn == 0) {
    return absl::FailedPreconditionError(
        "the job's shape is not known, or its nodes are not filled alike; say --nodes and --ppn");
  }
  if (words.ranks > 0 && words.ranks != shape.nodes * shape.ppn) {
    return absl::FailedPreconditionError(absl::StrCat(
        domain::Counted(words.ranks, "rank"), domain::Plural(words.ranks, " does", " do"),
        " not fill ", domain::Counted(shape.nodes, "node"), " with ", shape.ppn,
        " each; say --nodes and --ppn"));
  }
  return shape;
}

}  // namespace cox::cli
