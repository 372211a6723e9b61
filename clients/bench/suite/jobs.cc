#include "bench/suite/jobs.h"

#include <sys/stat.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "console/child_process.h"
#include "console/launcher.h"
#include "console/programs.h"

namespace cox::bench {
namespace {

constexpr double kJobLimit_s = 600;
constexpr double kAnswerLimit_s = 60;

bool IsFolder(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// The folder of the examples in a build or an installation.
std::string FindExamples(const std::string& asked) {
  if (!asked.empty()) return IsFolder(asked) ? asked : "";
  for (const absl::string_view folder : {"examples", "libexec/coxswain/examples"}) {
    std::string path = absl::StrCat(console::OwnFolder(), "/../", folder);
    if (IsFolder(path)) return path;
  }
  return "";
}

// The standard output of a program that ended well.
absl::StatusOr<std::string> OutputOf(const std::vector<std::string>& words, double limit_s) {
  std::string last_line;
  console::ChildCommand command;
  command.words = words;
  command.limit_s = limit_s;
  command.on_error_line = [&](absl::string_view line) { last_line = std::string(line); };
  absl::StatusOr<console::ChildResult> result = console::RunChild(command);
  if (!result.ok()) return result.status();
  if (result->exit_code != 0) {
    return absl::UnknownError(absl::StrCat("ended with exit code ", result->exit_code,
                                           last_line.empty() ? "" : ": ", last_line));
  }
  return std::move(result->out);
}

absl::Status About(const std::string& what, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(what, ": ", status.message()));
}

void Append(const std::vector<std::string>& words, std::vector<std::string>& all) {
  all.insert(all.end(), words.begin(), words.end());
}

std::vector<std::string> JobWords(const SuitePrograms& programs, const SuiteOptions& options,
                                  const Experiment& experiment, const std::string& messages) {
  std::vector<std::string> words = console::LaunchWords(programs.launcher, experiment.ranks);
  words.push_back(absl::StrCat(programs.examples, "/", experiment.program, ".", programs.mpi));
  Append({"--size", absl::StrCat(experiment.size), "--algorithm", experiment.algorithms,
          "--repeats", absl::StrCat(options.repeats), "--messages", messages},
         words);
  if (!experiment.variant.empty()) Append({"--variant", experiment.variant}, words);
  if (experiment.degree > 0) Append({"--degree", absl::StrCat(experiment.degree)}, words);
  return words;
}

std::vector<std::string> QuestionWords(const SuitePrograms& programs, const SuiteOptions& options,
                                       const Experiment& experiment, const std::string& messages) {
  std::vector<std::string> words = {programs.cox};
  if (!options.server.empty()) Append({"--server", options.server}, words);
  words.emplace_back("--json");
  if (!experiment.kernel.empty()) {
    Append({"kernel", "--kernel", experiment.kernel, "-n", absl::StrCat(experiment.size), "-p",
            absl::StrCat(experiment.ranks), "--word-bytes", absl::StrCat(experiment.word_bytes)},
           words);
  } else {
    const int64_t ppn = options.ppn > 0 ? options.ppn : experiment.ranks;
    Append({"pattern", "--file", messages, "-p", absl::StrCat(experiment.ranks), "--ppn",
            absl::StrCat(ppn), "--route", "all"},
           words);
  }
  Append({"-m", options.machine, "--model", "all"}, words);
  return words;
}

}  // namespace

absl::StatusOr<SuitePrograms> FindSuitePrograms(const SuiteOptions& options) {
  absl::StatusOr<console::MpiPrograms> mpi =
      console::FindMpiPrograms(options.mpi, options.launcher, options.ranks);
  if (!mpi.ok()) return mpi.status();
  SuitePrograms programs = {console::FindProgram("cox"), FindExamples(options.examples), mpi->mpi,
                            std::move(mpi->launcher)};
  if (programs.cox.empty())
    return absl::NotFoundError("cannot find cox: neither beside cox-bench nor in PATH");
  if (programs.examples.empty()) {
    return absl::NotFoundError("cannot find the folder of the examples: name it with --examples");
  }
  return programs;
}

absl::StatusOr<Outcome> RunExperiment(const SuitePrograms& programs, const SuiteOptions& options,
                                      const Experiment& experiment, const std::string& folder) {
  const std::string messages = absl::StrCat(folder, "/messages.csv");
  Outcome outcome;
  outcome.experiment = experiment;
  const absl::StatusOr<std::string> told =
      OutputOf(JobWords(programs, options, experiment, messages), kJobLimit_s);
  if (!told.ok()) return About(experiment.program, told.status());
  absl::StatusOr<std::vector<Measurement>> measurements = ParseMeasurements(*told);
  if (!measurements.ok()) return About(experiment.program, measurements.status());
  outcome.measurements = *std::move(measurements);
  const absl::StatusOr<std::string> answer =
      OutputOf(QuestionWords(programs, options, experiment, messages), kAnswerLimit_s);
  if (!answer.ok()) return About("cox", answer.status());
  absl::StatusOr<Forecast> forecast = ParseForecast(*answer, !experiment.kernel.empty());
  if (!forecast.ok()) return About("cox", forecast.status());
  outcome.forecast = *std::move(forecast);
  return outcome;
}

}  // namespace cox::bench
