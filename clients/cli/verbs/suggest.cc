// cox suggest: what to measure next.
#include <cox/v1/advice.pb.h>

#include <memory>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/files/interchange.h"
#include "cli/files/oddities.h"
#include "cli/files/record_file.h"
#include "cli/methods.h"
#include "cli/options/shared_options.h"
#include "cli/resource_names.h"
#include "cli/run/unknown_library.h"
#include "cli/verbs/verbs.h"
#include "console/csv.h"
#include "console/numbers.h"
#include "console/printable.h"
#include "domain/parse_collective.h"
#include "strategy/benchmarked.h"

namespace cox::cli {
namespace {

constexpr int64_t kMostSuggestions = 1000;
// Weighing thousands of places takes longer than an ordinary call.
constexpr double kSuggestTimeout_s = 60;

struct SuggestOptions {
  std::string machine;
  std::string library;
  std::string from;
  int64_t count = 10;
};

absl::Status ReadCandidates(Session& session, const SuggestOptions& options,
                            v1::SuggestMeasurementsRequest& request) {
  absl::StatusOr<std::unique_ptr<RecordFile>> file =
      RecordFile::Open(options.from, CandidateColumns());
  if (!file.ok()) return file.status();
  if (const std::string note = (*file)->IgnoredNote(); !note.empty()) session.Note(note);
  Oddities oddities;
  while ((*file)->Next()) {
    v1::MeasurementCandidate& one = *request.add_candidates();
    absl::Status status = ParseCandidate(**file, options.machine, options.library, one);
    if (!status.ok()) return status;
    oddities.AddNames(options.library, one.collective(), one.algorithm(), (*file)->line());
  }
  for (const std::string& warning : oddities.Warnings(options.from)) session.Note(warning);
  if (request.candidates().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(options.from, ": has no rows to choose from"));
  }
  return absl::OkStatus();
}

void PrintCsv(const SuggestOptions& options, const v1::SuggestMeasurementsResponse& response,
              std::ostream& out) {
  out << "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,type_bytes,"
         "predicted_time_s,cost_s,expected_gain_ratio\r\n";
  for (const v1::SuggestedMeasurement& suggestion : response.suggestions()) {
    const v1::MeasurementCandidate& one = suggestion.measurement();
    const bool is_known = suggestion.has_predicted_time_s();
    out << absl::StrJoin(
               {console::CsvField(options.machine), console::CsvField(options.library),
                console::CsvField(one.collective()), console::CsvField(one.algorithm()),
                absl::StrCat(one.nodes()), absl::StrCat(one.ppn()), absl::StrCat(one.ranks()),
                absl::StrCat(one.block_bytes()), absl::StrCat(one.type_bytes()),
                is_known ? console::FormatDouble(suggestion.predicted_time_s()) : "",
                console::FormatDouble(suggestion.cost_s()),
                console::FormatDouble(suggestion.expected_gain_ratio())},
               ",")
        << "\r\n";
  }
}

// The collectives that only a benchmark of the user's own can time, separated by commas.
std::string NotBenchmarked(const v1::SuggestMeasurementsResponse& response) {
  std::set<std::string> names;
  for (const v1::SuggestedMeasurement& suggestion : response.suggestions()) {
    const std::string& name = suggestion.measurement().collective();
    const auto known = domain::ParseCollective(name);
    if (!known.ok() || !strategy::IsBenchmarked(*known)) names.insert(name);
  }
  return absl::StrJoin(names, ", ");
}

absl::Status Suggest(Session& session, const SuggestOptions& options) {
  v1::SuggestMeasurementsRequest request;
  request.set_machine(options.machine);
  request.set_library(options.library);
  request.set_count(static_cast<int32_t>(options.count));
  if (!options.from.empty()) {
    absl::Status status = ReadCandidates(session, options, request);
    if (!status.ok()) return status;
  }
  v1::SuggestMeasurementsResponse response;
  session.connection().AllowAtLeast(kSuggestTimeout_s);
  const absl::Status status = session.connection().Call(kSuggestMeasurements, request, response);
  if (!status.ok()) return NamedLibrary(options.library, status);
  if (session.json()) {
    session.PrintJson(response);
    return absl::OkStatus();
  }
  PrintCsv(options, response, session.out());
  session.Note(absl::StrFormat(
      "note: today's decisions should waste %.3g %% of the time in the calls of these %d "
      "candidates; other calls have another share",
      100 * response.expected_loss_ratio(), response.candidate_count()));
  if (const std::string others = NotBenchmarked(response); !others.empty()) {
    session.Note(absl::StrCat("note: cox-bench cannot time ", console::Printable(others),
                              ": measure these rows with a benchmark of your own"));
  }
  return absl::OkStatus();
}

}  // namespace

void AddSuggestVerb(Verb app) {
  Verb verb = app.Sub("suggest", "Name the measurements that would improve decisions most");
  verb.Footer(
      "Examples:\n"
      "  cox suggest -m cluster --library openmpi-4.1 -n 20 > next.csv\n"
      "  cox suggest -m cluster --library openmpi-4.1 --from candidates.csv -n 5\n"
      "The answer is CSV: machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,\n"
      "type_bytes,predicted_time_s,cost_s,expected_gain_ratio. expected_gain_ratio is the time\n"
      "that better decisions should save, as a share of the collectives' time.\n"
      "The rows of a call follow each other: one for each algorithm that may be the best there.\n"
      "First come calls of which an algorithm is timed already, because only timings of the same\n"
      "call compare algorithms. Then the call comes first whose rows have the largest\n"
      "expected_gain_ratio per second of cost_s. So a single row may gain less than the next one.\n"
      "Each row assumes that the rows before it are measured.\n"
      "`cox calibrate cluster --budget 10m` asks for such rows, measures them with cox-bench and\n"
      "stores the timings. For timings of your own benchmark, add the column time_s and use\n"
      "`cox observations import FILE`. A file for --from has the columns\n"
      "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes and optionally\n"
      "type_bytes.");
  auto options = std::make_shared<SuggestOptions>();
  AddMachineOption(verb, options->machine).Required();
  AddLibraryOption(verb, options->library).Required();
  verb.Text("--from", options->from,
            "Choose among the rows of this file (default: the library's algorithms of what "
            "cox-bench times, on the whole machine, half of it and so on, 4 B to 1 MiB)")
      .Type("FILE");
  AddCount(verb, "-n,--count", options->count, 1, kMostSuggestions,
           "How many to name (default 10)");
  verb.Do([options](Session& session) {
    options->machine = std::string(BareMachine(options->machine));
    return Suggest(session, *options);
  });
}

}  // namespace cox::cli
