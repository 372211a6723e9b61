#include "bench/suite/suite.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bench/suite/jobs.h"
#include "bench/suite/plan.h"
#include "bench/suite/report.h"
#include "console/progress.h"
#include "domain/words/counted.h"
#include "files/file_io.h"

namespace cox::bench {
namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

int Complain(const absl::Status& status, std::ostream& err) {
  err << "cox-bench suite: " << status.message() << '\n';
  return absl::IsInvalidArgument(status) ? kUsage : kFailed;
}

std::string Describe(const Experiment& experiment) {
  return absl::StrCat(experiment.program, experiment.variant.empty() ? "" : " ", experiment.variant,
                      " of ", experiment.size, " on ", domain::Counted(experiment.ranks, "rank"));
}

}  // namespace

int RunSuite(const SuiteOptions& options, std::ostream& out, std::ostream& err) {
  const std::vector<Experiment> plan = PlanSuite(options.ranks, options.quick, options.programs);
  if (plan.empty()) {
    return Complain(absl::InvalidArgumentError(absl::StrCat(
                        "--programs: with this number of ranks cox-bench can run only ",
                        absl::StrJoin(ProgramNames(), ", "))),
                    err);
  }
  const absl::StatusOr<SuitePrograms> programs = FindSuitePrograms(options);
  if (!programs.ok()) return Complain(programs.status(), err);
  const absl::StatusOr<std::string> folder = cox::MakeTemporaryFolder("suite");
  if (!folder.ok()) return Complain(folder.status(), err);
  const absl::Cleanup remove = [&folder] {
    std::error_code ignored;
    std::filesystem::remove_all(*folder, ignored);
  };

  std::vector<Outcome> outcomes;
  int code = 0;
  console::Progress progress(&err, console::ErrorColumns());
  progress.Announce();
  for (size_t i = 0; i < plan.size(); ++i) {
    progress.Update(static_cast<double>(i) / static_cast<double>(plan.size()), Describe(plan[i]));
    absl::StatusOr<Outcome> outcome = RunExperiment(*programs, options, plan[i], *folder);
    if (outcome.ok()) {
      outcomes.push_back(*std::move(outcome));
      continue;
    }
    progress.Clear();
    code = kFailed;
    err << "cox-bench suite: " << Describe(plan[i]) << ": " << outcome.status().message() << '\n';
    if (absl::IsCancelled(outcome.status())) break;
  }
  progress.Clear();
  PrintTables(outcomes, ModelsOf(outcomes, options.models), out);
  if (!options.output.empty()) {
    const absl::Status written = cox::ReplaceFile(options.output, CsvOf(outcomes));
    if (!written.ok()) return Complain(written, err);
  }
  return code;
}

}  // namespace cox::bench
