#include "service/answers/tuning_answer.h"

#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "advise/tuning/explore.h"
#include "advise/tuning/tuning.h"
#include "domain/collective.h"
#include "domain/errors.h"
#include "library/fingerprint.h"
#include "library/openmpi/rules.h"
#include "library/tuning_format.h"
#include "service/answers/explore_share.h"
#include "service/answers/find_machine.h"
#include "service/convert/checks.h"
#include "service/limits.h"

namespace cox::service {
namespace {

std::string NowUtc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  const size_t length = std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(text, length);
}

std::vector<std::string> HeaderLines(const daemon::TunedAnswer& answer,
                                     const std::string& command) {
  std::vector<std::string> lines = {
      absl::StrCat("machine ", answer.machine->name, ", profile revision ",
                   answer.machine->revision),
      absl::StrCat(answer.job.library, ", ", answer.job.nodes, " nodes of ", answer.job.ppn,
                   " ranks"),
      absl::StrCat("made ", NowUtc(), " by coxswain"),
  };
  if (!command.empty()) lines.push_back(absl::StrCat("command: ", command));
  for (const library::DecisionTable& table : answer.tables) {
    for (const library::DecisionRow& row : table.rows) {
      if (row.trial.empty()) continue;
      lines.push_back(absl::StrCat("trial: ", table.collective, " from ", row.block_bytes,
                                   " bytes, ", row.algorithm, " ", row.trial));
    }
  }
  return lines;
}

absl::Status CheckCommand(const std::string& command) {
  if (command.size() > kMaxTextBytes) {
    return domain::InvalidField("command",
                                absl::StrCat("must be at most ", kMaxTextBytes, " bytes"));
  }
  // A line break would end the comment that holds the command.
  return NoControlCharacters("command", command);
}

// What the decisions depend on, beside the machine's view.
void AppendWithLength(std::string* out, absl::string_view name) {
  absl::StrAppend(out, name.size(), ":", name);
}

std::string QuestionOf(const v1::GetTuningRequest& request) {
  return absl::StrCat(request.machine(), "\n", request.library(), "\n", request.nodes(), "\n",
                      request.ppn(), "\n", request.format(), "\n", request.format_name(), "\n",
                      request.assume_commutative(), request.assume_elements_at_least_ranks(),
                      request.assume_same_counts(), "\n", request.explore_ratio(), "\n",
                      absl::StrJoin(request.collectives(), "", AppendWithLength));
}

absl::string_view FormatName(const v1::GetTuningRequest& request) {
  if (!request.format_name().empty()) return request.format_name();
  switch (request.format()) {
    case v1::TUNING_FORMAT_ENV:
      return "env";
    case v1::TUNING_FORMAT_FILE:
      return "file";
    default:
      return "";
  }
}

absl::StatusOr<std::shared_ptr<const daemon::TunedAnswer>> Decide(
    const std::shared_ptr<const advise::MachineView>& machine,
    const v1::GetTuningRequest& request) {
  advise::TuningQuestion question;
  question.job.library = request.library();
  question.job.nodes = request.nodes();
  question.job.ppn = request.ppn() == 0 ? machine->cores_per_node : request.ppn();
  question.job.assume.commutative = request.assume_commutative();
  question.job.assume.elements_at_least_ranks = request.assume_elements_at_least_ranks();
  question.job.assume.same_counts = request.assume_same_counts();
  question.collectives.assign(request.collectives().begin(), request.collectives().end());
  absl::StatusOr<std::vector<library::DecisionTable>> tables =
      advise::BuildDecisionTables(*machine, question);
  if (!tables.ok()) return tables.status();
  const auto format = library::FindTuningFormat(request.library(), FormatName(request));
  if (!format.ok()) return format.status();
  if (absl::Status checked = CheckExploreShare(request.explore_ratio()); !checked.ok()) {
    return checked;
  }
  const auto tells_sizes_apart = [&](domain::Collective collective) {
    const bool is_rules = (*format)->name == "rules";
    return (*format)->is_file && !(is_rules && !library::WhyOneOpenMpiRow(collective).empty());
  };
  advise::AddTrials(*machine, question, request.explore_ratio(), tells_sizes_apart,
                    absl::MakeSpan(*tables));
  // The etag is of the decisions alone: the header's date must not change it.
  const absl::StatusOr<std::string> bare =
      library::WriteTuning(*tables, question.job, **format, {});
  if (!bare.ok()) return bare.status();
  return std::make_shared<const daemon::TunedAnswer>(daemon::TunedAnswer{
      machine, question.job, *format, *std::move(tables), library::Fingerprint(*bare)});
}

bool IsKnownToCaller(const daemon::TunedAnswer& answer, const v1::GetTuningRequest& request,
                     v1::GetTuningResponse* response) {
  response->set_etag(answer.etag);
  response->set_profile_revision(answer.machine->revision);
  response->set_not_modified(request.etag() == answer.etag);
  return response->not_modified();
}

}  // namespace

bool IsNotModified(const daemon::Snapshot& snapshot, const daemon::TuningTexts& texts,
                   const v1::GetTuningRequest& request, v1::GetTuningResponse* response) {
  if (request.etag().empty() || !CheckCommand(request.command()).ok()) return false;
  const auto machine = FindMachine(snapshot, request.machine(), "machine");
  if (!machine.ok()) return false;
  const std::shared_ptr<const daemon::TunedAnswer> answer =
      texts.Find(QuestionOf(request), **machine);
  return answer != nullptr && IsKnownToCaller(*answer, request, response);
}

absl::Status AnswerTuning(const daemon::Snapshot& snapshot, const v1::GetTuningRequest& request,
                          daemon::TuningTexts* texts, v1::GetTuningResponse* response) {
  const auto found = FindMachine(snapshot, request.machine(), "machine");
  if (!found.ok()) return found.status();
  if (absl::Status checked = CheckCommand(request.command()); !checked.ok()) return checked;
  const std::string question = QuestionOf(request);
  std::shared_ptr<const daemon::TunedAnswer> answer = texts->Find(question, **found);
  if (answer == nullptr) {
    auto decided = Decide(snapshot.find((*found)->name)->second, request);
    if (!decided.ok()) return decided.status();
    answer = *std::move(decided);
    texts->Keep(question, answer);
  }
  if (IsKnownToCaller(*answer, request, response)) return absl::OkStatus();
  absl::StatusOr<std::string> text = library::WriteTuning(
      answer->tables, answer->job, *answer->format, HeaderLines(*answer, request.command()));
  if (!text.ok()) return text.status();
  response->set_text(*std::move(text));
  for (const library::DecisionTable& table : answer->tables) {
    for (const library::DecisionRow& row : table.rows) {
      v1::TuningRow* out = response->add_rows();
      out->set_collective(table.collective);
      out->set_block_bytes(row.block_bytes);
      out->set_algorithm(row.algorithm);
      out->set_predicted_time_s(row.predicted_time_s);
      out->set_default_time_s(row.default_time_s);
      out->set_trial(row.trial);
    }
  }
  return absl::OkStatus();
}

}  // namespace cox::service
