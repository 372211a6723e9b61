// The built coxd as a process: starts it, and ends it by a signal.
#ifndef COX_TESTS_INTEGRATION_COXD_PROCESS_H_
#define COX_TESTS_INTEGRATION_COXD_PROCESS_H_

#include <grpcpp/grpcpp.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

namespace cox {

class CoxdProcess {
 public:
  // Starts coxd with these arguments; its output goes to `log_path`. `max_files` > 0: its hard
  // limit of descriptors.
  CoxdProcess(const std::vector<std::string>& arguments, std::string log_path, int max_files = 0);
  // Kills it if it still runs.
  ~CoxdProcess();
  CoxdProcess(const CoxdProcess&) = delete;
  CoxdProcess& operator=(const CoxdProcess&) = delete;

  pid_t pid() const { return pid_; }
  void Signal(int signal_number) const;
  // Waits for its end. The exit status; 128 + the number of the signal that ended it.
  int Wait();
  // Its output so far.
  std::string Log() const;

 private:
  std::string log_path_;
  pid_t pid_ = -1;
};

// A channel to a Unix socket, once the daemon behind it answers; null after `timeout_s`.
std::shared_ptr<grpc::Channel> ConnectUnix(const std::string& socket_path, double timeout_s);

}  // namespace cox

#endif  // COX_TESTS_INTEGRATION_COXD_PROCESS_H_
