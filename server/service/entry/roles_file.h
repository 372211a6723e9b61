// Reads the roles and projects again when the file of settings changes.
//
// A file counts when it was read twice alike: an editor may be writing it. A file with a mistake,
// in any setting, changes nothing. One thread.
#ifndef COX_SERVICE_ENTRY_ROLES_FILE_H_
#define COX_SERVICE_ENTRY_ROLES_FILE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "access/access.h"
#include "daemon/config.h"

namespace cox::service {

class RolesFile {
 public:
  // `config` is in use, and tells where it comes from; without a file nothing ever changes.
  // `access` outlives this.
  RolesFile(const daemon::Config& config, access::Access* access);

  // Looks once. Users and groups are looked up anew in the system's database. Fails as
  // daemon::ReadConfigFile(), daemon::MakeConfig() and access::ParsePolicy() do, and keeps the
  // roles.
  absl::Status Refresh();

 private:
  using Values = std::vector<daemon::ConfigValues>;

  // Logs the other settings that changed: they wait for a restart.
  void TellOthers(const Values& values) const;

  const daemon::ConfigSources sources_;
  access::Access* const access_;
  std::string roles_;  // in use
  std::string anonymous_role_;
  std::string projects_;
  Values used_;  // the file that they are from; none: that of the start
  Values seen_;  // last
};

}  // namespace cox::service

#endif  // COX_SERVICE_ENTRY_ROLES_FILE_H_
