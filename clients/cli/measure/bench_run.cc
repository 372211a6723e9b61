#include "cli/measure/bench_run.h"

#include <cox/v1/observation.pb.h>

#include <deque>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/files/interchange.h"
#include "cli/files/record_file.h"
#include "cli/measure/bench_environment.h"
#include "cli/run/become_command.h"
#include "console/child_process.h"
#include "console/command_words.h"

namespace cox::cli {
namespace {

// How many lines of a failed job's output are shown.
constexpr size_t kLastLinesShown = 20;

}  // namespace

std::vector<absl::StatusOr<std::string>> BenchRunner::Run(absl::Span<const BenchRun> runs,
                                                          const OnProgress& on_progress) {
  std::vector<std::deque<std::string>> said(runs.size());
  std::vector<console::ChildCommand> commands(runs.size());
  const EnvironmentChange change = WithoutHooks(FirstEnvironment());
  for (size_t i = 0; i < runs.size(); ++i) {
    console::ChildCommand& command = commands[i];
    command.words = runs[i].launcher;
    command.words.push_back(bench_);
    command.words.insert(command.words.end(), runs[i].arguments.begin(), runs[i].arguments.end());
    SetEnvironment(change, runs[i].environment, &command);
    command.limit_s = 60 + 4 * runs[i].budget_s;
    command.on_error_line = [&on_progress, &lines = said[i]](absl::string_view line) {
      BenchProgress progress;
      if (ParseBenchProgress(line, progress)) {
        on_progress(progress);
        return;
      }
      lines.emplace_back(line);
      if (lines.size() > kLastLinesShown) lines.pop_front();
    };
  }
  std::vector<absl::StatusOr<console::ChildResult>> results = console::RunChildren(commands);
  std::vector<absl::StatusOr<std::string>> rows;
  for (size_t i = 0; i < runs.size(); ++i) {
    absl::StatusOr<console::ChildResult>& result = results[i];
    if (result.ok() && result->exit_code == 0) {
      rows.emplace_back(std::move(result->out));
      continue;
    }
    if (absl::IsCancelled(result.status())) {
      rows.emplace_back(result.status());
      continue;
    }
    progress_.Clear();
    for (const std::string& line : said[i]) session_.err() << "  " << line << '\n';
    const std::string why = result.ok()
                                ? absl::StrCat("cox-bench ended with exit code ", result->exit_code)
                                : std::string(result.status().message());
    // Rows that are there are good: a wrong result takes only its own row away.
    if (result.ok() && result->exit_code == 1 && absl::StrContains(result->out, "\n")) {
      Warn(absl::StrCat("some of ", runs[i].what, " could not be measured (", why, ")"));
      rows.emplace_back(std::move(result->out));
      continue;
    }
    rows.emplace_back(absl::AbortedError(
        absl::StrCat("measuring ", runs[i].what, " failed: ", why,
                     "; the command was: ", console::JoinCommand(commands[i].words))));
  }
  return rows;
}

absl::StatusOr<std::string> BenchRunner::Run(const BenchRun& run, const OnProgress& on_progress) {
  return std::move(Run(absl::MakeConstSpan(&run, 1), on_progress).front());
}

void BenchRunner::Warn(absl::string_view text) {
  progress_.Clear();
  session_.Note(absl::StrCat("warning: ", text));
}

absl::StatusOr<int64_t> TakeRows(const std::string& rows, std::string& observations_csv,
                                 JobFacts* facts) {
  absl::StatusOr<std::unique_ptr<RecordFile>> file =
      RecordFile::FromText(rows, "cox-bench", ObservationColumns());
  if (!file.ok()) return absl::AbortedError(file.status().message());
  v1::Observation observation;
  int64_t count = 0;
  while ((*file)->Next()) {
    absl::Status status = ParseObservation(**file, observation);
    if (!status.ok()) return absl::AbortedError(status.message());
    absl::StrAppend(&observations_csv, ObservationRow(observation));
    ++count;
    if (facts == nullptr) continue;
    facts->library = observation.library();
    facts->nodes = observation.nodes();
    facts->ppn = observation.ppn();
    facts->ranks = observation.ranks();
    facts->collectives.insert(observation.collective());
    facts->cells.push_back(
        {observation.collective(), observation.block_bytes(), observation.type_bytes()});
  }
  if (count == 0) return absl::AbortedError("cox-bench gave no rows");
  return count;
}

}  // namespace cox::cli
