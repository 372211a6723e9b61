#include "cli/files/import.h"

#include <cox/v1/machine.pb.h>
#include <cox/v1/observation.pb.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/exit_code.h"
#include "cli/files/interchange.h"
#include "cli/files/oddities.h"
#include "cli/files/record_file.h"
#include "cli/methods.h"
#include "cli/resource_names.h"
#include "console/progress.h"
#include "domain/reports/spooled.h"
#include "domain/words/counted.h"

namespace cox::cli {
namespace {

constexpr int kBatchRows = 5000;
constexpr size_t kBatchBytes = 2 << 20;
// Learning from a large file takes longer than an ordinary call.
constexpr double kLearningTimeout_s = 600;
// This many bad rows are shown; the others are only counted (with skip_bad all are shown).
constexpr int64_t kShownBadRows = 10;

// Of a machine's good rows.
struct MachineRows {
  int64_t last = 0;   // counted from 0
  int64_t nodes = 0;  // the largest
  int64_t ppn = 0;    // the largest
};

struct Census {
  int64_t good_count = 0;
  int64_t bad_count = 0;
  std::map<std::string, MachineRows> machines;  // by bare name
};

// Reads the whole file and counts; lists the bad rows.
absl::StatusOr<Census> Examine(Session& session, const ImportOptions& options) {
  absl::StatusOr<std::unique_ptr<RecordFile>> file =
      RecordFile::Open(options.file, ObservationColumns());
  if (!file.ok()) return file.status();
  const std::string note = (*file)->IgnoredNote();
  if (!note.empty()) session.Note(note);
  Census census;
  Oddities oddities(absl::Now());
  v1::Observation observation;
  while ((*file)->Next()) {
    absl::Status status = ParseObservation(**file, observation);
    if (status.ok()) {
      MachineRows& rows = census.machines[observation.machine()];
      rows.last = census.good_count++;
      rows.nodes = std::max(rows.nodes, observation.nodes());
      rows.ppn = std::max(rows.ppn, observation.ppn());
      if (!options.unknown_ok) oddities.Add(observation, (*file)->line());
      continue;
    }
    if (!(*file)->read_error().ok()) return (*file)->read_error();
    if (++census.bad_count <= kShownBadRows || options.skip_bad) {
      session.Note(absl::StrCat(status.message(), options.skip_bad ? " (skipped)" : ""));
    }
  }
  if (!options.is_own) {
    for (const std::string& warning : oddities.Warnings(options.file)) session.Note(warning);
  } else if (const int64_t slow = oddities.too_long_count(); slow > 0) {
    session.Note(
        absl::StrCat("warning: ", slow, " of ", domain::Counted(census.good_count, "timing"),
                     domain::Plural(slow, " is", " are"),
                     " far too long: is the machine busy? Measure again on an idle machine"));
  }
  if (census.good_count + census.bad_count == 0) {
    session.Note(absl::StrCat("warning: ", options.file, ": has no rows"));
  }
  return census;
}

// Registers an unknown machine with the shape that the whole file has: coxd sees a batch at a time.
// Who may not register machines, as a reporter or behind a relay, leaves that to coxd.
absl::Status RegisterMachine(Session& session, const std::string& name, const MachineRows& rows,
                             ImportResult& result) {
  v1::GetMachineRequest get;
  get.set_name(MachineName(name));
  v1::Machine machine;
  // Another failure meets the first batch, too.
  if (!absl::IsNotFound(session.connection().Call(kGetMachine, get, machine))) {
    return absl::OkStatus();
  }
  v1::CreateMachineRequest create;
  create.set_request_id(NewUuid());
  create.mutable_machine()->set_name(MachineName(name));
  create.mutable_machine()->set_nodes(rows.nodes);
  create.mutable_machine()->set_cores_per_node(rows.ppn);
  absl::Status created = session.connection().Call(kCreateMachine, create, machine);
  if (created.ok()) result.created_machines.insert(name);
  const bool is_left_to_coxd = absl::IsPermissionDenied(created) ||
                               absl::IsFailedPrecondition(created) ||
                               absl::IsAlreadyExists(created);
  return is_left_to_coxd ? absl::OkStatus() : created;
}

// Of a longer name the end is kept: it distinguishes files.
std::string SourceOf(const ImportOptions& options) {
  constexpr size_t kMaxBytes = 128;
  std::string source = options.source;
  if (!source.empty()) return source;
  source = options.file.substr(options.file.rfind('/') + 1);
  if (source.size() > kMaxBytes) source.erase(0, source.size() - kMaxBytes);
  // A file may have any name, a source may not.
  for (char& c : source) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return source;
}

// What the agent writes into `run` of a sample that all ranks began together.
constexpr char kSynchronisedRun[] = "synchronised";

// Sends rows in batches, each of one origin.
class Sender {
 public:
  Sender(Session& session, const ImportOptions& options, const Census& census, ImportResult& result)
      : session_(session),
        options_(options),
        census_(census),
        result_(result),
        progress_(&session.err(), console::ErrorColumns()) {}

  absl::Status Add(v1::Observation observation) {
    const Origin origin = OriginOf(observation);
    observation.clear_job();
    observation.clear_source();
    observation.clear_measurement();
    // The next question must be answered with all of the file: the daemon answers a batch with a
    // machine's last row only after it has learned that machine's rows.
    const auto rows = census_.machines.find(observation.machine());
    const bool is_last = rows != census_.machines.end() && rows->second.last == sent_ + waiting_;
    if (is_last) {
      if (absl::Status others = FlushExcept(origin); !others.ok()) return others;
    }
    Part& part = PartOf(origin);
    if (is_last) part.batch.set_await_learning(true);
    part.bytes += observation.ByteSizeLong();
    *part.batch.add_observations() = std::move(observation);
    ++waiting_;
    if (part.batch.observations_size() >= kBatchRows || part.bytes >= kBatchBytes) {
      return Flush(origin);
    }
    return waiting_ >= kMostWaiting ? Flush() : absl::OkStatus();
  }

  absl::Status Flush() {
    while (!parts_.empty()) {
      if (absl::Status status = Flush(Origin(parts_.begin()->first)); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // The error, and what is stored in spite of it.
  absl::Status WithStored(const absl::Status& status) const {
    const int64_t stored = stored_count();
    if (stored == 0) return status;
    return WithMessage(status,
                       absl::StrCat(status.message(), "; ", domain::Counted(stored, "row"),
                                    domain::Plural(stored, " is", " are"), " stored",
                                    result_.spooled_count > 0 ? " or in the relay's spool" : "",
                                    ", the others are not"));
  }

 private:
  // Rows of earlier batches.
  int64_t stored_count() const { return sent_ - result_.refused_count; }

  // Who reported rows, and how they were measured.
  struct Origin {
    std::string job;
    std::string source;
    v1::Measurement measurement;
    friend bool operator==(const Origin& a, const Origin& b) = default;
    friend bool operator<(const Origin& a, const Origin& b) {
      return std::tie(a.job, a.source, a.measurement) < std::tie(b.job, b.source, b.measurement);
    }
  };
  // Rows of one origin that wait to be sent.
  struct Part {
    v1::ReportObservationsRequest batch;
    size_t bytes = 0;
  };

  Origin OriginOf(const v1::Observation& row) const {
    v1::Measurement measurement = row.measurement();
    if (measurement == v1::MEASUREMENT_UNSPECIFIED) {
      const bool is_job = options_.from_jobs && row.run() != kSynchronisedRun;
      measurement = is_job ? v1::MEASUREMENT_JOB : v1::MEASUREMENT_BENCHMARK;
    }
    const bool has_source = options_.source.empty() && !row.source().empty();
    return {row.job().empty() ? options_.job : row.job(),
            has_source ? row.source() : SourceOf(options_), measurement};
  }

  Part& PartOf(const Origin& origin) {
    const auto [found, is_new] = parts_.try_emplace(origin);
    Part& part = found->second;
    if (is_new) {
      part.batch.set_job(origin.job);
      part.batch.set_source(origin.source);
      part.batch.set_measurement(origin.measurement);
      part.batch.set_create_machines(options_.create_machines);
    }
    return part;
  }

  absl::Status FlushExcept(const Origin& kept) {
    std::vector<Origin> others;
    for (const auto& [origin, part] : parts_) {
      if (origin != kept) others.push_back(origin);
    }
    for (const Origin& origin : others) {
      if (absl::Status status = Flush(origin); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status Flush(const Origin& origin) {
    const auto found = parts_.find(origin);
    if (found == parts_.end()) return absl::OkStatus();
    v1::ReportObservationsRequest& batch = found->second.batch;
    // A job's own batches have smaller numbers: this one is no resend of them.
    batch.set_sequence((batch.job().empty() ? 0 : start_us_) + next_sequence_++);
    v1::ReportObservationsResponse response;
    absl::Status status = session_.connection().Call(kReportObservations, batch, response);
    if (domain::IsSpooled(status)) {
      result_.spooled_count += batch.observations_size();
    } else if (!status.ok()) {
      progress_.Clear();
      // The rows of earlier batches are stored; the user must know.
      const int64_t stored = stored_count();
      // coxd stores a batch before it learns from it and answers.
      if (absl::IsDeadlineExceeded(status) || (absl::IsUnavailable(status) && stored > 0)) {
        return WithMessage(
            status, absl::StrCat(
                        status.message(), "; ", domain::Counted(stored, "row"),
                        domain::Plural(stored, " is", " are"), " stored for certain, and the next ",
                        batch.observations_size(),
                        " may be: before you import again, look with `cox observations list --count"
                        " --source '",
                        batch.source(),
                        "'` (of a reporter, the source is the name that `cox token whoami` says)"));
      }
      return WithStored(status);
    }
    sent_ += batch.observations_size();
    waiting_ -= batch.observations_size();
    result_.stored_count += response.stored_count();
    result_.refused_count += response.refused_count();
    if (response.refused_count() > 0) result_.refused_reason = response.refused_reason();
    for (const std::string& machine : response.created_machines()) {
      result_.created_machines.emplace(BareMachine(machine));
    }
    parts_.erase(found);
    progress_.Update(static_cast<double>(sent_) / static_cast<double>(census_.good_count),
                     absl::StrCat(sent_, " of ", domain::Counted(census_.good_count, "row")));
    return absl::OkStatus();
  }

  // In all parts.
  static constexpr int64_t kMostWaiting = int64_t{4} * kBatchRows;

  Session& session_;
  const ImportOptions& options_;
  const Census& census_;
  ImportResult& result_;
  console::Progress progress_;
  std::map<Origin, Part> parts_;
  const int64_t start_us_ = absl::ToUnixMicros(absl::Now());
  int64_t next_sequence_ = 0;
  int64_t sent_ = 0;
  int64_t waiting_ = 0;
};

absl::Status SendRows(const ImportOptions& options, Sender& sender) {
  absl::StatusOr<std::unique_ptr<RecordFile>> file =
      RecordFile::Open(options.file, ObservationColumns());
  if (!file.ok()) return file.status();
  v1::Observation observation;
  while ((*file)->Next()) {
    absl::Status status = ParseObservation(**file, observation);
    if (!status.ok()) {
      if (!(*file)->read_error().ok()) return sender.WithStored((*file)->read_error());
      if (options.skip_bad) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(status.message(), " (the file changed while it was read)"));
    }
    status = sender.Add(std::move(observation));
    if (!status.ok()) return status;
  }
  return sender.Flush();
}

// coxd stores the other rows of a job's batch.
std::string RefusedNote(const ImportResult& result) {
  return absl::StrCat(
      "warning: coxd refused ", domain::Counted(result.refused_count, "row"),
      " of new scenarios and stored the others: ", result.refused_reason,
      ". To import all: let an operator make room and forget what the jobs of the file have"
      " reported (`cox observations list` shows their names, `cox observations forget --job JOB`"
      " removes them), and import it again. A row that is imported twice counts twice");
}

std::string SpooledNote(const ImportResult& result) {
  return absl::StrCat("warning: the relay has ", domain::Counted(result.spooled_count, "row"),
                      " and sends them when coxd answers it; do not import them again, or they"
                      " count twice");
}

}  // namespace

absl::Status ImportObservations(Session& session, const ImportOptions& options,
                                ImportResult& result) {
  // The file is read twice: to check it, and to send it.
  std::error_code error;
  const std::filesystem::file_status kind = std::filesystem::status(options.file, error);
  if (std::filesystem::exists(kind) && !std::filesystem::is_regular_file(kind) &&
      !std::filesystem::is_directory(kind)) {
    return absl::InvalidArgumentError(
        absl::StrCat(options.file, ": is a pipe or a device; save the rows into a file first"));
  }
  absl::StatusOr<Census> census = Examine(session, options);
  if (!census.ok()) return census.status();
  if (census->bad_count > 0 && !options.skip_bad) {
    return absl::InvalidArgumentError(
        absl::StrCat(options.file, ": ", census->bad_count, " of ",
                     domain::Counted(census->good_count + census->bad_count, "row"),
                     domain::Plural(census->bad_count, " is", " are"),
                     " bad and nothing was imported; correct them, or use --skip-bad"));
  }
  result.skipped_count = census->bad_count;
  session.connection().AllowAtLeast(kLearningTimeout_s);
  if (options.create_machines) {
    for (const auto& [name, rows] : census->machines) {
      absl::Status registered = RegisterMachine(session, name, rows, result);
      if (!registered.ok()) return registered;
    }
  }
  Sender sender(session, options, *census, result);
  absl::Status sent = SendRows(options, sender);
  if (result.refused_count > 0) session.Note(RefusedNote(result));
  if (result.spooled_count > 0) session.Note(SpooledNote(result));
  return sent;
}

}  // namespace cox::cli
