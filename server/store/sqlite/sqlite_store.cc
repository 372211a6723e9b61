#include "store/sqlite/sqlite_store.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "domain/drift.h"
#include "store/checks.h"
#include "store/limits.h"
#include "store/sqlite/audit/audit_table.h"
#include "store/sqlite/cell_table.h"
#include "store/sqlite/database.h"
#include "store/sqlite/drift_table.h"
#include "store/sqlite/file/backup.h"
#include "store/sqlite/file/content.h"
#include "store/sqlite/file/file_watch.h"
#include "store/sqlite/file/files.h"
#include "store/sqlite/file/pages.h"
#include "store/sqlite/forget.h"
#include "store/sqlite/guard/withdrawal_table.h"
#include "store/sqlite/ingest.h"
#include "store/sqlite/machine_table.h"
#include "store/sqlite/migrations.h"
#include "store/sqlite/profile_table.h"
#include "store/sqlite/read_observations.h"
#include "store/sqlite/read_pool.h"
#include "store/sqlite/report_count.h"
#include "store/sqlite/request_log.h"
#include "store/sqlite/retention/old_sums.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/sketch_table.h"
#include "store/sqlite/views/job_list.h"
#include "store/sqlite/views/machine_states.h"
#include "store/sqlite/views/summary.h"
#include "store/steps/old_jobs.h"
#include "store/steps/old_revisions.h"
#include "store/steps/purge_look.h"
#include "store/words.h"
#include "store/writer.h"

namespace cox::store {
namespace {

// 16 MiB: the pages of a group, the right edges of the tables and indexes, all scenarios of a site.
// WAL pages before a checkpoint: four times SQLite's default, so that a group rarely pays for one.
constexpr const char* kWriterPragmas =
    "PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 4000;";

// After a write failed, this much space must be free before writes count as working: what the
// largest batch may need. A small write finds space in the log that a failed one has left.
constexpr int64_t kSpareBytes = int64_t{4} << 20;

class SqliteStore final : public Store, public WriteState {
 public:
  SqliteStore(DataDirectory directory, std::unique_ptr<Database> db,
              const Surroundings& surroundings)
      : directory_(std::move(directory)),
        db_(std::move(db)),
        now_us_(surroundings.now_us),
        steady_us_(surroundings.steady_us),
        ingest_(*db_) {}

  absl::Status Start(const StoreOptions& options) {
    const auto note_damage = [this](const absl::Status& damage) { files_.NoteDamage(damage); };
    db_->WhenDamaged(note_damage);
    if (absl::Status status = db_->Execute(kWriterPragmas); !status.ok()) return status;
    if (absl::Status status = RebuildStaleCells(*db_); !status.ok()) return status;
    if (absl::Status status = ingest_.Load(); !status.ok()) return status;
    const absl::StatusOr<bool> is_due = HasDueMachine(*db_, purge_look_.purge_at_us());
    if (!is_due.ok()) return is_due.status();
    absl::StatusOr<std::unique_ptr<ReadPool>> readers =
        ReadPool::Open(directory_.DatabasePath(), options.read_connections, note_damage);
    if (!readers.ok()) return readers.status();
    readers_ = std::move(*readers);
    files_.Remember();  // the reads above have made the log
    const Writer::Limits limits{.commit_delay_us = options.commit_delay_us,
                                .commit_rows = options.commit_rows,
                                .queue_rows = options.queue_rows};
    writer_ = std::make_unique<Writer>(*db_, *this, limits, *is_due);
    return absl::OkStatus();
  }

  absl::Status CreateMachine(const MachineRecord& machine, absl::string_view request_id,
                             const Actor& actor) override {
    if (absl::Status status = CheckMachine(machine); !status.ok()) return status;
    return writer_->Run(Writer::Grouping::kShared, [&]() -> absl::Status {
      const Request request{request_id, "CreateMachine", machine.name};
      const auto outcome = FindOutcome(*db_, request, now_us_());
      if (!outcome.ok()) return outcome.status();
      if (outcome->has_value()) return absl::OkStatus();
      MachineRecord record = machine;
      if (record.create_time_us == 0) record.create_time_us = now_us_();
      if (absl::Status status = InsertMachine(*db_, record); !status.ok()) return status;
      absl::Status audited = Audit(actor, record.name, MachineWords(record));
      if (!audited.ok()) return audited;
      return RecordOutcome(*db_, request, 0, now_us_());
    });
  }

  absl::Status AddPublishedMachines(absl::Span<const PublishedMachine> machines) override {
    for (const PublishedMachine& published : machines) {
      if (absl::Status status = CheckMachine(published.machine); !status.ok()) return status;
      if (absl::Status status = CheckProfile(published.profile); !status.ok()) return status;
    }
    return writer_->Run(Writer::Grouping::kShared, [&]() -> absl::Status {
      for (const PublishedMachine& published : machines) {
        const absl::StatusOr<bool> is_new = NotePublishedMachine(*db_, published.machine.name);
        if (!is_new.ok()) return is_new.status();
        if (!*is_new) continue;
        MachineRecord record = published.machine;
        record.create_time_us = now_us_();
        absl::Status inserted = InsertMachine(*db_, record);
        // The user's machine of that name stays.
        if (absl::IsAlreadyExists(inserted)) continue;
        if (!inserted.ok()) return inserted;
        const absl::StatusOr<int64_t> added = InsertProfile(*db_, published.profile, now_us_());
        if (!added.ok()) return added.status();
      }
      return absl::OkStatus();
    });
  }

  absl::StatusOr<MachineRecord> GetMachine(absl::string_view name) override {
    return Read([&](Database& db) { return ReadMachine(db, name); });
  }

  absl::StatusOr<std::vector<MachineRecord>> ListMachines(absl::string_view after,
                                                          int64_t limit) override {
    if (absl::Status status = CheckLimit(limit); !status.ok()) return status;
    return Read([&](Database& db) { return ReadMachines(db, after, limit); });
  }

  absl::Status DeleteMachine(absl::string_view name, const Actor& actor) override {
    return writer_->Run(Writer::Grouping::kAlone, [&]() -> absl::Status {
      ingest_.DropCaches();
      group_rewrites_ = true;
      const absl::StatusOr<std::string> content = ContentOf(name);
      if (!content.ok()) return content.status();
      if (absl::Status hidden = HideMachine(*db_, name, now_us_()); !hidden.ok()) return hidden;
      return Audit(actor, name, *content);
    });
  }

  absl::Status UndeleteMachine(absl::string_view name, const Actor& actor) override {
    return writer_->Run(Writer::Grouping::kAlone, [&]() -> absl::Status {
      ingest_.DropCaches();
      group_rewrites_ = true;
      if (absl::Status shown = ShowMachine(*db_, name, now_us_()); !shown.ok()) return shown;
      const absl::StatusOr<std::string> content = ContentOf(name);
      return content.ok() ? Audit(actor, name, *content) : content.status();
    });
  }

  absl::Status SetSwitches(absl::string_view machine, absl::string_view text,
                           const Actor& actor) override {
    return writer_->Run(Writer::Grouping::kShared, [&]() -> absl::Status {
      absl::Status written = WriteSwitches(*db_, machine, text, now_us_());
      if (!written.ok()) return written;
      return Audit(actor, machine, kSwitchesChanged);
    });
  }

  absl::StatusOr<std::string> GetSwitches(absl::string_view machine) override {
    return Read([&](Database& db) { return ReadSwitches(db, machine); });
  }

  absl::StatusOr<ProfileRecord> AddProfile(const ProfileRecord& profile,
                                           absl::string_view request_id,
                                           const Actor& actor) override {
    if (absl::Status status = CheckProfile(profile); !status.ok()) return status;
    int64_t revision = 0;
    absl::Status status = writer_->Run(Writer::Grouping::kShared, [&]() -> absl::Status {
      const Request request{request_id, "AddProfile", profile.machine};
      const auto outcome = FindOutcome(*db_, request, now_us_());
      if (!outcome.ok()) return outcome.status();
      if (outcome->has_value()) {
        revision = **outcome;
        return absl::OkStatus();
      }
      const absl::StatusOr<int64_t> added = InsertProfile(*db_, profile, now_us_());
      if (!added.ok()) return added.status();
      revision = *added;
      absl::Status audited =
          Audit(actor, profile.machine, absl::StrCat("revision ", revision, ": ", profile.note));
      if (!audited.ok()) return audited;
      return RecordOutcome(*db_, request, revision, now_us_());
    });
    if (!status.ok()) return status;
    return GetProfile(profile.machine, revision);
  }

  absl::StatusOr<ProfileRecord> GetProfile(absl::string_view machine, int64_t revision) override {
    return Read([&](Database& db) { return ReadProfile(db, machine, revision); });
  }

  absl::StatusOr<std::optional<ProfileRecord>> GetStatedProfile(
      absl::string_view machine) override {
    return Read([&](Database& db) { return ReadStatedProfile(db, machine); });
  }

  absl::StatusOr<std::vector<ProfileRecord>> ListProfiles(absl::string_view machine, int64_t before,
                                                          int64_t limit) override {
    if (absl::Status status = CheckLimit(limit); !status.ok()) return status;
    return Read([&](Database& db) { return ReadProfiles(db, machine, before, limit); });
  }

  absl::StatusOr<int64_t> RemoveOldRevisions(absl::string_view machine,
                                             const OldRevisions& old) override {
    int64_t count = 0;
    absl::Status status = writer_->Run(Writer::Grouping::kAlone, [&]() -> absl::Status {
      const absl::StatusOr<int64_t> machine_id = FindMachineId(*db_, machine);
      if (!machine_id.ok()) return machine_id.status();
      const absl::StatusOr<int64_t> removed =
          RemoveSomeOldRevisions<Query>(*db_, *machine_id, old, kOldRevisions);
      if (removed.ok()) count = *removed;
      return removed.status();
    });
    if (!status.ok()) return status;
    return count;
  }

  absl::Status PinProfile(absl::string_view machine, int64_t revision,
                          const Actor& actor) override {
    return writer_->Run(Writer::Grouping::kShared, [&]() -> absl::Status {
      absl::Status pinned = SetPinnedRevision(*db_, machine, revision);
      if (!pinned.ok()) return pinned;
      return Audit(actor, machine, revision == 0 ? "no pin" : absl::StrCat("revision ", revision));
    });
  }

  void AppendObservations(ObservationBatch batch, AppendDone done) override {
    if (absl::Status status = CheckBatch(batch); !status.ok()) {
      done(std::move(status));
      return;
    }
    struct Write {
      ObservationBatch batch;
      AppendDone done;
      AppendResult result;
    };
    const auto write = std::make_shared<Write>(Write{std::move(batch), std::move(done), {}});
    writer_->Submit(
        write->batch.source, write->batch.RowsToWrite(),
        [this, write]() -> absl::Status {
          const absl::StatusOr<AppendResult> result = ingest_.Append(write->batch, now_us_());
          if (result.ok()) write->result = *result;
          return result.status();
        },
        [write](absl::Status status) {
          if (status.ok()) {
            write->done(write->result);
          } else {
            write->done(std::move(status));
          }
        });
  }

  absl::StatusOr<std::vector<ObservationRecord>> ListObservations(
      const ObservationFilter& filter, int64_t after_id, int64_t limit,
      const IsCancelled& is_cancelled) override {
    if (absl::Status status = CheckLimit(limit); !status.ok()) return status;
    return Read([&](Database& db) { return ReadObservations(db, filter, after_id, limit); },
                is_cancelled);
  }

  absl::StatusOr<int64_t> FindScanEnd(const ObservationFilter& filter, int64_t after_id,
                                      int64_t row_limit, const IsCancelled& is_cancelled) override {
    return Read([&](Database& db) { return store::FindScanEnd(db, filter, after_id, row_limit); },
                is_cancelled);
  }

  absl::StatusOr<ObservationCount> CountObservations(const ObservationFilter& filter,
                                                     const IsCancelled& is_cancelled) override {
    return Read([&](Database& db) { return ReadObservationCount(db, filter); }, is_cancelled);
  }

  absl::StatusOr<int64_t> LastObservationId() override {
    return Read([](Database& db) { return ReadLastObservationId(db); });
  }

  absl::StatusOr<Forgotten> Forget(const Reporter& reporter, const Actor& actor) override {
    Forgotten forgotten;
    absl::Status status = writer_->Run(Writer::Grouping::kAlone, [&]() -> absl::Status {
      ingest_.DropCaches();
      group_rewrites_ = true;
      // A reporter of millions of rows takes seconds, and the daemon may end meanwhile.
      db_->CancelWhen([this] { return long_work_is_cancelled_.load(); });
      const absl::Cleanup stop_asking = [this] { db_->CancelWhen({}); };
      absl::StatusOr<Forgotten> removed = RemoveReports(*db_, reporter);
      if (!removed.ok()) return removed.status();
      forgotten = *std::move(removed);
      for (const AuditRecord& record : ForgottenAudit(actor, reporter, forgotten, now_us_())) {
        if (absl::Status audited = InsertAudit(*db_, record); !audited.ok()) return audited;
      }
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
    return forgotten;
  }

  absl::StatusOr<domain::Drift> AddDrift(const domain::Drift& drift) override {
    if (absl::Status status = CheckDrift(drift); !status.ok()) return status;
    domain::Drift stored = drift;
    stored.create_time_us = now_us_();
    // Most of the work is done while others write; what they add meanwhile is left to the writer.
    const int64_t rewrites = rewrites_;
    absl::StatusOr<DriftSums> sums = Read([&](Database& db) -> absl::StatusOr<DriftSums> {
      const absl::StatusOr<int64_t> last_id = ReadLastObservationId(db);
      if (!last_id.ok()) return last_id.status();
      DriftSums read;
      absl::Status status = SumUpScope(db, drift, *last_id, &read);
      if (!status.ok()) return status;
      return read;
    });
    if (!sums.ok()) return sums.status();
    absl::Status status = writer_->Run(Writer::Grouping::kAlone, [&]() -> absl::Status {
      ingest_.DropCaches();
      if (rewrites_ != rewrites) *sums = {};
      group_rewrites_ = true;
      const absl::StatusOr<int64_t> last_id = ReadLastObservationId(*db_);
      if (!last_id.ok()) return last_id.status();
      absl::Status summed = SumUpScope(*db_, drift, *last_id, &*sums);
      if (!summed.ok()) return summed;
      const absl::StatusOr<int64_t> id = InsertDrift(*db_, stored, stored.create_time_us, *sums);
      if (id.ok()) stored.id = *id;
      return id.status();
    });
    if (!status.ok()) return status;
    return stored;
  }

  absl::StatusOr<std::vector<domain::Drift>> ListDrifts(absl::string_view machine, int64_t before,
                                                        int64_t limit) override {
    if (absl::Status status = CheckLimit(limit); !status.ok()) return status;
    return Read([&](Database& db) { return ReadDrifts(db, machine, before, limit); });
  }

  absl::StatusOr<domain::Withdrawal> AddWithdrawal(const domain::Withdrawal& withdrawal) override {
    if (absl::Status status = CheckWithdrawal(withdrawal); !status.ok()) return status;
    domain::Withdrawal stored = withdrawal;
    stored.create_time_us = now_us_();
    absl::Status status = writer_->Run(Writer::Grouping::kAlone, [&]() -> absl::Status {
      const absl::StatusOr<int64_t> id = InsertWithdrawal(*db_, stored);
      if (id.ok()) stored.id = *id;
      return id.status();
    });
    if (!status.ok()) return status;
    return stored;
  }

  absl::StatusOr<std::vector<SketchRecord>> ListSketches(absl::string_view machine,
                                                         absl::string_view application) override {
    return Read([&](Database& db) { return ReadSketches(db, machine, application); });
  }

  absl::StatusOr<std::vector<domain::Withdrawal>> ListWithdrawals(absl::string_view machine,
                                                                  int64_t limit) override {
    if (absl::Status status = CheckLimit(limit); !status.ok()) return status;
    return Read([&](Database& db) { return ReadWithdrawals(db, machine, limit); });
  }

  absl::StatusOr<SummedUp> SumUpOld(absl::string_view machine, const OldRows& old) override {
    const absl::StatusOr<SumUpPlan> plan =
        Read([&](Database& db) { return PlanSumUp(db, machine, old); });
    if (!plan.ok()) return plan.status();
    if (!plan->finds_old) return plan->passed;
    SummedUp summed;
    absl::Status status = writer_->Run(Writer::Grouping::kAlone, [&]() -> absl::Status {
      const absl::StatusOr<SummedUp> step = SumUpOldRows(*db_, machine, *plan, kSumUpRows);
      if (!step.ok()) return step.status();
      summed = *step;
      // A drift that is being summed up elsewhere would miss or repeat these rows.
      if (summed.observation_count > 0) group_rewrites_ = true;
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
    return summed;
  }

  absl::StatusOr<int64_t> CountOldSums(absl::string_view machine) override {
    return Read([&](Database& db) { return store::CountOldSums(db, machine); });
  }

  absl::StatusOr<MergedJobs> MergeOldJobs(const OldJobs& old) override {
    MergedJobs merged;
    absl::Status status = writer_->Run(Writer::Grouping::kAlone, [&]() -> absl::Status {
      OldJobMerger<Query, Database> merger(
          *db_, [this](int64_t from, int64_t to) { return MoveOldSums(*db_, from, to); });
      const absl::StatusOr<MergedJobs> step = merger.Step(old, now_us_(), kMergedBatches);
      if (!step.ok()) return step.status();
      merged = *step;
      if (merged.job_count > 0) {
        ingest_.DropCaches();
        group_rewrites_ = true;
      }
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
    return merged;
  }

  absl::StatusOr<std::vector<CellRecord>> ListCells(absl::string_view machine, int64_t limit,
                                                    const IsCancelled& is_cancelled) override {
    if (absl::Status status = CheckLimit(limit); !status.ok()) return status;
    return Read([&](Database& db) { return ReadCells(db, machine, limit); }, is_cancelled);
  }

  absl::Status AddAudit(const AuditRecord& record) override {
    return writer_->Run(Writer::Grouping::kSoon,
                        [&] { return Audit(record.actor, record.machine, record.change); });
  }

  absl::StatusOr<std::vector<AuditRecord>> ListAudit(const AuditFilter& filter, int64_t before_id,
                                                     int64_t limit,
                                                     const IsCancelled& is_cancelled) override {
    if (absl::Status status = CheckLimit(limit); !status.ok()) return status;
    return Read([&](Database& db) { return ReadAudit(db, filter, before_id, limit); },
                is_cancelled);
  }

  absl::StatusOr<FileFacts> ReadFileFacts() override {
    absl::StatusOr<FileFacts> facts = Read([](Database& db) { return ReadPageCounts(db); });
    std::error_code absent;
    const auto log_bytes = std::filesystem::file_size(directory_.DatabasePath() + "-wal", absent);
    if (facts.ok() && !absent) facts->log_bytes = static_cast<int64_t>(log_bytes);
    return facts;
  }

  absl::Status Backup(const std::string& path, const IsCancelled& is_cancelled) override {
    if (absl::Status enough = CheckFreeSpace(path); !enough.ok()) return enough;
    const auto cancelled = [&] {
      return long_work_is_cancelled_ || (is_cancelled && is_cancelled());
    };
    absl::Status written = Read(
        [&](Database& db) -> absl::Status {
          // The transaction begins with its first read.
          if (const auto id = ReadLastObservationId(db); !id.ok()) return id.status();
          return WriteBackup(db, path, cancelled);
        },
        is_cancelled);
    // Either the database is damaged, or the disk under the copy is bad.
    if (absl::IsDataLoss(written)) CheckContent(is_cancelled).IgnoreError();
    return written;
  }

  absl::Status CheckContent(const IsCancelled& is_cancelled) override {
    absl::Status checked = files_.CheckSame();
    if (!checked.ok()) return checked;
    checked = Read([](Database& db) { return CheckAll(db); }, is_cancelled);
    if (absl::IsDataLoss(checked)) files_.NoteDamage(checked);
    return checked;
  }

  absl::StatusOr<int64_t> Compact(const IsCancelled& is_cancelled) override {
    int64_t freed_count = 0;
    for (int64_t left = 1; left > 0;) {
      if (long_work_is_cancelled_ || (is_cancelled && is_cancelled())) {
        return absl::CancelledError("compacting was cancelled");
      }
      absl::Status status = writer_->Run(Writer::Grouping::kAlone, [&]() -> absl::Status {
        const absl::StatusOr<Freed> freed = FreePages(*db_);
        if (!freed.ok()) return freed.status();
        freed_count += freed->page_count;
        left = freed->page_count > 0 ? freed->left_count : 0;
        return absl::OkStatus();
      });
      if (!status.ok()) return status;
    }
    return freed_count;
  }

  absl::StatusOr<std::vector<MachineState>> ListMachineStates(
      absl::string_view after, int64_t limit, StateDetail detail,
      const IsCancelled& is_cancelled) override {
    if (absl::Status status = CheckLimit(limit); !status.ok()) return status;
    return Read([&](Database& db) { return ReadMachineStates(db, after, limit, detail); },
                is_cancelled);
  }

  absl::StatusOr<std::vector<JobRecord>> ListJobs(const JobFilter& filter, int64_t before_batch_id,
                                                  int64_t limit,
                                                  const IsCancelled& is_cancelled) override {
    if (absl::Status status = CheckLimit(limit); !status.ok()) return status;
    return Read([&](Database& db) { return ReadJobs(db, filter, before_batch_id, limit); },
                is_cancelled);
  }

  absl::StatusOr<Summary> Summarize(const SummaryFilter& filter,
                                    const IsCancelled& is_cancelled) override {
    return Read([&](Database& db) { return ReadSummary(db, filter); }, is_cancelled);
  }

  absl::Status Flush() override {
    return writer_->Run(Writer::Grouping::kSoon, [] { return absl::OkStatus(); });
  }

  absl::Status Check() override {
    if (absl::Status at_work = writer_->CheckAtWork(); !at_work.ok()) return at_work;
    if (absl::Status same = files_.CheckSame(); !same.ok()) return same;
    // A checkpoint of the writer can make the file shorter than it says for a moment.
    const int64_t failures = failed_writes_;
    if (failures == overcome_failures_ && files_.CheckWhole().ok()) return absl::OkStatus();
    if (absl::Status space = CheckSpace(directory_.path(), kSpareBytes); !space.ok()) return space;
    // SQLite writes no page for an update that changes nothing.
    absl::Status written = writer_->Run(Writer::Grouping::kSoon, [this] {
      return db_->Execute(
          "INSERT OR IGNORE INTO published_machine VALUES ('');"
          "DELETE FROM published_machine WHERE name = ''");
    });
    if (written.ok()) overcome_failures_ = failures;
    // What found damage has told the watch, which says what to do about it.
    if (absl::IsDataLoss(written)) {
      if (absl::Status same = files_.CheckSame(); !same.ok()) return same;
    }
    return written;
  }

  void CancelLongWork() override { long_work_is_cancelled_ = true; }

 private:
  absl::Status BeforeCommit() override {
    // A write to a deleted file succeeds but is lost when the daemon ends.
    if (absl::Status same = files_.CheckSame(); !same.ok()) return same;
    if (absl::Status whole = files_.CheckWhole(); !whole.ok()) return whole;
    // Deleted machines become due while the daemon runs.
    if (purge_look_.Look(now_us_(), steady_us_())) writer_->RequestMaintenance();
    return ingest_.BeforeCommit();
  }
  void AfterCommit() override {
    files_.RememberLength();  // the commit may have written the log back
    if (std::exchange(group_rewrites_, false)) ++rewrites_;
    ingest_.AfterCommit();
  }
  void AfterRollback(bool is_refusal) override {
    if (!is_refusal) ++failed_writes_;
    group_rewrites_ = false;
    ingest_.AfterRollback();
  }

  absl::StatusOr<bool> Maintain() override { return PurgeStep(*db_, purge_look_.purge_at_us()); }

  // Into the transaction of the change. The writer's thread only.
  absl::Status Audit(const Actor& actor, absl::string_view machine, absl::string_view change) {
    return InsertAudit(*db_, {.time_us = now_us_(),
                              .actor = actor,
                              .machine = std::string(machine),
                              .change = std::string(change)});
  }

  // What a machine has. Not of one that rests. The writer's thread only.
  absl::StatusOr<std::string> ContentOf(absl::string_view machine) {
    const absl::StatusOr<int64_t> machine_id = FindMachineId(*db_, machine);
    if (!machine_id.ok()) return machine_id.status();
    const auto count = SumReports(*db_, std::nullopt, std::nullopt, *machine_id);
    if (!count.ok()) return count.status();
    return ContentWords(*count);
  }

  // A backup must not fill the disk under the database.
  absl::Status CheckFreeSpace(const std::string& path) {
    const absl::StatusOr<FileFacts> facts = ReadFileFacts();
    if (!facts.ok()) return facts.status();
    std::error_code error;
    const auto space = std::filesystem::space(std::filesystem::path(path).parent_path(), error);
    const int64_t needed_bytes = 2 * facts->page_bytes * facts->page_count;
    if (error || static_cast<int64_t>(space.available) >= needed_bytes) return absl::OkStatus();
    return absl::ResourceExhaustedError(
        absl::StrCat("a backup needs ", needed_bytes, " bytes free, twice the database; there are ",
                     space.available, " at ", path, ": free space, or lower backup-keep"));
  }

  static absl::Status CheckLimit(int64_t limit) {
    if (limit >= 0) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("limit is ", limit, ", must be >= 0"));
  }

  template <typename Function>
  auto Read(Function function, const IsCancelled& is_cancelled = {})
      -> decltype(function(std::declval<Database&>())) {
    const ReadPool::Lease lease = readers_->Borrow();
    (*lease).CancelWhen(
        [&] { return long_work_is_cancelled_ || (is_cancelled && is_cancelled()); });
    const absl::Cleanup stop_asking = [&lease] { (*lease).CancelWhen({}); };
    if (long_work_is_cancelled_) return absl::CancelledError("the daemon is ending");
    const Snapshot snapshot(*lease);
    if (!snapshot.status().ok()) return snapshot.status();
    return function(*lease);
  }

  // In this order: the writer goes first and the lock last when the store closes.
  DataDirectory directory_;
  std::unique_ptr<Database> db_;
  std::function<int64_t()> now_us_;
  std::function<int64_t()> steady_us_;
  FileWatch files_{directory_.DatabasePath()};
  // Groups that were rolled back because they could not be written; and how many there were when
  // Check() last found that writes work. A small write may succeed on a disk that is full for
  // others: alone it proves nothing.
  std::atomic<int64_t> failed_writes_{0};
  std::atomic<int64_t> overcome_failures_{0};
  std::atomic<bool> long_work_is_cancelled_{false};
  // Commits that removed observations or moved them to another epoch. Changed by the writer only,
  // and after the commit: a snapshot from before may be read by one who has seen the old number.
  std::atomic<int64_t> rewrites_{0};
  bool group_rewrites_ = false;  // the group is such a one; writer's thread only
  Ingest ingest_;                // writer's thread only
  PurgeLook purge_look_;         // writer's thread only
  std::unique_ptr<ReadPool> readers_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace

Surroundings RealSurroundings() {
  return {.now_us =
              [] {
                const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
                return static_cast<int64_t>(
                    std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count());
              },
          .steady_us =
              [] {
                const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
                return static_cast<int64_t>(
                    std::chrono::duration_cast<std::chrono::microseconds>(since_start).count());
              },
          .file_system_type = StatfsType};
}

absl::StatusOr<std::unique_ptr<Store>> OpenSqliteIn(const StoreOptions& options,
                                                    const Surroundings& surroundings) {
  absl::StatusOr<DataDirectory> directory = DataDirectory::Open(
      options.directory, options.allow_network_file_system, surroundings.file_system_type);
  if (!directory.ok()) return directory.status();
  absl::StatusOr<std::unique_ptr<Database>> db =
      OpenMigrated(directory->DatabasePath(), Migrations(), options.whole_check_bytes);
  if (!db.ok()) return db.status();
  auto store = std::make_unique<SqliteStore>(std::move(*directory), std::move(*db), surroundings);
  if (absl::Status status = store->Start(options); !status.ok()) return status;
  return store;
}

absl::StatusOr<std::string> RestoreSqlite(const StoreOptions& options, const std::string& backup) {
  std::error_code error;
  if (!std::filesystem::is_directory(options.directory, error)) {
    return absl::NotFoundError(absl::StrCat(
        options.directory,
        " is not a directory: name coxd's data directory, or create this one first (owner: the user"
        " of coxd)"));
  }
  const absl::StatusOr<DataDirectory> directory = DataDirectory::Open(
      options.directory, options.allow_network_file_system, RealSurroundings().file_system_type);
  if (!directory.ok()) return directory.status();
  return RestoreBackup(backup, directory->DatabasePath());
}

absl::StatusOr<std::unique_ptr<Store>> OpenSqlite(const StoreOptions& options) {
  return OpenSqliteIn(options, RealSurroundings());
}

}  // namespace cox::store
