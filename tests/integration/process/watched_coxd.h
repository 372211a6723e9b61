// Runs the built coxd as a debugger does, and is told when a thread of it reaches or leaves certain
// functions; so a test can kill coxd there. coxd itself knows nothing of it.
//
// One thread of its own runs and watches coxd. While it steps over a function's first instruction,
// another thread of coxd may pass unseen; so passages are counted almost exactly. x86-64 only.
#ifndef COX_TESTS_INTEGRATION_WATCHED_COXD_H_
#define COX_TESTS_INTEGRATION_WATCHED_COXD_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace cox {

// The addresses in an ELF program of its functions with one of these names, such as
// "cox::daemon::Snapshots::Publish", without parameters. The build has not stripped it.
std::map<uint64_t, std::string> AddressesOf(const std::string& program,
                                            const std::set<std::string>& names);

class WatchedCoxd {
 public:
  // Called on the watching thread with "before NAME" or "after NAME". True: SIGKILL.
  using Passes = std::function<bool(const std::string& point)>;

  WatchedCoxd(std::vector<std::string> arguments, std::string log_path,
              std::map<uint64_t, std::string> functions, Passes passes);
  // Kills it if it still runs.
  ~WatchedCoxd();
  WatchedCoxd(const WatchedCoxd&) = delete;
  WatchedCoxd& operator=(const WatchedCoxd&) = delete;

  // 0: it cannot be watched here.
  pid_t pid() const { return pid_; }
  void Signal(int signal_number) const;
  // Waits for its end. The exit status; 128 + the number of the signal that ended it.
  int Wait();

 private:
  struct Breakpoint {
    std::string name;
    bool is_entry;
    uint8_t byte;  // what it stands for
  };

  void Run(std::promise<pid_t> started);
  void Watch();
  bool Plant(uint64_t address, const std::string& name, bool is_entry);
  // A thread stands behind a breakpoint. False: coxd is being killed.
  bool Hit(pid_t thread, uint64_t address);
  // Lets the thread run the instruction under the breakpoint.
  void StepOver(pid_t thread, uint64_t address);
  // Of the memory of coxd.
  bool Read(uint64_t address, void* bytes, size_t size) const;
  bool Write(uint64_t address, uint8_t byte) const;

  const std::vector<std::string> arguments_;
  const std::string log_path_;
  const std::map<uint64_t, std::string> functions_;
  const Passes passes_;
  std::map<uint64_t, Breakpoint> breakpoints_;  // by address in the process
  pid_t child_ = 0;                             // of the watching thread
  int memory_ = -1;                             // of coxd, as a file
  int status_ = 0;
  pid_t pid_ = 0;
  std::thread thread_;
};

}  // namespace cox

#endif  // COX_TESTS_INTEGRATION_WATCHED_COXD_H_
