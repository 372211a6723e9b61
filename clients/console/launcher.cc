#include "console/launcher.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "console/command_words.h"
#include "console/programs.h"

namespace cox::console {
namespace {

struct MpiKind {
  const char* name;
  std::vector<std::string> launchers;  // names of the program, the surest first
  std::vector<std::string> options;
  std::vector<std::string> crowded;  // in addition with more ranks than cores
  std::vector<std::string> as_root;  // in addition for root
};

// A name without a suffix may belong to the other MPI: it comes last.
const std::vector<MpiKind>& Kinds() {
  static const auto* const kKinds = new std::vector<MpiKind>{
      {"openmpi",
       {"mpirun.openmpi", "mpirun"},
       {"-n", "{ranks}", "--oversubscribe"},
       {"--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"},
       {"--allow-run-as-root"}},
      {"mpich", {"mpirun.mpich", "mpiexec.hydra", "mpiexec"}, {"-n", "{ranks}"}, {}, {}},
  };
  return *kKinds;
}

void Append(const std::vector<std::string>& words, std::vector<std::string>& all) {
  all.insert(all.end(), words.begin(), words.end());
}

const MpiKind* FindKind(const std::string& mpi) {
  const auto found = std::find_if(Kinds().begin(), Kinds().end(),
                                  [&](const MpiKind& kind) { return mpi == kind.name; });
  return found == Kinds().end() ? nullptr : &*found;
}

std::vector<std::string> UsualLauncher(const MpiKind& kind, const std::string& program,
                                       int64_t max_ranks) {
  std::vector<std::string> words = {program};
  Append(kind.options, words);
  if (max_ranks > UsableCores()) Append(kind.crowded, words);
  if (geteuid() == 0) Append(kind.as_root, words);
  return words;
}

using Replacements = std::vector<std::pair<absl::string_view, std::string>>;

std::vector<std::string> Replace(std::vector<std::string> words, const Replacements& replacements) {
  for (std::string& word : words) absl::StrReplaceAll(replacements, &word);
  return words;
}

}  // namespace

const std::vector<std::string>& KnownMpis() {
  static const auto* const kNames = [] {
    auto* names = new std::vector<std::string>;
    for (const MpiKind& kind : Kinds()) names->emplace_back(kind.name);
    return names;
  }();
  return *kNames;
}

std::string FindBench(const std::string& mpi) {
  return FindProgram(absl::StrCat("cox-bench.", mpi));
}

std::string FindLauncher(const std::string& mpi) {
  const MpiKind* kind = FindKind(mpi);
  return kind == nullptr ? "" : FirstInPath(kind->launchers);
}

absl::StatusOr<MpiPrograms> FindMpiPrograms(const std::string& mpi, const std::string& launcher,
                                            int64_t max_ranks) {
  std::vector<std::string> given;
  if (!launcher.empty()) {
    absl::StatusOr<std::vector<std::string>> words = SplitCommand(launcher);
    if (!words.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--launcher: ", words.status().message()));
    }
    given = *std::move(words);
  }
  std::vector<std::string> missing;
  for (const MpiKind& kind : Kinds()) {
    if (!mpi.empty() && mpi != kind.name) continue;
    const std::string bench = FindBench(kind.name);
    const std::string program = FindLauncher(kind.name);
    if (bench.empty()) {
      missing.push_back(absl::StrCat("cox-bench.", kind.name, " (beside cox or in PATH)"));
    } else if (program.empty() && given.empty()) {
      missing.push_back(absl::StrCat(kind.launchers.front(), " in PATH"));
    } else {
      return MpiPrograms{kind.name, bench,
                         given.empty() ? UsualLauncher(kind, program, max_ranks) : given};
    }
  }
  return absl::NotFoundError(absl::StrCat("there is no ", absl::StrJoin(missing, ", no "),
                                          "; install the MPI library and Coxswain's benchmark for "
                                          "it"));
}

std::vector<std::string> LaunchWords(const std::vector<std::string>& launcher, int64_t ranks) {
  return Replace(launcher, {{"{ranks}", absl::StrCat(ranks)}});
}

std::vector<std::string> LaunchWords(const std::vector<std::string>& launcher,
                                     const PlacedJob& job) {
  return Replace(launcher, {{"{ranks}", absl::StrCat(job.ranks)},
                            {"{ppn}", absl::StrCat(job.ppn)},
                            {"{nodes}", absl::StrCat(job.hosts.size())},
                            {"{hosts}", absl::StrJoin(job.hosts, ",")}});
}

bool HasPlaceholder(const std::vector<std::string>& launcher, absl::string_view placeholder) {
  return std::any_of(launcher.begin(), launcher.end(),
                     [&](const std::string& word) { return absl::StrContains(word, placeholder); });
}

int64_t UsableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max<int64_t>(1, sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace cox::console
