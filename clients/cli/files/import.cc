#include "cli/files/import.h"

#include <cox/v1/observation.pb.h>

#include <map>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/files/interchange.h"
#include "cli/files/record_file.h"
#include "cli/methods.h"
#include "cli/resource_names.h"
#include "console/progress.h"

namespace cox::cli {
namespace {

constexpr int kBatchRows = 5000;
constexpr size_t kBatchBytes = 2 << 20;
// Learning from a large file takes longer than an ordinary call.
constexpr double kLearningTimeout_s = 600;
// This many bad rows are shown; the others are only counted (with skip_bad all are shown).
constexpr int64_t kShownBadRows = 10;

struct Census {
  int64_t good_count = 0;
  int64_t bad_count = 0;
  // Of each machine: the last of its good rows, counted from 0.
  std::map<std::string, int64_t> last_row;
};

// Reads the whole file and counts; lists the bad rows.
absl::StatusOr<Census> Examine(Session& session, const ImportOptions& options) {
  absl::StatusOr<std::unique_ptr<RecordFile>> file =
      RecordFile::Open(options.file, ObservationColumns());
  if (!file.ok()) return file.status();
  const std::string note = (*file)->IgnoredNote();
  if (!note.empty()) session.Note(note);
  Census census;
  v1::Observation observation;
  while ((*file)->Next()) {
    absl::Status status = ParseObservation(**file, observation);
    if (status.ok()) {
      census.last_row[observation.machine()] = census.good_count++;
      continue;
    }
    if (++census.bad_count <= kShownBadRows || options.skip_bad) {
      session.Note(absl::StrCat(status.message(), options.skip_bad ? " (skipped)" : ""));
    }
  }
  return census;
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

class Sender {
 public:
  Sender(Session& session, const ImportOptions& options, const Census& census, ImportResult& result)
      : session_(session),
        census_(census),
        result_(result),
        progress_(&session.err(), console::ErrorColumns()) {
    for (Part* part : {&passive_, &together_}) {
      part->batch.set_job(options.job);
      part->batch.set_create_machines(options.create_machines);
      part->batch.set_source(SourceOf(options));
      part->batch.set_measurement(v1::MEASUREMENT_BENCHMARK);
    }
    if (options.from_jobs) passive_.batch.set_measurement(v1::MEASUREMENT_JOB);
  }

  absl::Status Add(v1::Observation observation) {
    const bool is_together = observation.run() == kSynchronisedRun &&
                             passive_.batch.measurement() == v1::MEASUREMENT_JOB;
    Part& part = is_together ? together_ : passive_;
    part.bytes += observation.ByteSizeLong();
    // The next question must be answered with all of the file: the daemon answers a batch with a
    // machine's last row only after it has learned that machine's rows.
    const int64_t row =
        sent_ + passive_.batch.observations_size() + together_.batch.observations_size();
    const auto last = census_.last_row.find(observation.machine());
    if (last != census_.last_row.end() && last->second == row) {
      absl::Status others = Flush(is_together ? passive_ : together_);
      if (!others.ok()) return others;
      part.batch.set_await_learning(true);
    }
    *part.batch.add_observations() = std::move(observation);
    if (part.batch.observations_size() < kBatchRows && part.bytes < kBatchBytes) {
      return absl::OkStatus();
    }
    return Flush(part);
  }

  absl::Status Flush() {
    absl::Status status = Flush(passive_);
    return status.ok() ? Flush(together_) : status;
  }

 private:
  // Rows that were measured in one way and wait to be sent.
  struct Part {
    v1::ReportObservationsRequest batch;
    size_t bytes = 0;
  };

  absl::Status Flush(Part& part) {
    v1::ReportObservationsRequest& batch = part.batch;
    if (batch.observations_size() == 0) return absl::OkStatus();
    batch.set_sequence(next_sequence_++);
    v1::ReportObservationsResponse response;
    absl::Status status = session_.connection().Call(kReportObservations, batch, response);
    if (!status.ok()) {
      progress_.Clear();
      // The rows of earlier batches are stored; the user must know.
      if (result_.stored_count == 0) return status;
      return absl::Status(status.code(), absl::StrCat(status.message(), "; ", sent_,
                                                      " rows are stored, the others are not"));
    }
    sent_ += batch.observations_size();
    result_.stored_count += response.stored_count();
    for (const std::string& machine : response.created_machines()) {
      result_.created_machines.emplace(BareMachine(machine));
    }
    batch.clear_observations();
    batch.set_await_learning(false);
    part.bytes = 0;
    progress_.Update(static_cast<double>(sent_) / static_cast<double>(census_.good_count),
                     absl::StrCat(sent_, " of ", census_.good_count, " rows"));
    return absl::OkStatus();
  }

  Session& session_;
  const Census& census_;
  ImportResult& result_;
  console::Progress progress_;
  Part passive_;   // all rows, unless some were sampled together
  Part together_;  // synchronised samples of jobs: what a benchmark would have measured
  int64_t next_sequence_ = 0;
  int64_t sent_ = 0;
};

}  // namespace

absl::Status ImportObservations(Session& session, const ImportOptions& options,
                                ImportResult& result) {
  absl::StatusOr<Census> census = Examine(session, options);
  if (!census.ok()) return census.status();
  if (census->bad_count > 0 && !options.skip_bad) {
    return absl::InvalidArgumentError(absl::StrCat(
        options.file, ": ", census->bad_count, " of ", census->good_count + census->bad_count,
        " rows are bad and nothing was imported; correct them, or use --skip-bad"));
  }
  result.skipped_count = census->bad_count;
  absl::StatusOr<std::unique_ptr<RecordFile>> file =
      RecordFile::Open(options.file, ObservationColumns());
  if (!file.ok()) return file.status();
  session.connection().AllowAtLeast(kLearningTimeout_s);
  Sender sender(session, options, *census, result);
  v1::Observation observation;
  while ((*file)->Next()) {
    absl::Status status = ParseObservation(**file, observation);
    if (!status.ok()) {
      if (options.skip_bad) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(status.message(), " (the file changed while it was read)"));
    }
    status = sender.Add(std::move(observation));
    if (!status.ok()) return status;
  }
  return sender.Flush();
}

}  // namespace cox::cli
