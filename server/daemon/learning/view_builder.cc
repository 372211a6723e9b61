#include "daemon/learning/view_builder.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "daemon/learning/current_cells.h"
#include "daemon/learning/guard_watch.h"
#include "daemon/log.h"
#include "daemon/stored_profile.h"
#include "domain/drift.h"
#include "domain/profile.h"

namespace cox::daemon {
namespace {

constexpr int64_t kMaxDrifts = 1'000;

}  // namespace

absl::StatusOr<ViewBuilder::View> ViewBuilder::OfProfile(const store::MachineRecord& machine) {
  return Build(machine, {}, {});
}

absl::StatusOr<ViewBuilder::View> ViewBuilder::OfCells(
    const store::MachineRecord& machine, std::vector<domain::Comparison> comparisons) {
  scenarios_->BeginReading(machine.name);
  const absl::StatusOr<std::vector<store::CellRecord>> records = ReadCells(machine.name);
  if (!records.ok()) return records.status();
  scenarios_->EndReading(machine.name, *records);
  const absl::StatusOr<std::vector<domain::Drift>> drifts =
      store_->ListDrifts(machine.name, 0, kMaxDrifts);
  if (!drifts.ok()) return drifts.status();
  return Build(machine, CurrentCells(*records, *drifts), std::move(comparisons));
}

absl::Status ViewBuilder::Rebuild(const store::MachineRecord& machine,
                                  std::vector<domain::Comparison> comparisons) {
  absl::StatusOr<View> view = OfCells(machine, std::move(comparisons));
  if (!view.ok()) return view.status();
  const std::shared_ptr<const Snapshot> before = snapshots_->Load();
  const auto old = before->find(machine.name);
  const int64_t old_revision = old == before->end() ? 0 : old->second->revision;
  const int64_t revision = (*view)->revision;
  snapshots_->Publish({*std::move(view)});
  if (revision == 0 || revision == old_revision) return absl::OkStatus();
  const absl::StatusOr<store::ProfileRecord> profile = store_->GetProfile(machine.name, revision);
  if (!profile.ok()) return profile.status();
  feed_->Announce(*profile);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<store::CellRecord>> ViewBuilder::ReadCells(const std::string& machine) {
  const int64_t limit = scenarios_->most_cells();
  absl::StatusOr<std::vector<store::CellRecord>> records = store_->ListCells(machine, limit, {});
  if (!records.ok()) return records;
  if (static_cast<int64_t>(records->size()) < limit) {
    too_large_.erase(machine);
  } else if (too_large_.insert(machine).second) {
    Log(LogLevel::kWarning, "learning leaves out the newest scenarios: the machine has too many",
        {{"machine", machine}, {"cells", absl::StrCat(limit)}});
  }
  return records;
}

absl::StatusOr<ViewBuilder::View> ViewBuilder::Build(const store::MachineRecord& machine,
                                                     const std::vector<learn::Cell>& cells,
                                                     std::vector<domain::Comparison> comparisons) {
  const absl::StatusOr<store::ProfileRecord> active = store_->GetProfile(machine.name, 0);
  if (!active.ok() && !absl::IsNotFound(active.status())) return active.status();
  absl::StatusOr<Withdrawals> withdrawals = ReadWithdrawals(*store_, machine.name);
  if (!withdrawals.ok()) return withdrawals.status();
  domain::Profile profile = active.ok() ? ProfileOf(*active) : domain::Profile();
  profile.shape = ShapeOf(machine);
  return advise::BuildMachineView(
      machine.name, machine.nodes, machine.cores_per_node, active.ok() ? active->revision : 0,
      std::move(profile), cells,
      {.withdrawals = std::move(withdrawals->in_force), .comparisons = std::move(comparisons)});
}

}  // namespace cox::daemon
