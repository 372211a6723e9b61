// Which names of jobs and sources a caller sees: all, or where the site hides the jobs of others
// (hide-foreign-jobs) a viewer and a reporter see their own only. Any thread.
#ifndef COX_SERVICE_HISTORY_VISIBLE_NAMES_H_
#define COX_SERVICE_HISTORY_VISIBLE_NAMES_H_

#include <string>

#include "absl/status/status.h"
#include "access/principal.h"

namespace cox::service {

class VisibleNames {
 public:
  VisibleNames(bool site_hides, access::Principal principal);

  bool ShowsJob(const std::string& stored_job) const;
  bool ShowsSource(const std::string& stored_source) const;

  // Of a question about one job or one source; "" is none. PERMISSION_DENIED if the caller does not
  // see it, whether or not it exists.
  absl::Status Check(const std::string& stored_job, const std::string& stored_source) const;

 private:
  const bool hides_;
  const access::Principal principal_;
};

}  // namespace cox::service

#endif  // COX_SERVICE_HISTORY_VISIBLE_NAMES_H_
