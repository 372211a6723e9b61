// A store with one machine whose history never ends.
#ifndef COX_TESTS_UNIT_DAEMON_LEARNING_ENDLESS_STORE_H_
#define COX_TESTS_UNIT_DAEMON_LEARNING_ENDLESS_STORE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"

namespace cox::daemon {

class EndlessStore final : public store::Store {
 public:
  // Machines to list. GetMachine() knows every name.
  void AddMachine(const std::string& name) { machines_.insert(name); }
  // ListCells() waits for this.
  void HoldCells(std::shared_future<void> gate) { gate_ = std::move(gate); }
  // Called with the machine by each GetProfile().
  void OnGetProfile(std::function<void(const std::string&)> heard) { heard_ = std::move(heard); }
  // The next `times` calls of ListObservations() fail.
  void FailToList(int times) { failures_ = times; }
  // The number of calls of ListObservations().
  int64_t list_count() const { return list_count_; }

  absl::StatusOr<store::MachineRecord> GetMachine(absl::string_view name) override {
    store::MachineRecord machine;
    machine.name = std::string(name);
    machine.nodes = machine.cores_per_node = 4;
    return machine;
  }
  absl::StatusOr<std::vector<store::ObservationRecord>> ListObservations(
      const store::ObservationFilter& filter, int64_t after_id, int64_t limit,
      const store::IsCancelled& /*is_cancelled*/) override {
    ++list_count_;
    if (failures_ > 0) {
      --failures_;
      return absl::UnavailableError("the disk is away");
    }
    std::vector<store::ObservationRecord> rows(static_cast<size_t>(limit));
    for (store::ObservationRecord& row : rows) {
      row.id = ++after_id;
      row.scenario = {.machine = filter.machine,
                      .library = "openmpi-4.1",
                      .collective = "bcast",
                      .algorithm = "binomial",
                      .nodes = 2,
                      .ppn = 2,
                      .ranks = 4,
                      .block_bytes = 64};
      row.time_s = 1e-6;
    }
    return rows;
  }
  absl::StatusOr<std::vector<store::MachineRecord>> ListMachines(absl::string_view after,
                                                                 int64_t limit) override {
    std::vector<store::MachineRecord> page;
    for (auto it = machines_.upper_bound(std::string(after));
         it != machines_.end() && static_cast<int64_t>(page.size()) < limit; ++it) {
      page.push_back(*GetMachine(*it));
    }
    return page;
  }
  absl::StatusOr<store::ProfileRecord> GetProfile(absl::string_view machine,
                                                  int64_t /*revision*/) override {
    if (heard_) heard_(std::string(machine));
    return absl::NotFoundError("no profile");
  }
  absl::StatusOr<std::optional<store::ProfileRecord>> GetStatedProfile(
      absl::string_view /*machine*/) override {
    return std::nullopt;
  }
  absl::StatusOr<std::vector<store::ProfileRecord>> ListProfiles(absl::string_view /*machine*/,
                                                                 int64_t /*before*/,
                                                                 int64_t /*limit*/) override {
    return std::vector<store::ProfileRecord>();
  }
  absl::StatusOr<std::vector<store::CellRecord>> ListCells(
      absl::string_view /*machine*/, int64_t /*limit*/,
      const store::IsCancelled& /*is_cancelled*/) override {
    if (gate_.valid()) gate_.wait();
    return std::vector<store::CellRecord>();
  }
  absl::StatusOr<std::vector<domain::Drift>> ListDrifts(absl::string_view /*machine*/,
                                                        int64_t /*before*/,
                                                        int64_t /*limit*/) override {
    return std::vector<domain::Drift>();
  }
  absl::StatusOr<store::ObservationCount> CountObservations(
      const store::ObservationFilter& /*filter*/,
      const store::IsCancelled& /*is_cancelled*/) override {
    return store::ObservationCount{};
  }
  absl::StatusOr<int64_t> FindScanEnd(const store::ObservationFilter& /*filter*/,
                                      int64_t /*after_id*/, int64_t /*row_limit*/,
                                      const store::IsCancelled& /*is_cancelled*/) override {
    return 0;
  }
  absl::StatusOr<int64_t> LastObservationId() override { return INT64_MAX; }
  absl::StatusOr<std::vector<store::MachineState>> ListMachineStates(
      absl::string_view /*after*/, int64_t /*limit*/, store::StateDetail /*detail*/,
      const store::IsCancelled& /*is_cancelled*/) override {
    return std::vector<store::MachineState>();
  }
  absl::StatusOr<std::vector<store::JobRecord>> ListJobs(
      const store::JobFilter& /*filter*/, int64_t /*before_batch_id*/, int64_t /*limit*/,
      const store::IsCancelled& /*is_cancelled*/) override {
    return std::vector<store::JobRecord>();
  }
  absl::StatusOr<store::Summary> Summarize(const store::SummaryFilter& /*filter*/,
                                           const store::IsCancelled& /*is_cancelled*/) override {
    return store::Summary{};
  }

  // Nothing is written.
  absl::Status CreateMachine(const store::MachineRecord& /*machine*/,
                             absl::string_view /*request_id*/,
                             const store::Actor& /*actor*/) override {
    return ReadOnly();
  }
  absl::Status AddPublishedMachines(
      absl::Span<const store::PublishedMachine> /*machines*/) override {
    return ReadOnly();
  }
  absl::Status DeleteMachine(absl::string_view /*name*/, const store::Actor& /*actor*/) override {
    return ReadOnly();
  }
  absl::Status UndeleteMachine(absl::string_view /*name*/, const store::Actor& /*actor*/) override {
    return ReadOnly();
  }
  absl::Status SetSwitches(absl::string_view /*machine*/, absl::string_view /*text*/,
                           const store::Actor& /*actor*/) override {
    return ReadOnly();
  }
  absl::StatusOr<std::string> GetSwitches(absl::string_view /*machine*/) override { return ""; }
  absl::StatusOr<store::ProfileRecord> AddProfile(const store::ProfileRecord& /*profile*/,
                                                  absl::string_view /*request_id*/,
                                                  const store::Actor& /*actor*/) override {
    return ReadOnly();
  }
  absl::Status PinProfile(absl::string_view /*machine*/, int64_t /*revision*/,
                          const store::Actor& /*actor*/) override {
    return ReadOnly();
  }
  void AppendObservations(store::ObservationBatch /*batch*/, AppendDone done) override {
    done(ReadOnly());
  }
  absl::StatusOr<store::Forgotten> Forget(const store::Reporter& /*reporter*/,
                                          const store::Actor& /*actor*/) override {
    return ReadOnly();
  }
  absl::Status AddAudit(const store::AuditRecord& /*record*/) override { return ReadOnly(); }
  absl::StatusOr<std::vector<store::AuditRecord>> ListAudit(
      const store::AuditFilter& /*filter*/, int64_t /*before_id*/, int64_t /*limit*/,
      const store::IsCancelled& /*is_cancelled*/) override {
    return std::vector<store::AuditRecord>();
  }
  absl::StatusOr<domain::Drift> AddDrift(const domain::Drift& /*drift*/) override {
    return ReadOnly();
  }
  absl::StatusOr<domain::Withdrawal> AddWithdrawal(
      const domain::Withdrawal& /*withdrawal*/) override {
    return ReadOnly();
  }
  absl::StatusOr<std::vector<store::SketchRecord>> ListSketches(
      absl::string_view /*machine*/, absl::string_view /*application*/) override {
    return std::vector<store::SketchRecord>();
  }
  absl::StatusOr<std::vector<domain::Withdrawal>> ListWithdrawals(absl::string_view /*machine*/,
                                                                  int64_t /*limit*/) override {
    return std::vector<domain::Withdrawal>();
  }
  absl::StatusOr<store::SummedUp> SumUpOld(absl::string_view /*machine*/,
                                           const store::OldRows& /*old*/) override {
    return store::SummedUp{};
  }
  absl::StatusOr<int64_t> RemoveOldRevisions(absl::string_view /*machine*/,
                                             const store::OldRevisions& /*old*/) override {
    return 0;
  }
  absl::StatusOr<int64_t> CountOldSums(absl::string_view /*machine*/) override { return 0; }
  absl::StatusOr<store::MergedJobs> MergeOldJobs(const store::OldJobs& /*old*/) override {
    return store::MergedJobs{};
  }
  absl::StatusOr<store::FileFacts> ReadFileFacts() override { return store::FileFacts{}; }
  absl::Status Backup(const std::string& /*path*/,
                      const store::IsCancelled& /*is_cancelled*/) override {
    return ReadOnly();
  }
  absl::Status CheckContent(const store::IsCancelled& /*is_cancelled*/) override {
    return absl::OkStatus();
  }
  absl::StatusOr<int64_t> Compact(const store::IsCancelled& /*is_cancelled*/) override {
    return ReadOnly();
  }
  absl::Status Flush() override { return absl::OkStatus(); }
  absl::Status Check() override { return absl::OkStatus(); }
  void CancelLongWork() override {}

 private:
  static absl::Status ReadOnly() { return absl::UnimplementedError("nothing is written here"); }

  std::set<std::string> machines_;
  std::shared_future<void> gate_;
  std::function<void(const std::string&)> heard_;
  std::atomic<int> failures_ = 0;
  std::atomic<int64_t> list_count_{0};
};

}  // namespace cox::daemon

#endif  // COX_TESTS_UNIT_DAEMON_LEARNING_ENDLESS_STORE_H_
