#include "service/tuning_answer.h"

#include <ctime>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "advise/tuning.h"
#include "library/tuning_format.h"
#include "model/errors.h"
#include "service/limits.h"

namespace cox::service {
namespace {

std::string TodayUtc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  const size_t length = std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(text, length);
}

// FNV-1a, 64 bits: the same decisions give the same etag in every run of the daemon.
std::string Fingerprint(absl::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return absl::StrCat(absl::Hex(hash, absl::kZeroPad16));
}

std::vector<std::string> HeaderLines(const advise::MachineView& machine,
                                     const v1::GetTuningRequest& request, int64_t ppn) {
  std::vector<std::string> lines = {
      absl::StrCat("machine ", machine.name, ", profile revision ", machine.revision),
      absl::StrCat(request.library(), ", ", request.nodes(), " nodes of ", ppn, " ranks"),
      absl::StrCat("made ", TodayUtc(), " by coxswain"),
  };
  if (!request.command().empty()) lines.push_back(absl::StrCat("command: ", request.command()));
  return lines;
}

absl::Status CheckCommand(const std::string& command) {
  if (command.size() > kMaxTextBytes) {
    return model::InvalidField("command",
                               absl::StrCat("must be at most ", kMaxTextBytes, " bytes"));
  }
  for (const char c : command) {
    // A line break would end the comment that the command is put into.
    if (static_cast<unsigned char>(c) < 0x20) {
      return model::InvalidField("command", "must not hold control characters");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status AnswerTuning(const Snapshot& snapshot, const v1::GetTuningRequest& request,
                          v1::GetTuningResponse* response) {
  const absl::StatusOr<const advise::MachineView*> found =
      FindMachine(snapshot, request.machine(), "machine");
  if (!found.ok()) return found.status();
  const advise::MachineView& machine = **found;
  if (absl::Status checked = CheckCommand(request.command()); !checked.ok()) return checked;

  advise::TuningQuestion question;
  question.job.library = request.library();
  question.job.nodes = request.nodes();
  question.job.ppn = request.ppn() == 0 ? machine.cores_per_node : request.ppn();
  question.job.assume.commutative = request.assume_commutative();
  question.collectives.assign(request.collectives().begin(), request.collectives().end());
  const absl::StatusOr<std::vector<library::DecisionTable>> tables =
      advise::BuildDecisionTables(machine, question);
  if (!tables.ok()) return tables.status();
  const auto format = library::FindTuningFormat(
      request.library(), request.format() == v1::TUNING_FORMAT_ENV ? "env" : "file");
  if (!format.ok()) return format.status();
  // The etag is of the decisions alone: the header's date must not change it.
  const absl::StatusOr<std::string> bare =
      library::WriteTuning(*tables, question.job, **format, {});
  if (!bare.ok()) return bare.status();
  const std::string etag = Fingerprint(*bare);
  response->set_etag(etag);
  response->set_profile_revision(machine.revision);
  if (request.etag() == etag) {
    response->set_not_modified(true);
    return absl::OkStatus();
  }
  absl::StatusOr<std::string> text = library::WriteTuning(
      *tables, question.job, **format, HeaderLines(machine, request, question.job.ppn));
  if (!text.ok()) return text.status();
  response->set_text(*std::move(text));
  for (const library::DecisionTable& table : *tables) {
    for (const library::DecisionRow& row : table.rows) {
      v1::TuningRow* out = response->add_rows();
      out->set_collective(table.collective);
      out->set_block_bytes(row.block_bytes);
      out->set_algorithm(row.algorithm);
      out->set_predicted_time_s(row.predicted_time_s);
      out->set_default_time_s(row.default_time_s);
    }
  }
  return absl::OkStatus();
}

}  // namespace cox::service
