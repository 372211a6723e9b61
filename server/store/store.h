// Persistent state: machines, profile revisions, observations and their sums. OpenStore() opens one
// of two implementations: SQLite in a directory, or PostgreSQL.
//
// Thread rule: every method from any thread. Reads use pooled read-only connections and see the
// last commit. Writes go to one writer thread that groups them into transactions; a write is
// durable when its method returns, or when its callback runs, with an OK status, and never before.
//
// Failure rule: NOT_FOUND (unknown machine, revision), ALREADY_EXISTS, INVALID_ARGUMENT,
// FAILED_PRECONDITION, RESOURCE_EXHAUSTED (write queue full, disk full), DATA_LOSS (damaged file),
// UNAVAILABLE (closing), CANCELLED (a read that its caller ended).
#ifndef COX_STORE_STORE_H_
#define COX_STORE_STORE_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/drift.h"
#include "domain/sharing/caller_watch.h"
#include "domain/withdrawal.h"
#include "store/history.h"
#include "store/records.h"

namespace cox::store {

// Every page of a file up to this size is checked when it is opened: about 0.1 s.
inline constexpr int64_t kWholeCheckBytes = int64_t{64} << 20;

struct StoreOptions {
  // These change behaviour.
  // "postgresql://...", as libpq reads it: a database that several daemons may share. "": SQLite in
  // `directory`.
  std::string url{};
  std::string directory;                   // created if missing; holds coxswain.db and a lock file
  bool allow_network_file_system = false;  // SQLite's locks are not reliable there

  // These change performance only. coxd sets the first three from its configuration, whose defaults
  // (daemon/config.cc) are the same.
  int64_t commit_delay_us = 2'000;  // a group commits when its oldest write is this old,
  int64_t commit_rows = 5'000;      // or when it has this many rows
  int64_t queue_rows = 200'000;     // writes waiting; over it: RESOURCE_EXHAUSTED
  int read_connections = 4;
  // Of a larger file, opening checks all tables except observations, their sums and batches.
  int64_t whole_check_bytes = kWholeCheckBytes;
};

// Asked now and then during a read, on its thread. True ends the read with CANCELLED.
using domain::IsCancelled;

class Store {
 public:
  // The largest weight that one observation adds to a cell.
  static constexpr double kMaxCellWeight = 1000;

  virtual ~Store() = default;  // finishes queued writes

  // --- Machines
  // `request_id`: "" or a UUID of the caller's; the same id again returns the first outcome instead
  // of a second effect (ALREADY_EXISTS if it came with another method or another machine).
  // `actor`, here and below: who is audited for the change, in its transaction.
  virtual absl::Status CreateMachine(const MachineRecord& machine, absl::string_view request_id,
                                     const Actor& actor) = 0;
  absl::Status CreateMachine(const MachineRecord& machine, absl::string_view request_id) {
    return CreateMachine(machine, request_id, {});
  }
  // Registers the published machines, each once in the life of the database: not again after it was
  // deleted, and not if a machine of that name exists.
  virtual absl::Status AddPublishedMachines(absl::Span<const PublishedMachine> machines) = 0;

  virtual absl::StatusOr<MachineRecord> GetMachine(absl::string_view name) = 0;
  // In order of name, those after `after`, at most `limit`.
  virtual absl::StatusOr<std::vector<MachineRecord>> ListMachines(absl::string_view after,
                                                                  int64_t limit) = 0;
  // With all its profiles and observations. It rests for 30 days; then its rows go.
  virtual absl::Status DeleteMachine(absl::string_view name, const Actor& actor) = 0;
  absl::Status DeleteMachine(absl::string_view name) { return DeleteMachine(name, {}); }

  // Brings back the machine of this name that was deleted last, as it was. NOT_FOUND unless that
  // was in the last 30 days; ALREADY_EXISTS if another machine has the name now.
  virtual absl::Status UndeleteMachine(absl::string_view name, const Actor& actor) = 0;

  // Which node is at which switch, as text; replaces what was there. "": none.
  virtual absl::Status SetSwitches(absl::string_view machine, absl::string_view text,
                                   const Actor& actor) = 0;
  // "": none. NOT_FOUND for an unknown machine.
  virtual absl::StatusOr<std::string> GetSwitches(absl::string_view machine) = 0;

  // --- Profiles
  // Adds a revision (the newest plus one); profile.revision and create_time_us are ignored. Returns
  // what was stored. ABORTED: see ProfileRecord::refined_revision.
  virtual absl::StatusOr<ProfileRecord> AddProfile(const ProfileRecord& profile,
                                                   absl::string_view request_id,
                                                   const Actor& actor) = 0;
  absl::StatusOr<ProfileRecord> AddProfile(const ProfileRecord& profile,
                                           absl::string_view request_id) {
    return AddProfile(profile, request_id, {});
  }
  // revision 0: the active one (pinned, else newest). NOT_FOUND if there is none.
  virtual absl::StatusOr<ProfileRecord> GetProfile(absl::string_view machine, int64_t revision) = 0;
  // The newest revision that is not a refinement: somebody set it. Nullopt if there is none.
  virtual absl::StatusOr<std::optional<ProfileRecord>> GetStatedProfile(
      absl::string_view machine) = 0;
  // Newest first, those before revision `before` (0: from the newest), at most `limit`.
  virtual absl::StatusOr<std::vector<ProfileRecord>> ListProfiles(absl::string_view machine,
                                                                  int64_t before,
                                                                  int64_t limit) = 0;
  // Removes the first refined revisions of a machine that are old, at most kOldRevisions; how many.
  // A short write; call it again until none is left. What somebody set, the pinned revision and the
  // newest one stay; so do, until remove_before_us, those with another note than learning's usual
  // one, and the last one before somebody set another. NOT_FOUND for an unknown machine.
  virtual absl::StatusOr<int64_t> RemoveOldRevisions(absl::string_view machine,
                                                     const OldRevisions& old) = 0;
  // revision 0 unpins.
  virtual absl::Status PinProfile(absl::string_view machine, int64_t revision,
                                  const Actor& actor) = 0;
  absl::Status PinProfile(absl::string_view machine, int64_t revision) {
    return PinProfile(machine, revision, {});
  }

  // --- Observations
  // Queues a batch; `done` runs on the writer thread after the commit (or with an error, at once or
  // later; exactly once). It must be quick: the next group waits for it. It may read, and queue
  // another batch, but must not call what waits for a write, or it would wait for itself.
  // All rows of a batch are added, or none. Unknown machine: NOT_FOUND.
  using AppendDone = std::function<void(absl::StatusOr<AppendResult>)>;
  virtual void AppendObservations(ObservationBatch batch, AppendDone done) = 0;
  // In order of id, those after `after_id`, at most `limit`. Newest first: in descending order,
  // those before `after_id` (0: from the newest).
  virtual absl::StatusOr<std::vector<ObservationRecord>> ListObservations(
      const ObservationFilter& filter, int64_t after_id, int64_t limit,
      const IsCancelled& is_cancelled) = 0;
  absl::StatusOr<std::vector<ObservationRecord>> ListObservations(const ObservationFilter& filter,
                                                                  int64_t after_id, int64_t limit) {
    return ListObservations(filter, after_id, limit, {});
  }
  // Where a list that passes over rows has to end to read about `row_limit` (>= 1) of them: an id
  // for ObservationFilter::until_id, after which the list goes on. 0: it may read to its end.
  virtual absl::StatusOr<int64_t> FindScanEnd(const ObservationFilter& filter, int64_t after_id,
                                              int64_t row_limit,
                                              const IsCancelled& is_cancelled) = 0;
  // Reads sums, no observations.
  virtual absl::StatusOr<ObservationCount> CountObservations(const ObservationFilter& filter,
                                                             const IsCancelled& is_cancelled) = 0;
  absl::StatusOr<ObservationCount> CountObservations(const ObservationFilter& filter) {
    return CountObservations(filter, {});
  }
  // The greatest id so far; 0: none.
  virtual absl::StatusOr<int64_t> LastObservationId() = 0;
  // Removes the reports of a job or a source (an empty name: none): history, its part of the cells,
  // and the drifts and withdrawals whose evidence contains them; the drifts after these, too. What
  // has sums of others among its evidence stays, because nobody can find it again. Afterwards the
  // cells are exactly as without the reports. The parameters are not: it notes in each machine,
  // deleted ones too, that they have to be learned again (MachineRecord::relearn_from_id).
  virtual absl::StatusOr<Forgotten> Forget(const Reporter& reporter, const Actor& actor) = 0;
  absl::StatusOr<Forgotten> Forget(const Reporter& reporter) { return Forget(reporter, {}); }
  // Replaces the first old rows of a machine, at most a few thousand, by their sums of each
  // scenario, reporter and day (UTC): count, bins and times. A short write, or none if the next
  // rows are young; call it again while has_more, with the through_id of the step before.
  // Afterwards ListObservations() does not have these rows. All else is as before: cells, counts,
  // jobs, machine states, summaries (a sum counts at the time of its first observation), and what
  // Forget() and AddDrift() leave behind. A drift that begins between the observations of a sum
  // does not take it along. NOT_FOUND for an unknown machine; ABORTED if another daemon learns for
  // it.
  virtual absl::StatusOr<SummedUp> SumUpOld(absl::string_view machine, const OldRows& old) = 0;
  // How many sums a machine has in place of old rows. NOT_FOUND for an unknown machine.
  virtual absl::StatusOr<int64_t> CountOldSums(absl::string_view machine) = 0;
  // Removes batches that came long ago and whose rows have become sums; a resend of such a batch
  // counts again. The last batch of a job goes with the job: what the job has reported becomes a
  // part of what its source has reported without a job, by scenario and day. Cells, counts of
  // machines and sources, summaries and Forget() of a source stay the same; the job is unknown from
  // then on. A short write; call it again while has_more. A day counts from its first call on.
  virtual absl::StatusOr<MergedJobs> MergeOldJobs(const OldJobs& old) = 0;
  // The cells of a machine. Their number grows with distinct scenarios and drifts, not with
  // observations. At most `limit`: those of the scenarios that came first.
  virtual absl::StatusOr<std::vector<CellRecord>> ListCells(absl::string_view machine,
                                                            int64_t limit,
                                                            const IsCancelled& is_cancelled) = 0;
  absl::StatusOr<std::vector<CellRecord>> ListCells(absl::string_view machine) {
    return ListCells(machine, std::numeric_limits<int64_t>::max(), {});
  }

  // What an application's jobs have sent (ObservationBatch::sketches), a record for each job,
  // source and key; "": all applications. The store adds up a reporter's sketches of one key and
  // keeps the newest few thousand rows of a machine. Forget() removes a reporter's. NOT_FOUND for
  // an unknown machine.
  virtual absl::StatusOr<std::vector<SketchRecord>> ListSketches(absl::string_view machine,
                                                                 absl::string_view application) = 0;

  // --- Several daemons on one database
  // Whether this store's daemon may learn for the machine. One daemon at a time may, until it ends
  // or does not answer for some seconds; `insist` takes the place of another at once. What a daemon
  // learns that has lost its place is refused with ABORTED: AddProfile() with a refined_revision,
  // AddDrift(), AddWithdrawal(). With SQLite there is one daemon.
  virtual absl::StatusOr<bool> MayLearn(absl::string_view /*machine*/, bool /*insist*/) {
    return true;
  }
  // From now on `tell` (empty: nobody) hears of machines that any daemon has changed, and of those
  // for which nobody learns any more. On a thread of the store. Afterwards an older one is not
  // running any more.
  using TellChanged = std::function<void(const std::vector<std::string>& machines)>;
  virtual void WhenChanged(TellChanged /*tell*/) {}

  // --- Drifts
  // Records a drift (id, create_time_us and is_followed are ignored) and begins a new epoch of the
  // cells in its scope: observations from first_id on move to it. Until a profile follows it
  // (ProfileRecord::follows_drifts), the drift is not followed.
  virtual absl::StatusOr<domain::Drift> AddDrift(const domain::Drift& drift) = 0;
  // Newest first, those with ids before `before` (0: from the newest), at most `limit`.
  virtual absl::StatusOr<std::vector<domain::Drift>> ListDrifts(absl::string_view machine,
                                                                int64_t before, int64_t limit) = 0;

  // --- Withdrawals
  // Records that an algorithm was withdrawn (id and create_time_us are ignored).
  virtual absl::StatusOr<domain::Withdrawal> AddWithdrawal(
      const domain::Withdrawal& withdrawal) = 0;
  // Newest first, at most `limit`.
  virtual absl::StatusOr<std::vector<domain::Withdrawal>> ListWithdrawals(absl::string_view machine,
                                                                          int64_t limit) = 0;

  // --- Audit
  // Adds a record of a change that was made elsewhere; its id and time_us are ignored.
  virtual absl::Status AddAudit(const AuditRecord& record) = 0;
  // Newest first, those with ids before `before_id` (0: from the newest), at most `limit`.
  virtual absl::StatusOr<std::vector<AuditRecord>> ListAudit(const AuditFilter& filter,
                                                             int64_t before_id, int64_t limit,
                                                             const IsCancelled& is_cancelled) = 0;
  absl::StatusOr<std::vector<AuditRecord>> ListAudit(const AuditFilter& filter, int64_t before_id,
                                                     int64_t limit) {
    return ListAudit(filter, before_id, limit, {});
  }

  // --- The file
  virtual absl::StatusOr<FileFacts> ReadFileFacts() = 0;
  // Copies the database as of the last commit into the new file `path`, and checks every page of
  // the copy. Others read and write meanwhile; the log grows until it ends. ALREADY_EXISTS,
  // RESOURCE_EXHAUSTED (less free space than twice the database), DATA_LOSS (damaged: writes fail
  // from then on).
  virtual absl::Status Backup(const std::string& path, const IsCancelled& is_cancelled) = 0;
  // Checks every page, every row's constraints and every reference. DATA_LOSS says what is wrong;
  // writes fail from then on.
  virtual absl::Status CheckContent(const IsCancelled& is_cancelled) = 0;
  // Gives free pages back to the file system, in short steps between other writes. The number of
  // pages. FAILED_PRECONDITION: the file was made by an older coxd. PostgreSQL: drops partitions
  // without rows, and leaves the rest to VACUUM.
  virtual absl::StatusOr<int64_t> Compact(const IsCancelled& is_cancelled) = 0;

  // --- Summaries
  // In order of name, those after `after`, at most `limit`.
  virtual absl::StatusOr<std::vector<MachineState>> ListMachineStates(
      absl::string_view after, int64_t limit, StateDetail detail,
      const IsCancelled& is_cancelled) = 0;
  absl::StatusOr<std::vector<MachineState>> ListMachineStates(absl::string_view after,
                                                              int64_t limit) {
    return ListMachineStates(after, limit, StateDetail::kWithReports, {});
  }
  // The latest report first, those whose last batch is before `before_batch_id` (0: from the
  // latest), at most `limit`.
  virtual absl::StatusOr<std::vector<JobRecord>> ListJobs(const JobFilter& filter,
                                                          int64_t before_batch_id, int64_t limit,
                                                          const IsCancelled& is_cancelled) = 0;
  // Sums up the newest observations of a reporter.
  virtual absl::StatusOr<Summary> Summarize(const SummaryFilter& filter,
                                            const IsCancelled& is_cancelled) = 0;

  // Waits until every write queued before the call is durable.
  virtual absl::Status Flush() = 0;
  // Whether writes can be durable: OK if the database and its log are still the files that were
  // opened, nothing damaged was read, and no write failed since it last was OK. Else it tries
  // another one, so it recovers when the cause is gone. DATA_LOSS: the file was deleted, replaced,
  // overwritten or truncated, or a damaged page was found; every write fails then. May wait for the
  // disk.
  virtual absl::Status Check() = 0;
  // Ends all reads, running and later ones, with CANCELLED; also Forget(), which then has removed
  // nothing. Other writes continue.
  virtual void CancelLongWork() = 0;
};

// Opens the database that `options` names: OpenSqlite(), or PostgreSQL. Of PostgreSQL: makes and
// migrates the tables. UNAVAILABLE: the server does not answer. FAILED_PRECONDITION: the schema is
// newer than this program, or the server may lose what it has committed.
absl::StatusOr<std::unique_ptr<Store>> OpenStore(const StoreOptions& options);

// Opens or creates the database, migrates it forward, takes the directory's lock.
// FAILED_PRECONDITION: another daemon holds the directory (names its pid), the schema is newer than
// this program, a network file system without the flag. DATA_LOSS: the file is damaged or not a
// database of Coxswain.
absl::StatusOr<std::unique_ptr<Store>> OpenSqlite(const StoreOptions& options);

// Replaces the database in options.directory by a copy of the backup, after checking every page of
// it. The replaced files stay beside it, as coxswain.db.replaced and coxswain.db.replaced-wal, or
// with a number (coxswain.db.replaced-2) if there are such files already. FAILED_PRECONDITION: a
// daemon holds the directory (names its pid), the backup is of a newer program. NOT_FOUND: no such
// file or directory. DATA_LOSS: the backup is damaged or not a database of Coxswain. After an error
// the database is as before. Returns the path of the replaced database; empty if the directory had
// none.
absl::StatusOr<std::string> RestoreSqlite(const StoreOptions& options, const std::string& backup);

}  // namespace cox::store

#endif  // COX_STORE_STORE_H_
