// Looks for secrets that a test has used where none may be: in the daemon's log, in answers,
// metrics, files of its store, and on command lines that every user can read. One thread.
#ifndef COX_TESTS_INTEGRATION_SECRET_SCAN_H_
#define COX_TESTS_INTEGRATION_SECRET_SCAN_H_

#include <map>
#include <string>

namespace cox {

class SecretScan {
 public:
  // Standard error, to which the daemon's log goes, is a file from now until the object goes.
  explicit SecretScan(const std::string& folder);
  ~SecretScan();
  SecretScan(const SecretScan&) = delete;
  SecretScan& operator=(const SecretScan&) = delete;

  // Only a part of a long secret is looked for, from its middle. At most 100 of each kind.
  void Remember(const std::string& kind, const std::string& secret);
  size_t count() const { return parts_.size(); }

  // Fails the test for each secret found. `where` says where, in messages.
  void CheckText(const std::string& where, const std::string& text) const;
  // What the daemon in this process has logged until now.
  void CheckLog() const;
  // All files below it.
  void CheckFolder(const std::string& folder) const;
  // Of all processes of this host.
  void CheckCommandLines() const;

 private:
  const std::string log_path_;
  int real_stderr_ = -1;
  std::map<std::string, std::string> parts_;  // to the kind
  std::map<std::string, int> counts_;         // of each kind
};

}  // namespace cox

#endif  // COX_TESTS_INTEGRATION_SECRET_SCAN_H_
