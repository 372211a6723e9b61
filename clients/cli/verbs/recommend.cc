// cox recommend: which algorithm of a library to use; for one call, a sweep, or a file of
// questions.
#include <cox/v1/advice.pb.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "cli/files/interchange.h"
#include "cli/files/record_file.h"
#include "cli/methods.h"
#include "cli/options/assume.h"
#include "cli/options/shared_options.h"
#include "cli/output/json_output.h"
#include "cli/output/placement_table.h"
#include "cli/output/prediction_sheet.h"
#include "cli/output/sweep_json.h"
#include "cli/run/unknown_library.h"
#include "cli/verbs/verbs.h"
#include "console/csv.h"
#include "console/numbers.h"
#include "console/printable.h"
#include "console/table.h"
#include "console/units.h"
#include "domain/words/counted.h"

namespace cox::cli {
namespace {

// The most questions per RPC, and their bytes: both far below the daemon's limits.
constexpr int kChunkQuestions = 5000;
constexpr int kChunkPlaced = 64;  // the most with a node list that BatchRecommend takes
constexpr size_t kChunkBytes = 1 << 20;

constexpr char kDefaultLibrary[] = "openmpi-4.1";

struct RecommendOptions {
  ScenarioOptions scenario;
  std::string library;  // empty: kDefaultLibrary
  std::string batch;
  int64_t nodes = 0;
  NodeListOptions nodes_in_use;
  std::vector<std::string> candidates;
  std::vector<std::string> assume;
  bool alternatives = false;
  SheetFiles files;
};

std::string OptionalTime(bool known, double time_s) {
  return known ? console::FormatTime(time_s) : "-";
}

// What the predicted time rests on: "benchmark, jobs".
std::string EvidenceText(const v1::RecommendResponse& answer, absl::string_view separator) {
  constexpr absl::string_view kPrefix = "EVIDENCE_";
  return absl::StrJoin(answer.evidence(), separator, [&](std::string* out, int evidence) {
    const std::string& name = v1::Evidence_Name(static_cast<v1::Evidence>(evidence));
    absl::string_view word = name;
    absl::ConsumePrefix(&word, kPrefix);
    absl::StrAppend(out, absl::StrReplaceAll(absl::AsciiStrToLower(word), {{"_", " "}}));
  });
}

// How answers to many questions are written with --json.
enum class JsonForm {
  kLines,     // of a batch file: the interchange form, a line for each
  kDocument,  // of one point or a sweep: one document, its question beside each answer
};

// Asks in chunks and prints each chunk's answers as soon as they are there.
class Asker {
 public:
  Asker(Session& session, JsonForm form, SheetFiles files, bool compares_lists = false)
      : session_(session),
        form_(form),
        files_(std::move(files)),
        compares_lists_(compares_lists),
        table_({{"COLLECTIVE", console::Align::kLeft, console::Fit::kDrop},
                {"RANKS", console::Align::kRight},
                {"BYTES", console::Align::kRight},
                {"USE"},
                {"ID", console::Align::kRight, console::Fit::kDrop},
                {"PREDICTED", console::Align::kRight},
                {"90 % WITHIN", console::Align::kLeft, console::Fit::kDrop},
                {"IN JOBS", console::Align::kRight, console::Fit::kDrop},
                {"DEFAULT", console::Align::kRight},
                {"WHICH IS", console::Align::kLeft, console::Fit::kDrop},
                {"RESTS ON", console::Align::kLeft, console::Fit::kDrop},
                {"WHY", console::Align::kLeft, console::Fit::kFold}}) {}

  absl::Status Ask(v1::RecommendRequest question) {
    bytes_ += question.ByteSizeLong();
    placed_ += question.node_list().empty() ? 0 : 1;
    *chunk_.add_requests() = std::move(question);
    if (chunk_.requests_size() < kChunkQuestions && placed_ < kChunkPlaced &&
        bytes_ < kChunkBytes) {
      return absl::OkStatus();
    }
    return Flush();
  }

  // OK when every question was answered.
  absl::Status Finish() {
    absl::Status status = Flush();
    if (!session_.json()) {
      if (files_.csv != "-") {
        PrintLists();
        table_.Print(session_.out());
        PrintCaveats();
      }
    } else if (form_ == JsonForm::kDocument && status.ok()) {
      session_.out() << (asked_ == 0 ? "{\"responses\":[" : "") << "]}\n";
    }
    if (status.ok() && !files_.csv.empty()) status = WriteSheet(session_, files_.csv, csv_);
    if (!status.ok() || refused_ == 0) return status;
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d of %s %s no answer; the first: %s", refused_, domain::Counted(asked_, "question"),
        domain::Plural(refused_, "has", "have"), first_error_));
  }

  // Answers one question in full, with the daemon's own status.
  absl::Status AskOne(const v1::RecommendRequest& question) {
    v1::RecommendResponse response;
    absl::Status status = session_.connection().Call(kRecommend, question, response);
    if (!status.ok()) return status;
    AddCsvRow(question, response);
    if (!files_.csv.empty()) {
      if (absl::Status written = WriteSheet(session_, files_.csv, csv_); !written.ok()) {
        return written;
      }
    }
    if (session_.json()) {
      SweepJson json;
      json.Add(question, response);
      session_.out() << json.Text();
      return absl::OkStatus();
    }
    AddRow(question, response);
    if (files_.csv != "-") {
      table_.Print(session_.out());
      PrintCaveats();
      PrintAlternatives(response);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Flush() {
    if (chunk_.requests_size() == 0) return absl::OkStatus();
    v1::BatchRecommendResponse response;
    absl::Status status = session_.connection().Call(kBatchRecommend, chunk_, response);
    if (!status.ok()) return status;
    if (response.responses_size() != chunk_.requests_size()) {
      return absl::InternalError(absl::StrCat("coxd answered ", response.responses_size(), " of ",
                                              chunk_.requests_size(), " questions"));
    }
    for (int i = 0; i < response.responses_size(); ++i) {
      Print(chunk_.requests(i), response.responses(i));
    }
    chunk_.Clear();
    bytes_ = 0;
    placed_ = 0;
    return absl::OkStatus();
  }

  void Print(const v1::RecommendRequest& question, const v1::RecommendResponse& answer) {
    const bool first = asked_++ == 0;
    if (!answer.error().empty() && refused_++ == 0) first_error_ = answer.error();
    AddCsvRow(question, answer);
    if (!session_.json()) {
      AddRow(question, answer);
      return;
    }
    text_.clear();
    if (form_ == JsonForm::kLines) {
      AppendBatchAnswer(answer, text_);
      text_ += '\n';
    } else {
      text_ = first ? "{\"responses\":[" : ",";
      AppendMergedJson(question, answer, text_);
    }
    session_.out().write(text_.data(), static_cast<std::streamsize>(text_.size()));
  }

  void AddRow(const v1::RecommendRequest& question, const v1::RecommendResponse& answer) {
    std::string within = "-";
    if (answer.interval_s_size() == 2) {
      within = absl::StrCat(console::FormatTime(answer.interval_s(0)), " .. ",
                            console::FormatTime(answer.interval_s(1)));
    }
    caveats_.insert(answer.caveats().begin(), answer.caveats().end());
    std::string why = answer.error().empty() ? answer.reason() : answer.error();
    if (compares_lists_) {
      lists_.push_back(absl::StrCat(
          question.node_list(),
          answer.has_nodes_in_use() ? absl::StrCat(": ", NodesText(answer.nodes_in_use())) : ""));
      why = absl::StrCat("(", lists_.size(), ") ", why);
    } else if (answer.has_nodes_in_use()) {
      why = absl::StrCat(NodesText(answer.nodes_in_use()), ": ", why);
    }
    table_.Add(
        {question.collective(),
         absl::StrCat(question.ranks() > 0 ? question.ranks() : question.nodes() * question.ppn()),
         console::FormatBytes(question.block_bytes()),
         answer.error().empty() ? answer.algorithm() : "-",
         answer.has_native_id() ? absl::StrCat(answer.native_id()) : "-",
         OptionalTime(answer.has_predicted_time_s(), answer.predicted_time_s()), within,
         OptionalTime(answer.has_job_time_s(), answer.job_time_s()),
         OptionalTime(answer.has_default_time_s(), answer.default_time_s()),
         answer.default_algorithm().empty() ? "not known" : answer.default_algorithm(),
         EvidenceText(answer, ", "), std::move(why)});
  }

  // What is not known is empty.
  void AddCsvRow(const v1::RecommendRequest& question, const v1::RecommendResponse& answer) {
    if (files_.csv.empty()) return;
    const auto number = [](bool known, double value) {
      return known ? console::FormatDouble(value) : std::string();
    };
    const bool within = answer.interval_s_size() == 2;
    const bool job_within = answer.job_interval_s_size() == 2;
    const std::vector<std::string> fields = {
        question.machine(),
        question.library(),
        question.collective(),
        absl::StrCat(question.nodes()),
        absl::StrCat(question.ppn()),
        absl::StrCat(question.ranks()),
        absl::StrCat(question.block_bytes()),
        answer.algorithm(),
        answer.has_native_id() ? absl::StrCat(answer.native_id()) : "",
        answer.strategy(),
        number(answer.has_predicted_time_s(), answer.predicted_time_s()),
        number(within, within ? answer.interval_s(0) : 0),
        number(within, within ? answer.interval_s(1) : 0),
        number(answer.has_default_time_s(), answer.default_time_s()),
        answer.model(),
        answer.error().empty() ? answer.reason() : answer.error(),
        EvidenceText(answer, ";"),
        number(answer.has_job_time_s(), answer.job_time_s()),
        number(job_within, job_within ? answer.job_interval_s(0) : 0),
        number(job_within, job_within ? answer.job_interval_s(1) : 0)};
    absl::StrAppend(&csv_,
                    absl::StrJoin(fields, ",",
                                  [](std::string* out, const std::string& field) {
                                    absl::StrAppend(out, console::CsvField(field));
                                  }),
                    "\r\n");
  }

  // "(1) n[1-4]: 4 nodes at ...", as cox predict prints them.
  void PrintLists() {
    for (size_t i = 0; i < lists_.size(); ++i) {
      session_.out() << '(' << i + 1 << ") " << console::Printable(lists_[i]) << '\n';
    }
    if (!lists_.empty()) session_.out() << '\n';
  }

  // Each once, whatever number of answers it is about.
  void PrintCaveats() {
    for (const std::string& caveat : caveats_) {
      session_.out() << "note: " << console::Printable(caveat) << '\n';
    }
  }

  void PrintAlternatives(const v1::RecommendResponse& answer) {
    if (answer.alternatives_size() == 0) return;
    console::Table table({{"ALGORITHM"},
                          {"STRATEGY", console::Align::kLeft, console::Fit::kFold},
                          {"PREDICTED", console::Align::kRight},
                          {"90 % WITHIN"}});
    for (const v1::Alternative& alternative : answer.alternatives()) {
      table.Add({alternative.algorithm(),
                 alternative.strategy().empty() ? "-" : alternative.strategy(),
                 OptionalTime(alternative.predicted_time_s() > 0, alternative.predicted_time_s()),
                 alternative.interval_s_size() == 2
                     ? absl::StrCat(console::FormatTime(alternative.interval_s(0)), " .. ",
                                    console::FormatTime(alternative.interval_s(1)))
                     : "-"});
    }
    session_.out() << '\n';
    table.Print(session_.out());
  }

  Session& session_;
  JsonForm form_;
  SheetFiles files_;
  bool compares_lists_;             // several lists of nodes: a row for each
  std::vector<std::string> lists_;  // with what is known of their nodes
  std::string csv_ =
      "machine,library,collective,nodes,ppn,ranks,block_bytes,algorithm,native_id,strategy,"
      "predicted_time_s,interval_low_s,interval_high_s,default_time_s,model,reason,evidence,"
      "job_time_s,job_interval_low_s,job_interval_high_s\r\n";
  console::Table table_;
  std::set<std::string> caveats_;
  v1::BatchRecommendRequest chunk_;
  size_t bytes_ = 0;
  int placed_ = 0;  // of the chunk's questions, those with a node list
  int64_t asked_ = 0;
  int64_t refused_ = 0;
  std::string first_error_;
  std::string text_;
};

void SetAssumptions(const RecommendOptions& options, v1::RecommendRequest& question) {
  const library::Assumptions assume = AssumptionsOf(options.assume);
  question.set_assume_commutative(assume.commutative);
  question.set_assume_elements_at_least_ranks(assume.elements_at_least_ranks);
  question.set_assume_same_counts(assume.same_counts);
}

absl::Status RecommendBatch(Session& session, const RecommendOptions& options) {
  absl::StatusOr<std::unique_ptr<RecordFile>> file =
      RecordFile::Open(options.batch, QuestionColumns());
  if (!file.ok()) return file.status();
  if (const std::string note = (*file)->IgnoredNote(); !note.empty()) session.Note(note);
  // Read the whole file first: a bad row must be found before any answer is printed.
  std::vector<v1::RecommendRequest> questions;
  while ((*file)->Next()) {
    absl::Status status = ParseQuestion(**file, questions.emplace_back());
    if (!status.ok()) return status;
    SetAssumptions(options, questions.back());
    questions.back().set_include_alternatives(options.alternatives);
  }
  if (questions.empty()) {
    session.Note(absl::StrCat("warning: ", options.batch, ": has no questions"));
  }
  Asker asker(session, JsonForm::kLines, options.files);
  for (v1::RecommendRequest& question : questions) {
    absl::Status status = asker.Ask(std::move(question));
    if (!status.ok()) return status;
  }
  return asker.Finish();
}

absl::Status Recommend(Session& session, const RecommendOptions& options) {
  v1::RecommendRequest question;
  question.set_machine(options.scenario.machine);
  question.set_library(options.library);
  question.set_collective(options.scenario.collective);
  question.set_nodes(options.nodes);
  question.set_ppn(options.scenario.ppn);
  question.set_type_bytes(options.scenario.type_bytes);
  SetAssumptions(options, question);
  question.set_include_alternatives(options.alternatives);
  question.set_assume_idle_switches(options.nodes_in_use.idle_switches);
  for (const std::string& name : options.candidates) question.add_candidates(name);
  Asker asker(session, JsonForm::kDocument, options.files, options.nodes_in_use.lists.size() > 1);
  if (options.nodes_in_use.lists.size() > 1) {
    // A row for each list, in their order.
    question.set_ranks(options.scenario.ranks.front());
    question.set_block_bytes(options.scenario.block_bytes.front());
    for (const std::string& node_list : options.nodes_in_use.lists) {
      question.set_node_list(node_list);
      if (absl::Status status = asker.Ask(question); !status.ok()) return status;
    }
    return asker.Finish();
  }
  if (!options.nodes_in_use.lists.empty())
    question.set_node_list(options.nodes_in_use.lists.front());
  const bool single =
      options.scenario.ranks.size() == 1 && options.scenario.block_bytes.size() == 1;
  for (const int64_t ranks : options.scenario.ranks) {
    for (const int64_t block_bytes : options.scenario.block_bytes) {
      question.set_ranks(ranks);
      question.set_block_bytes(block_bytes);
      absl::Status status = single ? asker.AskOne(question) : asker.Ask(question);
      if (!status.ok() || single) return status;
    }
  }
  return asker.Finish();
}

absl::Status CheckQuestion(RecommendOptions& options) {
  if (options.library.empty()) options.library = kDefaultLibrary;
  absl::Status status = RequireScenario(options.scenario);
  if (status.ok() && options.nodes_in_use.lists.size() > 1 &&
      (options.scenario.ranks.size() > 1 || options.scenario.block_bytes.size() > 1)) {
    return UsageError("--node-list: several lists compare one -p and one -b");
  }
  return status;
}

absl::Status CheckBatch(const RecommendOptions& options) {
  const ScenarioOptions& scenario = options.scenario;
  const bool is_twice = !scenario.machine.empty() || !scenario.collective.empty() ||
                        !scenario.ranks.empty() || !scenario.block_bytes.empty() ||
                        !options.candidates.empty() || options.nodes > 0 ||
                        !options.nodes_in_use.lists.empty() || !options.library.empty() ||
                        scenario.ppn > 0 || scenario.type_bytes > 0;
  return is_twice ? UsageError(
                        "--batch takes machine, library, collective, nodes, ppn, ranks, bytes, "
                        "type bytes, candidates and node lists from the file: leave out their "
                        "options")
                  : absl::OkStatus();
}

}  // namespace

void AddRecommendVerb(Verb app) {
  Verb verb = app.Sub("recommend", "Recommend an algorithm of an MPI library for a collective");
  verb.Footer(
      "Examples:\n"
      "  cox recommend -m cluster -c alltoall -p 256 --ppn 16 -b 64k --library openmpi-4.1\n"
      "  cox recommend -m cluster -c allreduce -p 64 -b 8..1M:*4 --csv answers.csv\n"
      "  cox --json recommend --batch questions.csv\n"
      "A batch file has the columns\n"
      "machine,library,collective,nodes,ppn,ranks,block_bytes,candidates (names separated by\n"
      "`;`; empty: all that the library has), and may have node_list and type_bytes. Answers come\n"
      "in the same order. With --json each is a document on a line: algorithm, native_id,\n"
      "strategy, predicted_time_s, interval_s, default_time_s, model, reason, evidence,\n"
      "caveats.\n"
      "`algorithm` is \"default\" if the library should choose, and null if there is no answer;\n"
      "`reason` says why.\n"
      "Without a batch file, --json prints one document, {\"responses\": [...]}, with its\n"
      "question beside each answer.");
  auto options = std::make_shared<RecommendOptions>();
  AddScenarioOptions(verb, options->scenario);
  AddLibraryOption(verb, options->library)
      .Describe("The library, such as `mpich-4.0` (default: openmpi-4.1)");
  AddCount(verb, "--nodes", options->nodes, 1, (int64_t{1} << 31) - 1,
           "Nodes (default: as many as the ranks need)");
  AddNodeListOptions(verb, NodeLists::kSeveral, options->nodes_in_use);
  verb.Words("--candidates", options->candidates,
             "Algorithms of the library to choose among, comma-separated (default: all)")
      .Type("NAMES");
  AddAssumeOption(verb, options->assume);
  verb.Flag("--alternatives", options->alternatives, "Show every candidate, best first");
  verb.Text("--batch", options->batch, "Answer the questions of this CSV file").Type("FILE");
  AddSheetOptions(verb, options->files, false);
  verb.Do(
      [options](Session& session) {
        return options->batch.empty() ? NamedLibrary(options->library, Recommend(session, *options))
                                      : RecommendBatch(session, *options);
      },
      [options](const GlobalOptions& global) {
        absl::Status status = CheckSheetFiles(options->files, global);
        if (!status.ok()) return status;
        return options->batch.empty() ? CheckQuestion(*options) : CheckBatch(*options);
      });
}

}  // namespace cox::cli
