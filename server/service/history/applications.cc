#include "service/history/applications.h"

#include <utility>
#include <vector>

#include "daemon/learning/guard_watch.h"

namespace cox::service {

absl::string_view BeginOfJobName(absl::string_view job) {
  constexpr absl::string_view kEnds = "-_.@:/0123456789";
  const size_t slash = job.rfind('/');
  if (slash != absl::string_view::npos) job.remove_prefix(slash + 1);
  return job.substr(0, job.find_first_of(kEnds, 1));
}

absl::StatusOr<Applications> Applications::Read(store::Store& store, absl::string_view machine,
                                                const VisibleNames& visible) {
  absl::StatusOr<std::vector<store::SketchRecord>> records = store.ListSketches(machine, "");
  if (!records.ok()) return records.status();
  Applications applications(visible);
  for (store::SketchRecord& record : *records) {
    applications.reported_[daemon::WholeJob(record.job)] = std::move(record.sketch.key.application);
  }
  return applications;
}

std::string Applications::Of(const std::string& job) const {
  if (!visible_.ShowsJob(job)) return "";
  const auto found = reported_.find(job);
  return found != reported_.end() ? found->second : std::string(BeginOfJobName(job));
}

}  // namespace cox::service
