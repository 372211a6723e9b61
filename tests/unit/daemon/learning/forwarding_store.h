// A store that passes everything on to another one: the base of stores that fail on request.
#ifndef COX_TESTS_UNIT_DAEMON_LEARNING_FORWARDING_STORE_H_
#define COX_TESTS_UNIT_DAEMON_LEARNING_FORWARDING_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"

namespace cox::daemon {

class ForwardingStore : public store::Store {
 public:
  // `to` outlives it.
  explicit ForwardingStore(store::Store* to) : to_(*to) {}

  absl::Status CreateMachine(const store::MachineRecord& machine, absl::string_view request_id,
                             const store::Actor& actor) override {
    return to_.CreateMachine(machine, request_id, actor);
  }
  absl::Status AddPublishedMachines(absl::Span<const store::PublishedMachine> machines) override {
    return to_.AddPublishedMachines(machines);
  }
  absl::StatusOr<store::MachineRecord> GetMachine(absl::string_view name) override {
    return to_.GetMachine(name);
  }
  absl::StatusOr<std::vector<store::MachineRecord>> ListMachines(absl::string_view after,
                                                                 int64_t limit) override {
    return to_.ListMachines(after, limit);
  }
  absl::Status DeleteMachine(absl::string_view name, const store::Actor& actor) override {
    return to_.DeleteMachine(name, actor);
  }
  absl::Status UndeleteMachine(absl::string_view name, const store::Actor& actor) override {
    return to_.UndeleteMachine(name, actor);
  }
  absl::Status SetSwitches(absl::string_view machine, absl::string_view text,
                           const store::Actor& actor) override {
    return to_.SetSwitches(machine, text, actor);
  }
  absl::StatusOr<std::string> GetSwitches(absl::string_view machine) override {
    return to_.GetSwitches(machine);
  }
  absl::StatusOr<store::ProfileRecord> AddProfile(const store::ProfileRecord& profile,
                                                  absl::string_view request_id,
                                                  const store::Actor& actor) override {
    return to_.AddProfile(profile, request_id, actor);
  }
  absl::StatusOr<store::ProfileRecord> GetProfile(absl::string_view machine,
                                                  int64_t revision) override {
    return to_.GetProfile(machine, revision);
  }
  absl::StatusOr<std::optional<store::ProfileRecord>> GetStatedProfile(
      absl::string_view machine) override {
    return to_.GetStatedProfile(machine);
  }
  absl::StatusOr<std::vector<store::ProfileRecord>> ListProfiles(absl::string_view machine,
                                                                 int64_t before,
                                                                 int64_t limit) override {
    return to_.ListProfiles(machine, before, limit);
  }
  absl::StatusOr<int64_t> RemoveOldRevisions(absl::string_view machine,
                                             const store::OldRevisions& old) override {
    return to_.RemoveOldRevisions(machine, old);
  }
  absl::Status PinProfile(absl::string_view machine, int64_t revision,
                          const store::Actor& actor) override {
    return to_.PinProfile(machine, revision, actor);
  }
  void AppendObservations(store::ObservationBatch batch, AppendDone done) override {
    to_.AppendObservations(std::move(batch), std::move(done));
  }
  absl::StatusOr<std::vector<store::ObservationRecord>> ListObservations(
      const store::ObservationFilter& filter, int64_t after_id, int64_t limit,
      const store::IsCancelled& is_cancelled) override {
    return to_.ListObservations(filter, after_id, limit, is_cancelled);
  }
  absl::StatusOr<int64_t> FindScanEnd(const store::ObservationFilter& filter, int64_t after_id,
                                      int64_t row_limit,
                                      const store::IsCancelled& is_cancelled) override {
    return to_.FindScanEnd(filter, after_id, row_limit, is_cancelled);
  }
  absl::StatusOr<store::ObservationCount> CountObservations(
      const store::ObservationFilter& filter, const store::IsCancelled& is_cancelled) override {
    return to_.CountObservations(filter, is_cancelled);
  }
  absl::StatusOr<int64_t> LastObservationId() override { return to_.LastObservationId(); }
  absl::StatusOr<store::Forgotten> Forget(const store::Reporter& reporter,
                                          const store::Actor& actor) override {
    return to_.Forget(reporter, actor);
  }
  absl::StatusOr<store::SummedUp> SumUpOld(absl::string_view machine,
                                           const store::OldRows& old) override {
    return to_.SumUpOld(machine, old);
  }
  absl::StatusOr<int64_t> CountOldSums(absl::string_view machine) override {
    return to_.CountOldSums(machine);
  }
  absl::StatusOr<store::MergedJobs> MergeOldJobs(const store::OldJobs& old) override {
    return to_.MergeOldJobs(old);
  }
  absl::StatusOr<std::vector<store::CellRecord>> ListCells(
      absl::string_view machine, int64_t limit, const store::IsCancelled& is_cancelled) override {
    return to_.ListCells(machine, limit, is_cancelled);
  }
  absl::StatusOr<std::vector<store::SketchRecord>> ListSketches(
      absl::string_view machine, absl::string_view application) override {
    return to_.ListSketches(machine, application);
  }
  absl::StatusOr<domain::Drift> AddDrift(const domain::Drift& drift) override {
    return to_.AddDrift(drift);
  }
  absl::StatusOr<std::vector<domain::Drift>> ListDrifts(absl::string_view machine, int64_t before,
                                                        int64_t limit) override {
    return to_.ListDrifts(machine, before, limit);
  }
  absl::StatusOr<domain::Withdrawal> AddWithdrawal(const domain::Withdrawal& withdrawal) override {
    return to_.AddWithdrawal(withdrawal);
  }
  absl::StatusOr<std::vector<domain::Withdrawal>> ListWithdrawals(absl::string_view machine,
                                                                  int64_t limit) override {
    return to_.ListWithdrawals(machine, limit);
  }
  absl::Status AddAudit(const store::AuditRecord& record) override { return to_.AddAudit(record); }
  absl::StatusOr<std::vector<store::AuditRecord>> ListAudit(
      const store::AuditFilter& filter, int64_t before_id, int64_t limit,
      const store::IsCancelled& is_cancelled) override {
    return to_.ListAudit(filter, before_id, limit, is_cancelled);
  }
  absl::StatusOr<store::FileFacts> ReadFileFacts() override { return to_.ReadFileFacts(); }
  absl::Status Backup(const std::string& path, const store::IsCancelled& is_cancelled) override {
    return to_.Backup(path, is_cancelled);
  }
  absl::Status CheckContent(const store::IsCancelled& is_cancelled) override {
    return to_.CheckContent(is_cancelled);
  }
  absl::StatusOr<int64_t> Compact(const store::IsCancelled& is_cancelled) override {
    return to_.Compact(is_cancelled);
  }
  absl::StatusOr<std::vector<store::MachineState>> ListMachineStates(
      absl::string_view after, int64_t limit, store::StateDetail detail,
      const store::IsCancelled& is_cancelled) override {
    return to_.ListMachineStates(after, limit, detail, is_cancelled);
  }
  absl::StatusOr<std::vector<store::JobRecord>> ListJobs(
      const store::JobFilter& filter, int64_t before_batch_id, int64_t limit,
      const store::IsCancelled& is_cancelled) override {
    return to_.ListJobs(filter, before_batch_id, limit, is_cancelled);
  }
  absl::StatusOr<store::Summary> Summarize(const store::SummaryFilter& filter,
                                           const store::IsCancelled& is_cancelled) override {
    return to_.Summarize(filter, is_cancelled);
  }
  absl::Status Flush() override { return to_.Flush(); }
  absl::Status Check() override { return to_.Check(); }
  void CancelLongWork() override { to_.CancelLongWork(); }

 private:
  store::Store& to_;
};

}  // namespace cox::daemon

#endif  // COX_TESTS_UNIT_DAEMON_LEARNING_FORWARDING_STORE_H_
