#include "console/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "console/exec_pointers.h"
#include "console/programs.h"

namespace cox::console {
namespace {

using Clock = std::chrono::steady_clock;

// Between the request to end and the order.
constexpr auto kGrace = std::chrono::seconds(5);
constexpr int kPollInterval_ms = 100;
constexpr size_t kMaxLineBytes = 64 << 10;

volatile std::sig_atomic_t signalled = 0;

volatile std::sig_atomic_t children_run = 0;

// Children are ended first. Without any, the second signal ends a wait that the first one did not.
void OnSignal(int signal) {
  if (signalled != 0 && children_run == 0) {
    std::signal(signal, SIG_DFL);
    raise(signal);
  }
  signalled = 1;
}

int open_scopes = 0;

std::vector<std::string> EnvironmentOf(const ChildCommand& command) {
  const std::map<std::string, std::string>& additions = command.environment;
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    if (additions.count(name) == 0 && command.without.count(name) == 0) all.push_back(text);
  }
  for (const auto& [name, value] : additions) all.push_back(absl::StrCat(name, "=", value));
  return all;
}

struct Pipe {
  int read_end = -1;
  int write_end = -1;

  Pipe() {
    std::array<int, 2> ends;
    if (pipe2(ends.data(), O_CLOEXEC) == 0) {
      read_end = ends[0];
      write_end = ends[1];
    }
  }
  ~Pipe() {
    Close(read_end);
    Close(write_end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  static void Close(int& descriptor) {
    if (descriptor >= 0) close(descriptor);
    descriptor = -1;
  }
};

// Hands over whole lines; what a progress bar repaints with carriage returns counts as lines.
class LineSplitter {
 public:
  explicit LineSplitter(const std::function<void(absl::string_view)>& on_line)
      : on_line_(on_line) {}
  ~LineSplitter() { Hand(); }
  LineSplitter(const LineSplitter&) = delete;
  LineSplitter& operator=(const LineSplitter&) = delete;

  void Add(absl::string_view text) {
    for (const char c : text) {
      if (c == '\n' || c == '\r') {
        Hand();
      } else if (line_.size() < kMaxLineBytes) {
        line_ += c;
      }
    }
  }

 private:
  void Hand() {
    if (!line_.empty() && on_line_) on_line_(line_);
    line_.clear();
  }

  const std::function<void(absl::string_view)>& on_line_;
  std::string line_;
};

// Reads what is there; false at the end.
template <typename Take>
bool ReadSome(int descriptor, const Take& take) {
  std::array<char, 65536> buffer;
  const ssize_t got = read(descriptor, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  take(absl::string_view(buffer.data(), static_cast<size_t>(got)));
  return got > 0;
}

// Only calls that are safe between fork and exec.
[[noreturn]] void Become(char* const* words, char* const* environment, int out, int err) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execve(words[0], words, environment);
  _exit(127);
}

int ExitCodeOfWait(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// A program that was started, from fork to wait.
class Child {
 public:
  explicit Child(const ChildCommand& command) : command_(command), lines_(command.on_error_line) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  absl::Status Start() {
    std::vector<std::string> words = command_.words;
    const std::string program = FindInPath(words.at(0));
    if (program.empty()) {
      return absl::NotFoundError(absl::StrCat(words[0], ": there is no such program"));
    }
    words[0] = program;
    std::vector<std::string> environment = EnvironmentOf(command_);
    const std::vector<char*> argv = ExecPointers(words);
    const std::vector<char*> envp = ExecPointers(environment);
    if (out_.write_end < 0 || err_.write_end < 0) return absl::UnknownError(std::strerror(errno));
    pid_ = fork();
    if (pid_ < 0) return absl::UnknownError(absl::StrCat("fork: ", std::strerror(errno)));
    if (pid_ == 0) Become(argv.data(), envp.data(), out_.write_end, err_.write_end);
    setpgid(pid_, pid_);
    Pipe::Close(out_.write_end);
    Pipe::Close(err_.write_end);
    started_ = Clock::now();
    return absl::OkStatus();
  }

  // Ends it if somebody wants that, and looks whether it has ended.
  void Check() {
    if (ended_early_.ok() && (signalled != 0 || Clock::now() > Deadline())) {
      ended_early_ =
          signalled != 0
              ? absl::CancelledError("interrupted")
              : absl::AbortedError(absl::StrFormat("did not end within %.0f s", command_.limit_s));
      kill(-pid_, SIGTERM);
      kill_at_ = Clock::now() + kGrace;
    }
    if (Clock::now() > kill_at_) kill(-pid_, SIGKILL);
    int status = 0;
    if (!exited_ && waitpid(pid_, &status, WNOHANG) == pid_) {
      exited_ = true;
      result_.exit_code = ExitCodeOfWait(status);
      result_.elapsed_s = std::chrono::duration<double>(Clock::now() - started_).count();
    }
  }

  bool exited() const { return exited_; }
  // It has ended, and what it left in the pipes was read.
  bool is_done() const { return is_done_; }

  void AddEnds(std::vector<pollfd>& ends) const {
    ends.push_back({out_.read_end, POLLIN, 0});
    ends.push_back({err_.read_end, POLLIN, 0});
  }

  // `ends`: its two, after poll().
  void Read(const pollfd* ends) {
    const bool is_ready = ends[0].revents != 0 || ends[1].revents != 0;
    // Whoever else still holds the pipes of a dead child is not waited for.
    if (!is_ready && exited_) is_done_ = true;
    const auto take_out = [this](absl::string_view text) { absl::StrAppend(&result_.out, text); };
    const auto take_err = [this](absl::string_view text) { lines_.Add(text); };
    if (ends[0].revents != 0 && !ReadSome(out_.read_end, take_out)) Pipe::Close(out_.read_end);
    if (ends[1].revents != 0 && !ReadSome(err_.read_end, take_err)) Pipe::Close(err_.read_end);
  }

  absl::StatusOr<ChildResult> TakeResult() {
    if (!ended_early_.ok()) return ended_early_;
    return std::move(result_);
  }

 private:
  Clock::time_point Deadline() const {
    return started_ + std::chrono::duration_cast<Clock::duration>(
                          std::chrono::duration<double>(command_.limit_s));
  }

  const ChildCommand& command_;
  LineSplitter lines_;
  Pipe out_;
  Pipe err_;
  pid_t pid_ = -1;
  Clock::time_point started_;
  Clock::time_point kill_at_ = Clock::time_point::max();
  absl::Status ended_early_;
  bool exited_ = false;
  bool is_done_ = false;
  ChildResult result_;
};

// Reads from all children until all are done.
void Attend(absl::Span<const std::unique_ptr<Child>> children) {
  while (true) {
    std::vector<pollfd> ends;
    std::vector<Child*> polled;
    bool some_exited = false;
    for (const std::unique_ptr<Child>& child : children) {
      if (child->is_done()) continue;
      child->Check();
      some_exited = some_exited || child->exited();
      child->AddEnds(ends);
      polled.push_back(child.get());
    }
    if (polled.empty()) return;
    poll(ends.data(), ends.size(), some_exited ? 0 : kPollInterval_ms);
    for (size_t i = 0; i < polled.size(); ++i) polled[i]->Read(&ends[2 * i]);
  }
}

}  // namespace

SignalScope::SignalScope() {
  if (open_scopes++ == 0) signalled = 0;
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
}

SignalScope::~SignalScope() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  --open_scopes;
}

bool SignalScope::interrupted() const { return signalled != 0; }

std::vector<absl::StatusOr<ChildResult>> RunChildren(absl::Span<const ChildCommand> commands) {
  const SignalScope signals;
  children_run = 1;
  std::vector<std::unique_ptr<Child>> started;
  std::vector<absl::Status> starts;
  for (const ChildCommand& command : commands) {
    auto child = std::make_unique<Child>(command);
    starts.push_back(child->Start());
    if (starts.back().ok()) started.push_back(std::move(child));
  }
  Attend(started);
  children_run = 0;
  std::vector<absl::StatusOr<ChildResult>> results;
  auto next = started.begin();
  for (const absl::Status& start : starts) {
    if (start.ok()) {
      results.push_back((*next++)->TakeResult());
    } else {
      results.emplace_back(start);
    }
  }
  return results;
}

absl::StatusOr<ChildResult> RunChild(const ChildCommand& command) {
  return std::move(RunChildren({&command, 1}).front());
}

}  // namespace cox::console
