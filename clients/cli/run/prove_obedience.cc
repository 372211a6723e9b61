#include "cli/run/prove_obedience.h"

#include <cerrno>
#include <deque>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/measure/bench_environment.h"
#include "cli/measure/bench_plan.h"
#include "cli/output/json_output.h"
#include "cli/run/become_command.h"
#include "cli/run/mpi_library.h"
#include "cli/run/obedience_traps.h"
#include "console/child_process.h"
#include "console/command_words.h"
#include "console/launcher.h"
#include "console/progress.h"
#include "console/table.h"
#include "files/file_io.h"

namespace cox::cli {
namespace {

// How many of the last lines of a job's output are shown.
constexpr size_t kShownLines = 8;
// Enough for a few calls: their times are not used.
constexpr absl::string_view kBudget_s = "0.1";

struct Finding {
  std::string collective;
  Obedience obedience;
};

class Proof {
 public:
  Proof(Session& session, const ObedienceOptions& options, console::MpiPrograms programs,
        std::string folder)
      : session_(session),
        options_(options),
        programs_(std::move(programs)),
        folder_(std::move(folder)),
        progress_(&session.err(), console::ErrorColumns()) {}

  absl::Status Run(const std::vector<std::string>& collectives) {
    job_count_ = collectives.size() + (TrapsBySize(options_.library) ? 2 : 1);
    absl::Status status = RunWithoutTrap(collectives);
    if (status.ok() && TrapsBySize(options_.library)) status = RunBesideTrap(collectives);
    for (size_t i = 0; status.ok() && i < collectives.size(); ++i) {
      status = RunIntoTrap(collectives[i]);
    }
    progress_.Clear();
    return status;
  }

  const std::vector<Finding>& findings() const { return findings_; }
  // The command of the last job, to repeat it by hand.
  const std::string& command() const { return command_; }

 private:
  struct JobEnd {
    absl::Status status;  // ABORTED where it took too long
    int exit_code = 0;
    std::string out;
    std::string said;  // with out
    std::deque<std::string> last_lines;
  };

  // A job that calls `collectives`, with a file of traps.
  JobEnd Launch(const std::vector<std::string>& trapped,
                const std::vector<std::string>& collectives, int64_t block_bytes,
                const std::string& what) {
    progress_.Update(static_cast<double>(job_number_++) / static_cast<double>(job_count_), what);
    JobEnd end;
    const std::string file = folder_ + "/trap";
    const absl::StatusOr<std::string> text = TrapText(options_.library, trapped);
    end.status = text.ok() ? ReplaceFile(file, *text) : text.status();
    if (!end.status.ok()) return end;
    console::ChildCommand command;
    command.words = console::LaunchWords(programs_.launcher, kTrapRanks);
    for (const std::string& word :
         {programs_.bench, std::string("collectives"), std::string("--collectives"),
          absl::StrJoin(collectives, ","), std::string("--sizes"), absl::StrCat(block_bytes),
          std::string("--budget-s"), std::string(kBudget_s)}) {
      command.words.push_back(word);
    }
    SetEnvironment(WithoutHooks(FirstEnvironment()), TrapVariables(options_.library, file),
                   &command);
    command.limit_s = options_.job_limit_s;
    command.on_error_line = [&end](absl::string_view line) {
      absl::StrAppend(&end.said, line, "\n");
      end.last_lines.emplace_back(line);
      if (end.last_lines.size() > kShownLines) end.last_lines.pop_front();
    };
    command_ = console::JoinCommand(command.words);
    const absl::StatusOr<console::ChildResult> result = console::RunChild(command);
    end.status = result.status();
    if (!result.ok()) return end;
    end.exit_code = result->exit_code;
    end.out = result->out;
    absl::StrAppend(&end.said, result->out);
    return end;
  }

  // Why a job without a trap failed.
  absl::Status Failed(const JobEnd& end, absl::string_view what) {
    progress_.Clear();
    for (const std::string& line : end.last_lines) session_.err() << "  " << line << '\n';
    if (!end.status.ok() && !absl::IsAborted(end.status)) return end.status;
    const std::string why = end.status.ok() ? absl::StrCat("ended with exit code ", end.exit_code)
                                            : std::string(end.status.message());
    return absl::AbortedError(
        absl::StrCat(what, ": the job ", why, "; the command was: ", command_));
  }

  absl::Status RunWithoutTrap(const std::vector<std::string>& collectives) {
    const JobEnd end = Launch({}, collectives, kTrappedBlock_bytes, "a job without a trap");
    if (!end.status.ok() || end.exit_code != 0) {
      return Failed(end, "this MPI cannot be tested: a job without a tuning file fails");
    }
    const std::string built_with = LibraryOfRows(end.out);
    if (built_with.empty() || built_with == options_.library) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat(programs_.bench, " is built with ", built_with, ", not ", options_.library));
  }

  absl::Status RunBesideTrap(const std::vector<std::string>& collectives) {
    const JobEnd end =
        Launch(collectives, collectives, kFreeBlock_bytes, "small messages, rules for large ones");
    if (end.status.ok() && end.exit_code == 0) return absl::OkStatus();
    return Failed(end, "a tuning file for large messages makes small ones fail");
  }

  absl::Status RunIntoTrap(const std::string& collective) {
    const JobEnd end = Launch({collective}, {collective}, kTrappedBlock_bytes, collective);
    if (!end.status.ok() && !absl::IsAborted(end.status)) return end.status;
    const Obedience obedience = end.status.ok()
                                    ? JudgeTrap(options_.library, end.exit_code, end.said)
                                    : Obedience::kUnclear;
    findings_.push_back({collective, obedience});
    if (obedience != Obedience::kUnclear) return absl::OkStatus();
    progress_.Clear();
    session_.Note(absl::StrCat("warning: ", Failed(end, collective).message()));
    return absl::OkStatus();
  }

  Session& session_;
  const ObedienceOptions& options_;
  console::MpiPrograms programs_;
  std::string folder_;
  console::Progress progress_;
  std::vector<Finding> findings_;
  std::string command_;
  size_t job_number_ = 0;
  size_t job_count_ = 1;
};

void Print(Session& session, const std::string& library, const Proof& proof) {
  if (session.json()) {
    session.out() << "{\"library\":" << JsonString(library)
                  << ",\"command\":" << JsonString(proof.command()) << ",\"collectives\":["
                  << absl::StrJoin(
                         proof.findings(), ",",
                         [&](std::string* out, const Finding& finding) {
                           absl::StrAppend(
                               out, "{\"collective\":", JsonString(finding.collective),
                               ",\"result\":", JsonString(ObedienceName(finding.obedience)),
                               ",\"advice\":",
                               JsonString(ObedienceAdvice(library, finding.obedience)), "}");
                         })
                  << "]}\n";
    return;
  }
  console::Table table({{"COLLECTIVE"}, {library}});
  for (const Finding& finding : proof.findings()) {
    table.Add({finding.collective, std::string(ObedienceName(finding.obedience))});
  }
  table.Print(session.out());
  for (Obedience obedience : {Obedience::kDoesNotObey, Obedience::kUnclear}) {
    for (const Finding& finding : proof.findings()) {
      if (finding.obedience != obedience) continue;
      session.out() << ObedienceName(obedience) << ": " << ObedienceAdvice(library, obedience)
                    << '\n';
      break;
    }
  }
  session.out() << "last command: " << proof.command() << '\n';
}

absl::Status Conclude(const std::string& library, const std::vector<Finding>& findings) {
  std::vector<std::string> open;
  for (const Finding& finding : findings) {
    if (finding.obedience != Obedience::kObeys) open.push_back(finding.collective);
  }
  if (open.empty()) return absl::OkStatus();
  return absl::UnknownError(
      absl::StrCat(library, " does not obey, or the test is unclear: ", absl::StrJoin(open, ", ")));
}

}  // namespace

absl::Status ProveObedience(Session& session, const ObedienceOptions& options) {
  const absl::StatusOr<std::vector<std::string>> collectives = TrapCollectives(options.library);
  if (!collectives.ok()) return collectives.status();
  absl::StatusOr<console::MpiPrograms> programs =
      console::FindMpiPrograms(MpiOfLibrary(options.library), options.launcher, kTrapRanks);
  if (!programs.ok()) return programs.status();
  const absl::StatusOr<std::string> folder = MakeTemporaryFolder("doctor");
  if (!folder.ok()) return folder.status();
  const absl::Cleanup remove = [&folder] {
    std::error_code error;
    std::filesystem::remove_all(*folder, error);
  };
  Proof proof(session, options, *std::move(programs), *folder);
  absl::Status status = proof.Run(*collectives);
  if (!status.ok()) return status;
  Print(session, options.library, proof);
  return Conclude(options.library, proof.findings());
}

}  // namespace cox::cli
