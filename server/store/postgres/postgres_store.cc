#include "store/postgres/postgres_store.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "domain/drift.h"
#include "store/checks.h"
#include "store/data_directory.h"
#include "store/limits.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/connection/session.h"
#include "store/postgres/connection/session_pool.h"
#include "store/postgres/fleet.h"
#include "store/postgres/forget.h"
#include "store/postgres/ingest.h"
#include "store/postgres/migrations.h"
#include "store/postgres/partitions.h"
#include "store/postgres/retention/old_sums.h"
#include "store/postgres/rows/audit_rows.h"
#include "store/postgres/rows/cell_rows.h"
#include "store/postgres/rows/drift_rows.h"
#include "store/postgres/rows/machine_rows.h"
#include "store/postgres/rows/profile_rows.h"
#include "store/postgres/rows/report_counts.h"
#include "store/postgres/rows/request_rows.h"
#include "store/postgres/rows/sketch_rows.h"
#include "store/postgres/rows/withdrawal_rows.h"
#include "store/postgres/schema.h"
#include "store/postgres/views/job_list.h"
#include "store/postgres/views/machine_states.h"
#include "store/postgres/views/observation_list.h"
#include "store/postgres/views/summary.h"
#include "store/postgres/write_session.h"
#include "store/steps/old_jobs.h"
#include "store/steps/old_revisions.h"
#include "store/steps/purge_look.h"
#include "store/words.h"
#include "store/writer.h"

namespace cox::store::postgres {
namespace {

// A transaction that its daemon leaves open, because it was stopped or cut off, is ended after this
// time, so that the other daemons write on.
constexpr int64_t kIdleMs = 5'000;
// A transaction is not idle while the server waits for the rest of a COPY: then the server must
// notice by itself that the daemon's host is gone. Unix sockets ignore it.
constexpr const char* kKeepAlive =
    "SET tcp_keepalives_idle = 5;SET tcp_keepalives_interval = 2;SET tcp_keepalives_count = 3";

// Then WriteSession looks for a daemon that was stopped amid a write.
constexpr const char* kLockTimeOut = "SET lock_timeout = '3s'";
// A write of its own may change very many rows.
constexpr std::chrono::minutes kMostSilenceAlone{60};
// When the store closes, writes that wait for the server fail after this time.
constexpr std::chrono::seconds kEndPatience{3};

std::string WriterSetUp(const StoreOptions& options) {
  return absl::StrCat(
      kSetUp, ";", kKeepAlive, ";", kLockTimeOut,
      ";SET idle_in_transaction_session_timeout = ", kIdleMs + options.commit_delay_us / 1'000);
}

class PostgresStore final : public Store, public WriteState {
 public:
  PostgresStore(const StoreOptions& options, std::optional<DataDirectory> directory,
                std::function<int64_t()> now_us, std::function<int64_t()> steady_us)
      : directory_(std::move(directory)),
        now_us_(std::move(now_us)),
        steady_us_(std::move(steady_us)),
        writes_(options.url, WriterSetUp(options)),
        ingest_(writes_),
        fleet_(options.url, kSetUp),
        readers_(options.url, kSetUp, options.read_connections) {
    const Writer::Limits limits{.commit_delay_us = options.commit_delay_us,
                                .commit_rows = options.commit_rows,
                                .queue_rows = options.queue_rows};
    // The first step of maintenance finds out whether there is any.
    writer_ = std::make_unique<Writer>(writes_, *this, limits, true);
  }

  ~PostgresStore() override {
    const auto until = std::chrono::steady_clock::now() + kEndPatience;
    writes_.GiveUpAt(until);
    fleet_.GiveUpAt(until);
  }

  // Before any other method.
  absl::Status Start() { return fleet_.Start(); }

  absl::Status CreateMachine(const MachineRecord& machine, absl::string_view request_id,
                             const Actor& actor) override {
    if (absl::Status status = CheckMachine(machine); !status.ok()) return status;
    return Write(Writer::Grouping::kShared, [&]() -> absl::Status {
      const Request request{request_id, "CreateMachine", machine.name};
      const auto outcome = FindOutcome(writes_.session(), request, now_us_());
      if (!outcome.ok()) return outcome.status();
      if (outcome->has_value()) return absl::OkStatus();
      Changed(machine.name);
      MachineRecord record = machine;
      if (record.create_time_us == 0) record.create_time_us = now_us_();
      if (absl::Status status = InsertMachine(writes_.session(), record); !status.ok())
        return status;
      absl::Status audited = Audit(actor, record.name, MachineWords(record));
      if (!audited.ok()) return audited;
      return RecordOutcome(writes_.session(), request, 0, now_us_());
    });
  }

  absl::Status AddPublishedMachines(absl::Span<const PublishedMachine> machines) override {
    for (const PublishedMachine& published : machines) {
      if (absl::Status status = CheckMachine(published.machine); !status.ok()) return status;
      if (absl::Status status = CheckProfile(published.profile); !status.ok()) return status;
    }
    return Write(Writer::Grouping::kShared, [&]() -> absl::Status {
      for (const PublishedMachine& published : machines) {
        const absl::StatusOr<bool> is_new =
            NotePublishedMachine(writes_.session(), published.machine.name);
        if (!is_new.ok()) return is_new.status();
        if (!*is_new) continue;
        Changed(published.machine.name);
        MachineRecord record = published.machine;
        record.create_time_us = now_us_();
        absl::Status inserted = InsertMachine(writes_.session(), record);
        // The user's machine of that name stays.
        if (absl::IsAlreadyExists(inserted)) continue;
        if (!inserted.ok()) return inserted;
        const absl::StatusOr<int64_t> added =
            InsertProfile(writes_.session(), published.profile, now_us_());
        if (!added.ok()) return added.status();
      }
      return absl::OkStatus();
    });
  }

  absl::StatusOr<MachineRecord> GetMachine(absl::string_view name) override {
    return Read([&](Session& session) { return ReadMachine(session, name); });
  }

  absl::StatusOr<std::vector<MachineRecord>> ListMachines(absl::string_view after,
                                                          int64_t limit) override {
    if (absl::Status status = CheckLimit(limit); !status.ok()) return status;
    return Read([&](Session& session) { return ReadMachines(session, after, limit); });
  }

  absl::Status DeleteMachine(absl::string_view name, const Actor& actor) override {
    return Write(Writer::Grouping::kAlone, [&]() -> absl::Status {
      Changed(name);
      const absl::StatusOr<std::string> content = ContentOf(name);
      if (!content.ok()) return content.status();
      if (absl::Status hidden = HideMachine(writes_.session(), name, now_us_()); !hidden.ok())
        return hidden;
      return Audit(actor, name, *content);
    });
  }

  absl::Status UndeleteMachine(absl::string_view name, const Actor& actor) override {
    return Write(Writer::Grouping::kAlone, [&]() -> absl::Status {
      Changed(name);
      if (absl::Status shown = ShowMachine(writes_.session(), name, now_us_()); !shown.ok())
        return shown;
      const absl::StatusOr<std::string> content = ContentOf(name);
      return content.ok() ? Audit(actor, name, *content) : content.status();
    });
  }

  absl::Status SetSwitches(absl::string_view machine, absl::string_view text,
                           const Actor& actor) override {
    return Write(Writer::Grouping::kShared, [&]() -> absl::Status {
      absl::Status written = WriteSwitches(writes_.session(), machine, text, now_us_());
      if (!written.ok()) return written;
      return Audit(actor, machine, kSwitchesChanged);
    });
  }

  absl::StatusOr<std::string> GetSwitches(absl::string_view machine) override {
    return Read([&](Session& session) { return ReadSwitches(session, machine); });
  }

  absl::StatusOr<ProfileRecord> AddProfile(const ProfileRecord& profile,
                                           absl::string_view request_id,
                                           const Actor& actor) override {
    if (absl::Status status = CheckProfile(profile); !status.ok()) return status;
    int64_t revision = 0;
    absl::Status status = Write(Writer::Grouping::kShared, [&]() -> absl::Status {
      const Request request{request_id, "AddProfile", profile.machine};
      const auto outcome = FindOutcome(writes_.session(), request, now_us_());
      if (!outcome.ok()) return outcome.status();
      if (outcome->has_value()) {
        revision = **outcome;
        return absl::OkStatus();
      }
      if (profile.refined_revision) {
        if (absl::Status mine = CheckLease(profile.machine); !mine.ok()) return mine;
      }
      Changed(profile.machine);
      const absl::StatusOr<int64_t> added = InsertProfile(writes_.session(), profile, now_us_());
      if (!added.ok()) return added.status();
      revision = *added;
      absl::Status audited =
          Audit(actor, profile.machine, absl::StrCat("revision ", revision, ": ", profile.note));
      if (!audited.ok()) return audited;
      return RecordOutcome(writes_.session(), request, revision, now_us_());
    });
    if (!status.ok()) return status;
    return GetProfile(profile.machine, revision);
  }

  absl::StatusOr<ProfileRecord> GetProfile(absl::string_view machine, int64_t revision) override {
    return Read([&](Session& session) { return ReadProfile(session, machine, revision); });
  }

  absl::StatusOr<std::optional<ProfileRecord>> GetStatedProfile(
      absl::string_view machine) override {
    return Read([&](Session& session) { return ReadStatedProfile(session, machine); });
  }

  absl::StatusOr<std::vector<ProfileRecord>> ListProfiles(absl::string_view machine, int64_t before,
                                                          int64_t limit) override {
    if (absl::Status status = CheckLimit(limit); !status.ok()) return status;
    return Read([&](Session& session) { return ReadProfiles(session, machine, before, limit); });
  }

  absl::StatusOr<int64_t> RemoveOldRevisions(absl::string_view machine,
                                             const OldRevisions& old) override {
    int64_t count = 0;
    absl::Status status = Write(Writer::Grouping::kAlone, [&]() -> absl::Status {
      const absl::StatusOr<int64_t> machine_id = FindMachineId(writes_.session(), machine);
      if (!machine_id.ok()) return machine_id.status();
      const absl::StatusOr<int64_t> removed =
          RemoveSomeOldRevisions<Query>(writes_.session(), *machine_id, old, kOldRevisions);
      if (removed.ok()) count = *removed;
      return removed.status();
    });
    if (!status.ok()) return status;
    return count;
  }

  absl::Status PinProfile(absl::string_view machine, int64_t revision,
                          const Actor& actor) override {
    return Write(Writer::Grouping::kShared, [&]() -> absl::Status {
      Changed(machine);
      absl::Status pinned = SetPinnedRevision(writes_.session(), machine, revision);
      if (!pinned.ok()) return pinned;
      return Audit(actor, machine, revision == 0 ? "no pin" : absl::StrCat("revision ", revision));
    });
  }

  void AppendObservations(ObservationBatch batch, AppendDone done) override {
    absl::Status checked = CheckBatch(batch);
    if (checked.ok()) checked = CheckTexts(batch);
    if (!checked.ok()) {
      done(std::move(checked));
      return;
    }
    struct Append {
      ObservationBatch batch;
      AppendDone done;
      absl::StatusOr<AppendResult> result;
    };
    const auto append =
        std::make_shared<Append>(Append{std::move(batch), std::move(done), AppendResult()});
    writer_->Submit(
        append->batch.source, append->batch.RowsToWrite(),
        [this, append] {
          ingest_.Stage(&append->batch, &append->result);
          return absl::OkStatus();
        },
        [append](absl::Status status) {
          if (status.ok()) {
            append->done(std::move(append->result));
          } else {
            append->done(std::move(status));
          }
        });
  }

  absl::StatusOr<std::vector<ObservationRecord>> ListObservations(
      const ObservationFilter& filter, int64_t after_id, int64_t limit,
      const IsCancelled& is_cancelled) override {
    if (absl::Status status = CheckLimit(limit); !status.ok()) return status;
    return Read(
        [&](Session& session) { return ReadObservations(session, filter, after_id, limit); },
        is_cancelled);
  }

  absl::StatusOr<int64_t> FindScanEnd(const ObservationFilter& filter, int64_t after_id,
                                      int64_t row_limit, const IsCancelled& is_cancelled) override {
    return Read(
        [&](Session& session) {
          return postgres::FindScanEnd(session, filter, after_id, row_limit);
        },
        is_cancelled);
  }

  absl::StatusOr<ObservationCount> CountObservations(const ObservationFilter& filter,
                                                     const IsCancelled& is_cancelled) override {
    return Read([&](Session& session) { return ReadObservationCount(session, filter); },
                is_cancelled);
  }

  absl::StatusOr<int64_t> LastObservationId() override {
    return Read([](Session& session) { return ReadLastObservationId(session); });
  }

  absl::StatusOr<Forgotten> Forget(const Reporter& reporter, const Actor& actor) override {
    Forgotten forgotten;
    absl::Status status = Write(Writer::Grouping::kAlone, [&]() -> absl::Status {
      // A reporter of millions of rows takes minutes, and the daemon may end meanwhile.
      writes_.session().CancelWhen([this] { return long_work_is_cancelled_.load(); });
      const absl::Cleanup stop_asking = [this] { writes_.session().CancelWhen({}); };
      absl::StatusOr<Forgotten> removed = RemoveReports(writes_.session(), reporter);
      if (!removed.ok()) return removed.status();
      forgotten = *std::move(removed);
      for (const Forgotten::Of& of : forgotten.machines) Changed(of.machine);
      for (const AuditRecord& record : ForgottenAudit(actor, reporter, forgotten, now_us_())) {
        if (absl::Status audited = InsertAudit(writes_.session(), record); !audited.ok())
          return audited;
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
    DriftSums sums;
    absl::Status status = Read([&](Session& session) { return SumUpScope(session, drift, &sums); });
    if (!status.ok()) return status;
    status = Write(Writer::Grouping::kAlone, [&]() -> absl::Status {
      absl::Status mine = CheckLease(drift.machine);
      if (!mine.ok()) return mine;
      Changed(drift.machine);
      absl::Status summed = SumUpScope(writes_.session(), drift, &sums);
      if (!summed.ok()) return summed;
      const absl::StatusOr<int64_t> id =
          InsertDrift(writes_.session(), stored, stored.create_time_us, sums);
      if (id.ok()) stored.id = *id;
      return id.status();
    });
    if (!status.ok()) return status;
    return stored;
  }

  absl::StatusOr<std::vector<domain::Drift>> ListDrifts(absl::string_view machine, int64_t before,
                                                        int64_t limit) override {
    if (absl::Status status = CheckLimit(limit); !status.ok()) return status;
    return Read([&](Session& session) { return ReadDrifts(session, machine, before, limit); });
  }

  absl::StatusOr<domain::Withdrawal> AddWithdrawal(const domain::Withdrawal& withdrawal) override {
    if (absl::Status status = CheckWithdrawal(withdrawal); !status.ok()) return status;
    domain::Withdrawal stored = withdrawal;
    stored.create_time_us = now_us_();
    absl::Status status = Write(Writer::Grouping::kAlone, [&]() -> absl::Status {
      absl::Status mine = CheckLease(withdrawal.machine);
      if (!mine.ok()) return mine;
      Changed(withdrawal.machine);
      const absl::StatusOr<int64_t> id = InsertWithdrawal(writes_.session(), stored);
      if (id.ok()) stored.id = *id;
      return id.status();
    });
    if (!status.ok()) return status;
    return stored;
  }

  absl::StatusOr<std::vector<SketchRecord>> ListSketches(absl::string_view machine,
                                                         absl::string_view application) override {
    return Read([&](Session& session) { return ReadSketches(session, machine, application); });
  }

  absl::StatusOr<std::vector<domain::Withdrawal>> ListWithdrawals(absl::string_view machine,
                                                                  int64_t limit) override {
    if (absl::Status status = CheckLimit(limit); !status.ok()) return status;
    return Read([&](Session& session) { return ReadWithdrawals(session, machine, limit); });
  }

  absl::StatusOr<SummedUp> SumUpOld(absl::string_view machine, const OldRows& old) override {
    // Only the one that learns knows which rows are still needed.
    const absl::StatusOr<SumUpPlan> plan = Read([&](Session& session) -> absl::StatusOr<SumUpPlan> {
      if (absl::Status mine = CheckLease(session, machine); !mine.ok()) return mine;
      return PlanSumUp(session, machine, old);
    });
    if (!plan.ok()) return plan.status();
    if (!plan->finds_old) return plan->passed;
    SummedUp summed;
    absl::Status status = Write(Writer::Grouping::kAlone, [&]() -> absl::Status {
      if (absl::Status mine = CheckLease(machine); !mine.ok()) return mine;
      const absl::StatusOr<SummedUp> step =
          SumUpOldRows(writes_.session(), machine, *plan, kSumUpRows);
      if (step.ok()) summed = *step;
      return step.status();
    });
    if (!status.ok()) return status;
    return summed;
  }

  absl::StatusOr<int64_t> CountOldSums(absl::string_view machine) override {
    return Read([&](Session& session) { return postgres::CountOldSums(session, machine); });
  }

  absl::StatusOr<MergedJobs> MergeOldJobs(const OldJobs& old) override {
    MergedJobs merged;
    absl::Status status = Write(Writer::Grouping::kAlone, [&]() -> absl::Status {
      Session& session = writes_.session();
      OldJobMerger<Query, Session> merger(
          session, [&session](int64_t from, int64_t to) { return MoveOldSums(session, from, to); });
      const absl::StatusOr<MergedJobs> step = merger.Step(old, now_us_(), kMergedBatches);
      if (!step.ok()) return step.status();
      merged = *step;
      // All daemons forget the ids of the jobs.
      return merged.job_count > 0 ? NoteRewrite(session) : absl::OkStatus();
    });
    if (!status.ok()) return status;
    return merged;
  }

  absl::StatusOr<std::vector<CellRecord>> ListCells(absl::string_view machine, int64_t limit,
                                                    const IsCancelled& is_cancelled) override {
    if (absl::Status status = CheckLimit(limit); !status.ok()) return status;
    return Read([&](Session& session) { return ReadCells(session, machine, limit); }, is_cancelled);
  }

  absl::Status AddAudit(const AuditRecord& record) override {
    return Write(Writer::Grouping::kSoon,
                 [&] { return Audit(record.actor, record.machine, record.change); });
  }

  absl::StatusOr<std::vector<AuditRecord>> ListAudit(const AuditFilter& filter, int64_t before_id,
                                                     int64_t limit,
                                                     const IsCancelled& is_cancelled) override {
    if (absl::Status status = CheckLimit(limit); !status.ok()) return status;
    return Read([&](Session& session) { return ReadAudit(session, filter, before_id, limit); },
                is_cancelled);
  }

  absl::StatusOr<FileFacts> ReadFileFacts() override {
    return Read([](Session& session) -> absl::StatusOr<FileFacts> {
      Query query(session,
                  "SELECT (SELECT version FROM schema_version),"
                  " current_setting('block_size')::bigint,"
                  " (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class"
                  "   WHERE relnamespace = 'coxswain'::regnamespace AND relkind IN ('r', 'p')),"
                  " (SELECT coalesce(sum(summed_count), 0)::bigint FROM machine"
                  "   WHERE name IS NOT NULL)");
      FileFacts facts;
      if (query.Next()) {
        facts.schema_version = query.Int(0);
        facts.page_bytes = query.Int(1);
        facts.page_count = query.Int(2) / facts.page_bytes;
        facts.summed_count = query.Int(3);
      }
      if (!query.status().ok()) return query.status();
      return facts;
    });
  }

  absl::Status Backup(const std::string&, const IsCancelled&) override {
    return absl::UnimplementedError(
        "the data is in PostgreSQL: back it up with `pg_dump --schema=coxswain` or with the "
        "server's"
        " own continuous archiving");
  }
  absl::Status CheckContent(const IsCancelled&) override {
    return absl::UnimplementedError(
        "the data is in PostgreSQL: check it with `pg_amcheck --schema=coxswain`");
  }
  absl::StatusOr<int64_t> Compact(const IsCancelled& is_cancelled) override {
    int64_t page_count = 0;
    bool has_more = true;
    while (has_more) {
      if (is_cancelled && is_cancelled()) return absl::CancelledError("the daemon is ending");
      absl::Status status = Write(Writer::Grouping::kAlone, [&]() -> absl::Status {
        const absl::StatusOr<int64_t> pages = DropEmptyPartition(writes_.session());
        has_more = pages.value_or(0) > 0;
        page_count += pages.value_or(0);
        return pages.status();
      });
      if (!status.ok()) return status;
    }
    return page_count;
  }

  absl::StatusOr<std::vector<MachineState>> ListMachineStates(
      absl::string_view after, int64_t limit, StateDetail detail,
      const IsCancelled& is_cancelled) override {
    if (absl::Status status = CheckLimit(limit); !status.ok()) return status;
    return Read([&](Session& session) { return ReadMachineStates(session, after, limit, detail); },
                is_cancelled);
  }

  absl::StatusOr<std::vector<JobRecord>> ListJobs(const JobFilter& filter, int64_t before_batch_id,
                                                  int64_t limit,
                                                  const IsCancelled& is_cancelled) override {
    if (absl::Status status = CheckLimit(limit); !status.ok()) return status;
    return Read([&](Session& session) { return ReadJobs(session, filter, before_batch_id, limit); },
                is_cancelled);
  }

  absl::StatusOr<Summary> Summarize(const SummaryFilter& filter,
                                    const IsCancelled& is_cancelled) override {
    return Read([&](Session& session) { return ReadSummary(session, filter); }, is_cancelled);
  }

  absl::Status Flush() override {
    return writer_->Run(Writer::Grouping::kSoon, [] { return absl::OkStatus(); });
  }

  absl::Status Check() override {
    if (absl::Status at_work = writer_->CheckAtWork(); !at_work.ok()) return at_work;
    absl::Status reads =
        Read([](Session& session) { return ReadLastObservationId(session).status(); });
    if (!reads.ok() || !last_write_failed_) return reads;
    // Locking the row of next_id is a write.
    return Write(Writer::Grouping::kSoon, [] { return absl::OkStatus(); });
  }

  void CancelLongWork() override {
    long_work_is_cancelled_ = true;
    writes_.LosePatience();
    fleet_.LosePatience();
  }

  absl::StatusOr<bool> MayLearn(absl::string_view machine, bool insist) override {
    const auto find = [&](Session& session) {
      return FindLease(session, machine, fleet_.daemon_id());
    };
    const absl::StatusOr<Lease> seen = Read(find);
    if (!seen.ok()) return seen.status();
    if (seen->is_mine && Fence(machine) == seen->fence) return true;
    if (!seen->is_mine && !seen->is_free && !insist) return false;
    int64_t fence = 0;
    absl::Status status = Write(Writer::Grouping::kSoon, [&]() -> absl::Status {
      // Another daemon may have been faster.
      const absl::StatusOr<Lease> lease = find(writes_.session());
      if (!lease.ok()) return lease.status();
      if (!lease->is_mine && !lease->is_free && !insist) return absl::OkStatus();
      const absl::StatusOr<int64_t> taken =
          TakeLease(writes_.session(), machine, fleet_.daemon_id());
      if (taken.ok()) fence = *taken;
      return taken.status();
    });
    if (!status.ok()) return status;
    const std::lock_guard lock(fences_mutex_);
    if (fence == 0) {
      fences_.erase(machine);
    } else {
      fences_[std::string(machine)] = fence;
    }
    return fence != 0;
  }

  void WhenChanged(TellChanged tell) override { fleet_.WhenChanged(std::move(tell)); }

 private:
  absl::Status BeforeCommit() override {
    // Deleted machines become due while the daemon runs.
    if (purge_look_.Look(now_us_(), steady_us_())) writer_->RequestMaintenance();
    absl::Status written = ingest_.Write(now_us_(), &changed_);
    // After a failover the old server may still answer readers.
    if (std::exchange(renewed_for_, writes_.connection_count()) != writes_.connection_count()) {
      readers_.Renew();
    }
    if (!written.ok() || changed_.empty()) return written;
    return NoteChanges(writes_.session(), changed_);
  }
  void AfterCommit() override {
    // A write without a transaction leaves a group that commits nothing.
    last_write_failed_ = std::exchange(open_failed_, false);
    changed_.clear();
    ingest_.EndGroup(true);
  }
  void AfterRollback(bool is_refusal) override {
    if (std::exchange(open_failed_, false) || !is_refusal) last_write_failed_ = true;
    changed_.clear();
    ingest_.EndGroup(false);
  }
  absl::StatusOr<bool> Maintain() override {
    if (absl::Status status = writes_.Open(); !status.ok()) return status;
    return PurgeStep(writes_.session(), purge_look_.purge_at_us());
  }

  // 0: this daemon has not learned for the machine.
  int64_t Fence(absl::string_view machine) {
    const std::lock_guard lock(fences_mutex_);
    const auto it = fences_.find(machine);
    return it == fences_.end() ? 0 : it->second;
  }

  // In the transaction of what was learned: whether it is still this daemon that learns. Where
  // nobody has asked MayLearn(), anybody may.
  absl::Status CheckLease(absl::string_view machine) {
    return CheckLease(writes_.session(), machine);
  }
  absl::Status CheckLease(Session& session, absl::string_view machine) {
    const absl::StatusOr<Lease> lease = FindLease(session, machine, fleet_.daemon_id());
    if (!lease.ok()) return lease.status();
    const bool may = lease->fence == 0 || (lease->is_mine && lease->fence == Fence(machine));
    return may ? absl::OkStatus() : AnotherLearns(machine);
  }

  // Other daemons hear of it after the commit. The writer's thread only.
  void Changed(absl::string_view machine) { changed_.emplace_back(machine); }

  // Into the transaction of the change. The writer's thread only.
  absl::Status Audit(const Actor& actor, absl::string_view machine, absl::string_view change) {
    return InsertAudit(writes_.session(), {.time_us = now_us_(),
                                           .actor = actor,
                                           .machine = std::string(machine),
                                           .change = std::string(change)});
  }

  // What a machine has. Not of one that rests. The writer's thread only.
  absl::StatusOr<std::string> ContentOf(absl::string_view machine) {
    const absl::StatusOr<int64_t> machine_id = FindMachineId(writes_.session(), machine);
    if (!machine_id.ok()) return machine_id.status();
    const auto count = SumReports(writes_.session(), std::nullopt, std::nullopt, *machine_id);
    if (!count.ok()) return count.status();
    return ContentWords(*count);
  }

  static absl::Status CheckLimit(int64_t limit) {
    if (limit >= 0) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("limit is ", limit, ", must be >= 0"));
  }

  // Runs `task`, which writes rows, on the writer's thread and waits for its commit.
  template <typename Task>
  absl::Status Write(Writer::Grouping grouping, Task task) {
    return writer_->Run(grouping, [&]() -> absl::Status {
      if (grouping == Writer::Grouping::kAlone) writes_.session().AllowSilence(kMostSilenceAlone);
      if (absl::Status status = writes_.Open(); !status.ok()) {
        open_failed_ = true;
        return status;
      }
      if (std::exchange(seen_connection_count_, writes_.connection_count()) !=
          writes_.connection_count()) {
        const std::lock_guard lock(fences_mutex_);
        fences_.clear();
      }
      return task();
    });
  }

  template <typename Function>
  auto Read(Function function, const IsCancelled& is_cancelled = {})
      -> decltype(function(std::declval<Session&>())) {
    const SessionPool::Lease lease = readers_.Borrow();
    (*lease).CancelWhen(
        [&] { return long_work_is_cancelled_ || (is_cancelled && is_cancelled()); });
    const absl::Cleanup stop_asking = [&lease] { (*lease).CancelWhen({}); };
    if (long_work_is_cancelled_) return absl::CancelledError("the daemon is ending");
    const Snapshot snapshot(*lease);
    if (!snapshot.status().ok()) return snapshot.status();
    return function(*lease);
  }

  // In this order: the writer goes first and the lock last when the store closes.
  std::optional<DataDirectory> directory_;
  std::function<int64_t()> now_us_;
  std::function<int64_t()> steady_us_;
  std::atomic<bool> last_write_failed_{false};
  std::atomic<bool> long_work_is_cancelled_{false};
  WriteSession writes_;                // writer's thread only
  Ingest ingest_;                      // writer's thread only
  PurgeLook purge_look_;               // writer's thread only
  bool open_failed_ = false;           // in this group; writer's thread only
  int64_t seen_connection_count_ = 0;  // writer's thread only
  int64_t renewed_for_ = 0;            // readers_ are not older; writer's thread only
  std::mutex fences_mutex_;
  // Of the machines for which this daemon learns, as far as it knows. A new connection may lead to
  // a server that has lost the last leases, and gives their numbers again: then it knows none.
  // Guarded by fences_mutex_.
  absl::flat_hash_map<std::string, int64_t> fences_;
  std::vector<std::string> changed_;  // machines, by the group; writer's thread only
  Fleet fleet_;
  SessionPool readers_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> OpenIn(const StoreOptions& options,
                                              std::function<int64_t()> now_us,
                                              std::function<int64_t()> steady_us) {
  // It holds what is this daemon's own, such as tokens.
  std::optional<DataDirectory> directory;
  if (!options.directory.empty()) {
    auto opened =
        DataDirectory::Open(options.directory, options.allow_network_file_system, StatfsType);
    if (!opened.ok()) return opened.status();
    directory.emplace(*std::move(opened));
  }
  Session session(options.url, kSetUp);
  absl::Status status = session.Connect();
  if (status.ok()) status = Migrate(session, Migrations());
  if (!status.ok()) return status;
  auto store = std::make_unique<PostgresStore>(options, std::move(directory), std::move(now_us),
                                               std::move(steady_us));
  if (status = store->Start(); !status.ok()) return status;
  return store;
}

}  // namespace cox::store::postgres
