// cox observations list | export | import | forget
#include <cox/v1/observation.grpc.pb.h>

#include <fstream>
#include <functional>
#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/files/import.h"
#include "cli/files/interchange.h"
#include "cli/options.h"
#include "cli/output/json_output.h"
#include "cli/output/profile_view.h"
#include "cli/resource_names.h"
#include "cli/verbs/verbs.h"
#include "console/table.h"
#include "console/units.h"

namespace cox::cli {
namespace {

using v1::ObservationService;

constexpr int64_t kPageRows = 10000;

struct Options {
  std::string machine;
  std::string job;
  std::string source;
  bool count = false;
  int64_t limit = 100;
  std::string output;
  ImportOptions import;
};

absl::Status Count(Session& session, const Options& options,
                   v1::CountObservationsResponse& response) {
  v1::CountObservationsRequest request;
  request.set_machine(options.machine);
  request.set_job(options.job);
  request.set_source(options.source);
  return session.connection().Call<ObservationService>(&ObservationService::Stub::CountObservations,
                                                       request, response);
}

// Calls `visit` for each observation, page by page, at most `limit` (0: all). True in `more` when
// there are others.
absl::Status ForEach(Session& session, const Options& options, int64_t limit, bool& more,
                     const std::function<absl::Status(const v1::Observation&)>& visit) {
  v1::ListObservationsRequest request;
  request.set_machine(options.machine);
  request.set_job(options.job);
  request.set_source(options.source);
  int64_t left = limit == 0 ? std::numeric_limits<int64_t>::max() : limit;
  do {
    request.set_page_size(static_cast<int32_t>(std::min(left, kPageRows)));
    v1::ListObservationsResponse page;
    absl::Status status = session.connection().Call<ObservationService>(
        &ObservationService::Stub::ListObservations, request, page);
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

absl::Status PrintCount(Session& session, const Options& options) {
  v1::CountObservationsResponse response;
  absl::Status status = Count(session, options, response);
  if (!status.ok()) return status;
  if (session.json()) {
    session.PrintJson(response);
    return absl::OkStatus();
  }
  session.out() << response.observation_count() << '\n';
  if (response.dropped_count() > 0) {
    session.Note(absl::StrCat(response.dropped_count(),
                              " more timings were dropped by those who reported them"));
  }
  return absl::OkStatus();
}

absl::Status List(Session& session, const Options& options) {
  if (options.count) return PrintCount(session, options);
  bool more = false;
  absl::Status status;
  if (session.json()) {
    // The document is written as it comes: the history may be longer than memory.
    std::string text = "{\"observations\":[";
    bool first = true;
    status = ForEach(session, options, options.limit, more, [&](const v1::Observation& row) {
      if (!first) text += ',';
      first = false;
      AppendJson(row, text);
      session.out() << text;
      text.clear();
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
    session.out() << text << "]}\n";
  } else {
    console::Table table({{"ID", console::Align::kRight},
                          {"MACHINE"},
                          {"LIBRARY"},
                          {"COLLECTIVE"},
                          {"ALGORITHM"},
                          {"NODES", console::Align::kRight},
                          {"PPN", console::Align::kRight},
                          {"RANKS", console::Align::kRight},
                          {"BYTES", console::Align::kRight},
                          {"TIME", console::Align::kRight},
                          {"COUNT", console::Align::kRight},
                          {"AT"},
                          {"JOB"},
                          {"SOURCE"}});
    status = ForEach(session, options, options.limit, more, [&](const v1::Observation& row) {
      table.Add({absl::StrCat(row.id()), std::string(BareMachine(row.machine())), row.library(),
                 row.collective(), row.algorithm(), absl::StrCat(row.nodes()),
                 absl::StrCat(row.ppn()), absl::StrCat(row.ranks()),
                 console::FormatBytes(row.block_bytes()), console::FormatTime(row.time_s()),
                 absl::StrCat(row.count()), row.has_at() ? TimeText(row.at()) : "-",
                 row.job().empty() ? "-" : row.job(), row.source().empty() ? "-" : row.source()});
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
    table.Print(session.out());
  }
  if (more) {
    session.Note(absl::StrCat("the first ", options.limit,
                              " are shown; --limit 0 shows all, --count counts them"));
  }
  return absl::OkStatus();
}

absl::Status Export(Session& session, const Options& options) {
  std::ofstream file;
  if (!options.output.empty()) {
    file.open(options.output, std::ios::binary | std::ios::trunc);
    if (!file) return absl::UnknownError(absl::StrCat(options.output, ": cannot be written"));
  }
  std::ostream& out = options.output.empty() ? session.out() : file;
  out << ObservationHeader();
  bool more = false;
  absl::Status status = ForEach(session, options, 0, more, [&](const v1::Observation& row) {
    out << ObservationRow(row);
    return out.good() ? absl::OkStatus() : absl::DataLossError("the output cannot be written");
  });
  if (status.ok() && !out.flush()) status = absl::DataLossError("the output cannot be written");
  return status;
}

absl::Status Import(Session& session, const Options& options) {
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
                  << ",\"skipped_count\":" << result.skipped_count << ",\"created_machines\":["
                  << absl::StrJoin(result.created_machines, ",",
                                   [](std::string* out, const std::string& machine) {
                                     absl::StrAppend(out, JsonString(machine));
                                   })
                  << "]}\n";
    return absl::OkStatus();
  }
  session.out() << result.stored_count << " observations stored";
  if (result.skipped_count > 0) session.out() << ", " << result.skipped_count << " rows skipped";
  session.out() << '\n';
  return absl::OkStatus();
}

absl::Status Forget(Session& session, const Options& options) {
  v1::ForgetObservationsRequest request;
  request.set_job(options.job);
  request.set_source(options.source);
  v1::ForgetObservationsResponse response;
  absl::Status status = session.connection().Call<ObservationService>(
      &ObservationService::Stub::ForgetObservations, request, response);
  if (!status.ok()) return status;
  if (session.json()) {
    session.PrintJson(response);
  } else {
    session.out() << response.removed_count() << " observations forgotten\n";
  }
  return absl::OkStatus();
}

void AddFilter(CLI::App& app, Options& options) {
  AddMachineOption(app, options.machine)->description("Only this machine's");
  app.add_option("--job", options.job, "Only what this job reported")->type_name("JOB");
  app.add_option("--source", options.source, "Only what came from this source")
      ->type_name("SOURCE");
}

}  // namespace

void AddObservationsVerb(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("observations", "List, export, import and forget observed timings");
  verb->require_subcommand(1);
  auto options = std::make_shared<Options>();

  CLI::App* list = verb->add_subcommand("list", "List or count observations, oldest first");
  AddFilter(*list, *options);
  list->add_flag("--count", options->count, "Only say how many there are");
  AddCount(*list, "--limit", options->limit, 0, std::numeric_limits<int64_t>::max() - 1,
           "At most so many (default 100; 0: all)");
  list->callback([&action, options] {
    action = [options](Session& session) { return List(session, *options); };
  });

  CLI::App* export_verb = verb->add_subcommand("export", "Write observations as CSV");
  AddFilter(*export_verb, *options);
  export_verb->add_option("-o,--output", options->output, "Write to this file (default: stdout)")
      ->type_name("FILE");
  export_verb->callback([&action, options] {
    action = [options](Session& session) { return Export(session, *options); };
  });

  CLI::App* import_verb = verb->add_subcommand("import", "Read observations from a CSV file");
  import_verb->add_option("file", options->import.file, "The file")->type_name("FILE")->required();
  import_verb->add_flag("--skip-bad", options->import.skip_bad,
                        "List bad rows and import the others (default: one bad row and nothing is "
                        "imported)");
  import_verb
      ->add_option("--source", options->import.source,
                   "Where the rows are from, to list and forget them by (default: the file's "
                   "name)")
      ->type_name("SOURCE");
  import_verb->add_flag("--from-jobs", options->import.from_jobs,
                        "The rows are from jobs at work, as an agent's spool file is, not from a "
                        "benchmark");
  import_verb->footer(
      "The file has a header with "
      "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,\n"
      "time_s and optionally run,count,statistic,stddev_s,at,type_bytes. Machines that are not "
      "known\n"
      "are registered. Spool files of the agent have this form.");
  import_verb->callback([&action, options] {
    action = [options](Session& session) { return Import(session, *options); };
  });

  CLI::App* forget = verb->add_subcommand(
      "forget", "Remove what a job or a source reported, from history and from what was learned");
  CLI::Option* job = forget->add_option("--job", options->job, "The job")->type_name("JOB");
  forget->add_option("--source", options->source, "The source, as `list` shows it")
      ->type_name("SOURCE")
      ->excludes(job);
  forget->require_option(1);
  forget->callback([&action, options] {
    action = [options](Session& session) { return Forget(session, *options); };
  });

  // Last: verbs below this one would repeat it.
  verb->footer(
      "Examples:\n"
      "  cox observations list --machine cluster --count\n"
      "  cox observations export --machine cluster > history.csv\n"
      "  cox observations import history.csv\n"
      "  cox observations forget --source history.csv");
}

}  // namespace cox::cli
