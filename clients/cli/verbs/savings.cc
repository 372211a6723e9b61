// cox savings: what tuning has saved on a machine, measured by canaries.
#include <cox/v1/history.pb.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/methods.h"
#include "cli/options/shared_options.h"
#include "cli/options/since.h"
#include "cli/resource_names.h"
#include "cli/verbs/verbs.h"
#include "console/printable.h"
#include "console/table.h"
#include "console/units.h"
#include "domain/words/counted.h"

namespace cox::cli {
namespace {

// Reading many observations takes longer than an ordinary call.
constexpr double kSavingsTimeout_s = 60;

struct SavingsOptions {
  std::string machine;
  std::string library;
  std::string collective;
  std::string job;
  std::string application;
  absl::Time since = absl::UnixEpoch();
  std::vector<std::string> by;
};

std::string OrAll(const std::string& name) {
  return name.empty() ? "(all)" : console::Printable(name);
}

std::string Share(double part, double whole) {
  return whole > 0 ? absl::StrFormat("%.0f %%", 100 * part / whole) : "-";
}

// Those that were compared, and how many there are if these are more.
std::string Canaries(const v1::SavingsRow& row) {
  std::string compared = absl::StrFormat("%.0f", row.canary_call_count());
  const std::string stored = absl::StrFormat("%.0f", row.stored_canary_call_count());
  if (row.stored_canary_call_count() < row.canary_call_count() || stored == compared) {
    return compared;
  }
  return absl::StrCat(compared, " of ", stored);
}

// Why nothing was compared, and what to do.
std::string NothingCompared(const v1::SavingsRow& all) {
  if (!(all.stored_canary_call_count() > 0)) {
    return "no canaries to compare with; start jobs with --canary 5% to know what tuning saves";
  }
  return absl::StrFormat(
      "%.0f canary calls are stored, but none is compared yet: that takes two values of canaries "
      "of the same call within a week, and a value is half a minute of a job, or a whole job. Run "
      "such a job for more than a minute, or once more",
      all.stored_canary_call_count());
}

void PrintRows(const v1::GetSavingsResponse& response, const SavingsOptions& options,
               std::ostream& out) {
  std::vector<console::Table::Column> columns;
  const bool by_library = absl::c_linear_search(options.by, "library");
  const bool by_application = absl::c_linear_search(options.by, "application");
  const bool by_job = absl::c_linear_search(options.by, "job");
  if (by_library) columns.push_back({"LIBRARY"});
  columns.push_back({"COLLECTIVE"});
  if (by_application) {
    columns.push_back({"APPLICATION", console::Align::kLeft, console::Fit::kFold});
  }
  if (by_job) columns.push_back({"JOB", console::Align::kLeft, console::Fit::kFold});
  for (const char* const name : {"TUNED CALLS", "COMPARED", "CANARIES", "TOOK", "SAVED"}) {
    columns.push_back({name, console::Align::kRight});
  }
  columns.push_back({"90 % WITHIN"});
  columns.push_back({"OF DEFAULT", console::Align::kRight});
  console::Table table(columns);
  for (const v1::SavingsRow& row : response.rows()) {
    std::vector<std::string> line;
    if (by_library) line.push_back(OrAll(row.library()));
    line.push_back(OrAll(row.collective()));
    if (by_application) line.push_back(OrAll(row.application()));
    if (by_job) line.push_back(OrAll(row.job()));
    const bool is_compared = row.compared_call_count() > 0;
    line.push_back(absl::StrFormat("%.0f", row.call_count()));
    line.push_back(Share(row.compared_call_count(), row.call_count()));
    line.push_back(Canaries(row));
    line.push_back(is_compared ? console::FormatTime(row.spent_s()) : "-");
    line.push_back(is_compared ? console::FormatTime(row.saved_s()) : "-");
    line.push_back(row.interval_s_size() == 2
                       ? absl::StrCat(console::FormatTime(row.interval_s(0)), " .. ",
                                      console::FormatTime(row.interval_s(1)))
                       : "not known");
    line.push_back(is_compared ? Share(row.saved_s(), row.spent_s() + row.saved_s()) : "-");
    table.Add(std::move(line));
  }
  table.Print(out);
}

void PrintWithdrawals(const v1::GetSavingsResponse& response, std::ostream& out) {
  for (const v1::Withdrawal& one : response.withdrawals()) {
    out << "withdrawn" << (one.ended() ? " earlier" : "") << ": "
        << console::Printable(
               absl::StrCat(one.library(), " ", one.collective(), " ", one.algorithm()))
        << " on " << one.nodes() << " x " << domain::Counted(one.ppn(), "rank") << ", "
        << console::FormatBytes(one.min_block_bytes()) << " to "
        << console::FormatBytes(one.max_block_bytes())
        << absl::StrFormat(": %.2f times the default's time", one.factor()) << " ("
        << domain::Counted(one.pair_count(), "comparison") << ", "
        << domain::Counted(one.job_count(), "job") << ")\n";
  }
}

absl::Status Run(Session& session, const SavingsOptions& options) {
  v1::GetSavingsRequest request;
  request.set_machine(MachineName(options.machine));
  request.set_library(options.library);
  request.set_collective(options.collective);
  request.set_job(options.job);
  request.set_application(options.application);
  if (options.since > absl::UnixEpoch()) {
    request.mutable_start_time()->set_seconds(absl::ToUnixSeconds(options.since));
  }
  request.set_by_library(absl::c_linear_search(options.by, "library"));
  request.set_by_collective(absl::c_linear_search(options.by, "collective"));
  request.set_by_job(absl::c_linear_search(options.by, "job"));
  request.set_by_application(absl::c_linear_search(options.by, "application"));
  v1::GetSavingsResponse response;
  session.connection().AllowAtLeast(kSavingsTimeout_s);
  absl::Status status = session.connection().Call(kGetSavings, request, response);
  if (!status.ok()) return status;
  if (session.json()) {
    session.PrintJson(response);
    return absl::OkStatus();
  }
  const bool is_tuned = !response.rows().empty() && response.rows(0).call_count() > 0;
  const bool is_part = !options.library.empty() || !options.collective.empty() ||
                       !options.job.empty() || !options.application.empty() ||
                       options.since > absl::UnixEpoch();
  if (!is_tuned) {
    session.Note(is_part ? absl::StrCat("no tuned calls match these options; `cox savings ",
                                        options.machine, "` shows all")
                         : "no job has reported tuned calls; start jobs with `cox run --mode apply "
                           "--canary 5%`");
  } else {
    PrintRows(response, options, session.out());
    if (response.rows(0).compared_call_count() == 0) {
      session.Note(NothingCompared(response.rows(0)));
    }
  }
  PrintWithdrawals(response, session.out());
  if (response.truncated()) session.Note("older observations were not read; see --since and -c");
  return absl::OkStatus();
}

}  // namespace

void AddSavingsVerb(Verb app) {
  Verb verb = app.Sub("savings", "Show what tuning has saved, with its confidence interval");
  verb.Footer(
      "Examples:\n"
      "  cox savings cluster\n"
      "  cox savings cluster --since 7d --by collective,job\n"
      "Canaries are calls that run the library's default at random (cox run --canary 5%).\n"
      "SAVED: the time that tuned calls would have taken by the default, less the time that they\n"
      "took (TOOK). A negative figure is a loss. COMPARED: the share of the tuned calls that have\n"
      "canaries of the same call at about the same time; the other columns are about these.\n"
      "CANARIES: the canary calls that were compared; `4000 of 8000` says that 8000 are stored.\n"
      "The others have no tuned calls next to them in time, or are the only value of their call.");
  auto options = std::make_shared<SavingsOptions>();
  options->by = {"collective"};
  AddMachineArgument(verb, options->machine);
  AddLibraryOption(verb, options->library);
  verb.Text("-c,--collective", options->collective, "Only this operation").Type("COLLECTIVE");
  verb.Text("--job", options->job, "Only tuned calls of this job").Type("JOB");
  verb.Text("--application", options->application, "Only tuned calls of this application's jobs")
      .Type("APPLICATION");
  verb.Parsed(
          "--since",
          [options](const std::string& text) {
            const absl::StatusOr<absl::Time> since = ParseSince(text, absl::Now());
            if (since.ok()) options->since = *since;
            return since.status();
          },
          "Only measured since then: 2026-11-20, 2026-11-20T08:00:00Z, 36h or 7d")
      .Type("TIME");
  verb.Words("--by", options->by,
             "Divide the rows by library, collective, application, job (default: collective)")
      .OneOf({"library", "collective", "application", "job"});
  verb.Do([options](Session& session) { return Run(session, *options); });
}

}  // namespace cox::cli
