#include "service/answers/revision_views.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "daemon/stored_profile.h"
#include "domain/errors.h"
#include "domain/profile.h"

namespace cox::service {
namespace {

constexpr size_t kMostViews = 8;

}  // namespace

absl::StatusOr<RevisionViews::View> RevisionViews::Find(const View& active, int64_t revision,
                                                        const domain::IsCancelled& is_cancelled) {
  if (revision < 0) return domain::InvalidField("profile_revision", "must be >= 0");
  if (revision == 0 || revision == active->revision) return active;
  {
    std::lock_guard lock(mutex_);
    recent_.remove_if([](const Entry& entry) { return entry.base.expired(); });
    for (auto it = recent_.begin(); it != recent_.end(); ++it) {
      if (it->base.lock() != active || it->view->revision != revision) continue;
      recent_.splice(recent_.begin(), recent_, it);
      return it->view;
    }
  }
  const absl::StatusOr<store::ProfileRecord> record = store_->GetProfile(active->name, revision);
  if (absl::IsNotFound(record.status())) {
    return absl::NotFoundError(absl::StrCat("profile_revision: ", record.status().message()));
  }
  if (!record.ok()) return record.status();
  domain::CallerWatch caller(is_cancelled, 1);
  if (caller.IsGone()) return caller.status();
  domain::Profile profile = daemon::ProfileOf(*record);
  profile.shape = active->profile.shape;
  View view = advise::BuildMachineView(active->name, active->nodes, active->cores_per_node,
                                       revision, std::move(profile), active->cells, active->guard);
  std::lock_guard lock(mutex_);
  recent_.push_front({active, view});
  if (recent_.size() > kMostViews) recent_.pop_back();
  return view;
}

}  // namespace cox::service
