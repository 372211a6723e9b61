#include "cli/measure/bench_environment.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "cli/run/daemon_text.h"
#include "cli/run/run_settings.h"
#include "console/printable.h"

namespace cox::cli {
namespace {

// sbatch and salloc hand their options to the steps inside by variables. They come before
// COX_MODE.
constexpr absl::string_view kOptionOfSurroundingJob = "_SLURM_SPANK_OPTION_cox_";
constexpr char kMode[] = "COX_MODE";
constexpr absl::string_view kModeOption = "--cox=";
constexpr absl::string_view kOff = "off";

// A word of a launcher may name an Open MPI variable without the prefix of the environment.
bool Tunes(const std::string& mpi, absl::string_view word) {
  if (absl::ConsumePrefix(&word, kModeOption)) return word != kOff;
  const absl::string_view name = word.substr(0, word.find('='));
  return SetsAlgorithms(mpi, name) || SetsAlgorithms(mpi, absl::StrCat("OMPI_MCA_", name));
}

}  // namespace

EnvironmentChange WithoutHooks(const std::map<std::string, std::string>& environment) {
  const auto value_of = [&environment](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  };
  const RunSettings settings = Combine({}, "", "", "", "", value_of);
  EnvironmentChange change;
  change.set = {settings.set.begin(), settings.set.end()};
  change.set[kMode] = std::string(kOff);
  change.without = {settings.unset.begin(), settings.unset.end()};
  for (const auto& [name, value] : environment) {
    if (absl::StrContains(name, kOptionOfSurroundingJob)) change.without.insert(name);
  }
  return change;
}

void SetEnvironment(const EnvironmentChange& change, std::map<std::string, std::string> own,
                    console::ChildCommand* command) {
  own.insert(change.set.begin(), change.set.end());
  command->environment = std::move(own);
  command->without = change.without;
}

absl::Status CheckUntuned(const std::string& mpi, const std::vector<std::string>& launcher,
                          const std::map<std::string, std::string>& environment) {
  constexpr char kWhy[] = " tunes the jobs that measure, and timings would have wrong names; ";
  const EnvironmentChange change = WithoutHooks(environment);
  for (const auto& [name, value] : environment) {
    if (change.without.count(name) > 0 || !SetsAlgorithms(mpi, name)) continue;
    return absl::FailedPreconditionError(absl::StrCat("variable ", name, kWhy, "unset it first"));
  }
  for (const std::string& word : launcher) {
    if (!Tunes(mpi, word)) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("the launcher's word ", console::Printable(word), kWhy, "leave it out"));
  }
  return absl::OkStatus();
}

}  // namespace cox::cli
