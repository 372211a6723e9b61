// Notices every few seconds that tokens, Slurm's key, certificates or roles changed, and ends the
// streams of those who may no longer have one.
//
// One thread of its own. Stop() and the destructor: any other thread.
#ifndef COX_SERVICE_ENTRY_ACCESS_WATCH_H_
#define COX_SERVICE_ENTRY_ACCESS_WATCH_H_

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "access/tls/tls_files.h"
#include "daemon/config.h"
#include "service/core.h"
#include "service/entry/roles_file.h"

namespace cox::service {

class AccessWatch {
 public:
  // `files` and the parts of `core` outlive the watch; `files` may be null.
  AccessWatch(const Core& core, access::TlsFiles* files, const daemon::Config& config);
  ~AccessWatch();
  AccessWatch(const AccessWatch&) = delete;
  AccessWatch& operator=(const AccessWatch&) = delete;

  void Stop();

 private:
  void Loop();
  void Look();
  // Logs a problem once, until it changes.
  static void Tell(const absl::Status& status, std::string* told);

  const Core core_;
  access::TlsFiles* const files_;
  std::string told_of_tokens_;
  std::string told_of_key_;
  RolesFile roles_;
  std::string told_of_files_;
  std::string told_of_roles_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false;
  std::thread thread_;  // last: starts when all else is there
};

}  // namespace cox::service

#endif  // COX_SERVICE_ENTRY_ACCESS_WATCH_H_
