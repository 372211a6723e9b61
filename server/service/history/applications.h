// Which application each job of a machine is. From a pool's thread: it reads the store once.
//
// An application is the name under which the job's agent has reported messages (PatternSketch).
// Agents report them only for some applications. For other jobs it is the begin of the job's name:
// the dashboard takes jobs with the same begin for runs of an application
// (clients/dashboard/src/pages/jobs.tsx).
#ifndef COX_SERVICE_HISTORY_APPLICATIONS_H_
#define COX_SERVICE_HISTORY_APPLICATIONS_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "service/history/visible_names.h"
#include "store/store.h"

namespace cox::service {

// A name up to its first digit or one of "-_.@:", but at least one character. A principal in front
// of the name ("uid:1000/") is no part of it.
absl::string_view BeginOfJobName(absl::string_view job);

class Applications {
 public:
  // NOT_FOUND for an unknown machine, and the store's errors.
  static absl::StatusOr<Applications> Read(store::Store& store, absl::string_view machine,
                                           const VisibleNames& visible);

  // `job`: a whole job as it is stored. Empty for a job that the caller may not see.
  std::string Of(const std::string& job) const;

 private:
  explicit Applications(const VisibleNames& visible) : visible_(visible) {}

  VisibleNames visible_;
  std::map<std::string, std::string> reported_;  // by job
};

}  // namespace cox::service

#endif  // COX_SERVICE_HISTORY_APPLICATIONS_H_
