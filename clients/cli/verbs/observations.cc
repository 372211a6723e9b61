// cox observations list | export | import | forget
#include <cox/v1/observation.pb.h>

#include <functional>
#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/files/import.h"
#include "cli/files/interchange.h"
#include "cli/methods.h"
#include "cli/options/shared_options.h"
#include "cli/options/since.h"
#include "cli/output/json_output.h"
#include "cli/output/profile_view.h"
#include "cli/resource_names.h"
#include "cli/verbs/verbs.h"
#include "console/table.h"
#include "console/units.h"
#include "domain/words/counted.h"
#include "files/replacement.h"

namespace cox::cli {
namespace {

constexpr int64_t kPageRows = 10000;
// Millions of rows take coxd minutes, and whoever gives up before does not learn the outcome.
constexpr double kForgetTimeout_s = 3'600;

struct ObservationsOptions {
  std::string machine;
  std::string job;
  std::string source;
  bool count = false;
  std::string library;
  std::string collective;
  std::string algorithm;
  absl::Time since = absl::UnixEpoch();
  bool newest_first = false;
  int64_t limit = 100;
  std::string output;
  ImportOptions import;
};

absl::Status Count(Session& session, const ObservationsOptions& options,
                   v1::CountObservationsResponse& response) {
  v1::CountObservationsRequest request;
  request.set_machine(options.machine);
  request.set_job(options.job);
  request.set_source(options.source);
  return session.connection().Call(kCountObservations, request, response);
}

// Calls `visit` for each observation, page by page, at most `limit` (0: all). True in `more` when
// there are others.
absl::Status ForEach(Session& session, const ObservationsOptions& options, int64_t limit,
                     bool& more, const std::function<absl::Status(const v1::Observation&)>& visit) {
  v1::ListObservationsRequest request;
  request.set_machine(options.machine);
  request.set_job(options.job);
  request.set_source(options.source);
  request.set_library(options.library);
  request.set_collective(options.collective);
  request.set_algorithm(options.algorithm);
  request.set_newest_first(options.newest_first);
  if (options.since > absl::UnixEpoch()) {
    request.mutable_since_time()->set_seconds(absl::ToUnixSeconds(options.since));
  }
  int64_t left = limit == 0 ? std::numeric_limits<int64_t>::max() : limit;
  do {
    request.set_page_size(static_cast<int32_t>(std::min(left, kPageRows)));
    v1::ListObservationsResponse page;
    absl::Status status = session.connection().Call(kListObservations, request, page);
    if (!status.ok()) return status;
    for (const v1::Observation& observation : page.observations()) {
      if (left-- == 0) break;
      status = visit(observation);
      if (!status.ok()) return status;
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty() && left > 0);
  more = !request.page_token().empty();
  return absl::OkStatus();
}

absl::Status PrintCount(Session& session, const ObservationsOptions& options) {
  v1::CountObservationsResponse response;
  absl::Status status = Count(session, options, response);
  if (!status.ok()) return status;
  if (session.json()) {
    session.PrintJson(response);
    return absl::OkStatus();
  }
  session.out() << response.observation_count() << '\n';
  if (response.dropped_count() > 0) {
    session.Note(absl::StrCat(
        response.dropped_count(),
        domain::Plural(response.dropped_count(), " more timing is", " more timings are"),
        " missing: dropped by those who reported them, or "
        "refused by a full coxd"));
  }
  return absl::OkStatus();
}

// An empty list could also mean that a name is misspelt.
void NoteNothingFound(Session& session, const ObservationsOptions& options) {
  const bool is_part = !options.machine.empty() || !options.job.empty() ||
                       !options.source.empty() || !options.library.empty() ||
                       !options.collective.empty() || !options.algorithm.empty() ||
                       options.since > absl::UnixEpoch();
  session.Note(is_part ? "no observations match these options; `cox observations list` shows the "
                         "newest of all"
                       : "coxd has no observations yet");
}

// As the column `kind` of a CSV file has it.
const char* KindText(v1::Measurement measurement) {
  switch (measurement) {
    case v1::MEASUREMENT_BENCHMARK:
      return "benchmark";
    case v1::MEASUREMENT_JOB:
      return "job";
    default:
      return "-";
  }
}

absl::Status List(Session& session, const ObservationsOptions& options) {
  if (options.count) return PrintCount(session, options);
  bool more = false;
  bool is_empty = true;
  absl::Status status;
  if (session.json()) {
    // The document is written as it comes: the history may be longer than memory.
    std::string text = "{\"observations\":[";
    status = ForEach(session, options, options.limit, more, [&](const v1::Observation& row) {
      if (!is_empty) text += ',';
      is_empty = false;
      AppendJson(row, text);
      session.out() << text;
      text.clear();
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
    session.out() << text << "]}\n";
  } else {
    console::Table table({{"ID", console::Align::kRight},
                          {"MACHINE", console::Align::kLeft, console::Fit::kDrop},
                          {"LIBRARY", console::Align::kLeft, console::Fit::kDrop},
                          {"COLLECTIVE"},
                          {"ALGORITHM"},
                          {"NODES", console::Align::kRight, console::Fit::kDrop},
                          {"PPN", console::Align::kRight, console::Fit::kDrop},
                          {"RANKS", console::Align::kRight},
                          {"BYTES", console::Align::kRight},
                          {"TIME", console::Align::kRight},
                          {"COUNT", console::Align::kRight, console::Fit::kDrop},
                          {"KIND", console::Align::kLeft, console::Fit::kDrop},
                          {"RUN", console::Align::kLeft, console::Fit::kDrop},
                          {"STATISTIC", console::Align::kLeft, console::Fit::kDrop},
                          {"AT", console::Align::kLeft, console::Fit::kDrop},
                          {"JOB", console::Align::kLeft, console::Fit::kDrop},
                          {"SOURCE", console::Align::kLeft, console::Fit::kDrop}});
    status = ForEach(session, options, options.limit, more, [&](const v1::Observation& row) {
      is_empty = false;
      table.Add({absl::StrCat(row.id()), std::string(BareMachine(row.machine())), row.library(),
                 row.collective(), row.algorithm(), absl::StrCat(row.nodes()),
                 absl::StrCat(row.ppn()), absl::StrCat(row.ranks()),
                 console::FormatBytes(row.block_bytes()), console::FormatTime(row.time_s()),
                 absl::StrCat(row.count()), KindText(row.measurement()),
                 row.run().empty() ? "-" : row.run(),
                 row.statistic().empty() ? "mean" : row.statistic(),
                 row.has_at() ? TimeText(row.at()) : "-", row.job().empty() ? "-" : row.job(),
                 row.source().empty() ? "-" : row.source()});
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
    table.Print(session.out());
  }
  if (is_empty) NoteNothingFound(session, options);
  if (more) {
    session.Note(absl::StrCat("the newest ", options.limit,
                              " are shown; --limit 0 shows all, --count counts them"));
  }
  return absl::OkStatus();
}

// What coxd has stored, old observations that are sums included; 0 where it cannot say.
int64_t StoredCount(Session& session, const ObservationsOptions& options) {
  const bool is_of_reporter = options.library.empty() && options.collective.empty() &&
                              options.algorithm.empty() && options.since <= absl::UnixEpoch();
  v1::CountObservationsResponse counted;
  const bool is_known = is_of_reporter && Count(session, options, counted).ok();
  return is_known ? counted.observation_count() : 0;
}

// Whoever deletes what was exported must know that the file has not all of it. `before` and `after`
// are what coxd has stored then; what jobs reported in between may be in the file, or not.
void NoteSums(Session& session, int64_t before, int64_t after, int64_t written) {
  const int64_t missing = after - written;
  if (missing <= 0) return;
  session.Note(absl::StrCat("warning: ", before == after ? "" : "up to ",
                            domain::Counted(missing, "older observation"),
                            domain::Plural(missing, " is", " are"),
                            " kept as sums only (retention-age), and not in the file"));
}

// Calls `write` for each row of the table, the header first.
absl::Status ExportTo(Session& session, const ObservationsOptions& options,
                      const std::function<absl::Status(absl::string_view)>& write) {
  bool more = false;
  int64_t written = 0;
  const int64_t before = StoredCount(session, options);
  absl::Status status = write(ObservationHeader());
  if (!status.ok()) return status;
  status = ForEach(session, options, 0, more, [&](const v1::Observation& row) {
    ++written;
    return write(ObservationRow(row));
  });
  if (!status.ok()) return status;
  if (written == 0) NoteNothingFound(session, options);
  NoteSums(session, before, StoredCount(session, options), written);
  return status;
}

absl::Status Export(Session& session, const ObservationsOptions& options) {
  if (options.output.empty()) {
    std::ostream& out = session.out();
    absl::Status status = ExportTo(session, options, [&](absl::string_view text) {
      out << text;
      return out.good() ? absl::OkStatus() : absl::DataLossError("the output cannot be written");
    });
    if (!status.ok()) return status;
    return out.flush() ? status : absl::DataLossError("the output cannot be written");
  }
  // The history may be longer than memory, and the file may be the only copy of an earlier export.
  Replacement file;
  absl::Status status = file.Begin(options.output, 0666);
  if (!status.ok()) return status;
  status = ExportTo(session, options, [&](absl::string_view text) { return file.Write(text); });
  return status.ok() ? file.Finish(true) : status;
}

absl::Status Import(Session& session, const ObservationsOptions& options) {
  ImportResult result;
  absl::Status status = ImportObservations(session, options.import, result);
  if (!result.created_machines.empty()) {
    session.Note(absl::StrCat("note: registered ", absl::StrJoin(result.created_machines, ", "),
                              " with the largest nodes and ppn seen; if it has another shape: "
                              "`cox machine delete`, `cox machine import FILE`, and import again"));
  }
  if (!status.ok()) return status;
  if (session.json()) {
    session.out() << "{\"stored_count\":" << result.stored_count
                  << ",\"skipped_count\":" << result.skipped_count
                  << ",\"refused_count\":" << result.refused_count
                  << ",\"spooled_count\":" << result.spooled_count << ",\"created_machines\":["
                  << absl::StrJoin(result.created_machines, ",",
                                   [](std::string* out, const std::string& machine) {
                                     absl::StrAppend(out, JsonString(machine));
                                   })
                  << "]}\n";
    return absl::OkStatus();
  }
  session.out() << domain::Counted(result.stored_count, "observation") << " stored";
  if (result.spooled_count > 0)
    session.out() << ", " << domain::Counted(result.spooled_count, "row")
                  << " in the relay's spool";
  if (result.skipped_count > 0)
    session.out() << ", " << domain::Counted(result.skipped_count, "row") << " skipped";
  session.out() << '\n';
  return absl::OkStatus();
}

absl::Status Forget(Session& session, const ObservationsOptions& options) {
  v1::ForgetObservationsRequest request;
  request.set_job(options.job);
  request.set_source(options.source);
  v1::ForgetObservationsResponse response;
  session.connection().AllowAtLeast(kForgetTimeout_s);
  absl::Status status = session.connection().Call(kForgetObservations, request, response);
  if (!status.ok()) return status;
  const int64_t sketch_count = response.removed_sketch_count();
  if (response.removed_count() == 0 && sketch_count == 0) {
    return absl::NotFoundError(
        absl::StrCat("no observations of ", options.job.empty() ? "source " : "job ",
                     options.job.empty() ? options.source : options.job,
                     "; `cox observations list` shows the jobs and sources"));
  }
  if (session.json()) {
    session.PrintJson(response);
  } else {
    session.out() << domain::Counted(response.removed_count(), "observation")
                  << (sketch_count > 0
                          ? absl::StrCat(" and ",
                                         domain::Counted(sketch_count, "sketch", "sketches"))
                          : "")
                  << " forgotten\n";
  }
  return absl::OkStatus();
}

void AddFilter(Verb app, ObservationsOptions& options) {
  AddMachineOption(app, options.machine).Describe("Only this machine's");
  app.Text("--job", options.job, "Only what this job reported").Type("JOB");
  app.Text("--source", options.source, "Only what this source reported").Type("SOURCE");
}

}  // namespace

void AddObservationsVerb(Verb app) {
  Verb verb = app.Sub("observations", "List, export, import and forget observed timings");
  verb.NeedsVerb();
  auto options = std::make_shared<ObservationsOptions>();

  Verb list = verb.Sub("list", "List observations, newest first, or count them");
  AddFilter(list, *options);
  list.Flag("--count", options->count, "Show only their number");
  AddCount(list, "--limit", options->limit, 0, std::numeric_limits<int64_t>::max() - 1,
           "Show at most this many (default 100; 0: all)");
  list.Text("--library", options->library, "Only of this library").Type("LIBRARY");
  list.Text("-c,--collective", options->collective, "Only of this operation").Type("COLLECTIVE");
  list.Text("--algorithm", options->algorithm, "Only of this algorithm of a library").Type("NAME");
  list.Parsed(
          "--since",
          [options](const std::string& text) {
            const absl::StatusOr<absl::Time> since = ParseSince(text, absl::Now());
            if (since.ok()) options->since = *since;
            return since.status();
          },
          "Only measured since then: 2026-11-20, 2026-11-20T08:00:00Z, 36h or 7d")
      .Type("TIME");
  list.Do(
      [options](Session& session) {
        ObservationsOptions newest = *options;
        newest.newest_first = true;
        return List(session, newest);
      },
      [options](const GlobalOptions&) {
        const bool by_row = !options->library.empty() || !options->collective.empty() ||
                            !options->algorithm.empty() || options->since > absl::UnixEpoch();
        if (!options->count || !by_row) return absl::OkStatus();
        return UsageError(
            "--count goes with --machine, --job and --source: coxd keeps no other counts");
      });

  Verb export_verb = verb.Sub("export", "Write observations as CSV");
  AddFilter(export_verb, *options);
  export_verb.Text("-o,--output", options->output, "Write to this file (default: stdout)")
      .Type("FILE");
  export_verb.Do([options](Session& session) { return Export(session, *options); });

  Verb import_verb = verb.Sub("import", "Read observations from a CSV file");
  import_verb.Text("file", options->import.file, "The file").Type("FILE").Required();
  import_verb.Flag("--skip-bad", options->import.skip_bad,
                   "List bad rows and import the others (default: a bad row stops the "
                   "import)");
  import_verb
      .Text("--source", options->import.source,
            "Name under which to list and forget the rows (default: each row's source, "
            "else the file's name)")
      .Type("SOURCE");
  import_verb.Flag(
      "--from-jobs", options->import.from_jobs,
      "The rows come from jobs at work, like those of an agent's spool file, not from a "
      "benchmark");
  import_verb.Flag("--unknown-ok", options->import.unknown_ok,
                   "Do not warn of unknown libraries, collectives and algorithms, and of times "
                   "that no machine takes");
  import_verb.Footer(
      "The file has a header with the columns\n"
      "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s\n"
      "and optionally run,count,statistic,stddev_s,at,type_bytes,kind,job,source. `kind` is\n"
      "benchmark or job. Unknown machines are registered. The agent's spool files and what\n"
      "`export` writes have this form. coxd does not recognise a file: rows that are imported\n"
      "twice count twice. To import a corrected file, first forget the rows of the other one:\n"
      "  cox observations forget --source history.csv");
  import_verb.Do([options](Session& session) { return Import(session, *options); });

  Verb forget = verb.Sub(
      "forget", "Remove all reports of a job or a source, and what coxd learned from them");
  Option job = forget.Text("--job", options->job, "The job").Type("JOB");
  forget.Text("--source", options->source, "The source, as `list` shows it")
      .Type("SOURCE")
      .Excludes(job);
  forget.NeedsOneOption();
  forget.Do([options](Session& session) { return Forget(session, *options); });

  verb.Footer(
      "Examples:\n"
      "  cox observations list --machine cluster --count\n"
      "  cox observations export --machine cluster > history.csv\n"
      "  cox observations import history.csv\n"
      "  cox observations forget --source history.csv");
}

}  // namespace cox::cli
