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

volatile std::sig_atomic_t interrupted = 0;

void OnSignal(int /*signal*/) { interrupted = 1; }

// Takes the signals that ask cox to end while it lives.
class SignalScope {
 public:
  SignalScope() {
    interrupted = 0;
    struct sigaction action = {};
    action.sa_handler = OnSignal;
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
  }
  ~SignalScope() {
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> before_;
};

std::vector<std::string> EnvironmentWith(const std::map<std::string, std::string>& additions) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (additions.count(text.substr(0, text.find('='))) == 0) all.push_back(text);
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

// Waits while reading. Fills `result`; what ended the child early is the status.
absl::Status Attend(pid_t child, Pipe& out, Pipe& err, const ChildCommand& command,
                    ChildResult& result) {
  LineSplitter lines(command.on_error_line);
  const auto take_out = [&](absl::string_view text) { absl::StrAppend(&result.out, text); };
  const auto take_err = [&](absl::string_view text) { lines.Add(text); };
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(command.limit_s));
  Clock::time_point kill_at = Clock::time_point::max();
  absl::Status ended_early;
  bool exited = false;
  while (true) {
    if (ended_early.ok() && (interrupted != 0 || Clock::now() > deadline)) {
      ended_early =
          interrupted != 0
              ? absl::CancelledError("interrupted")
              : absl::AbortedError(absl::StrFormat("did not end within %.0f s", command.limit_s));
      kill(-child, SIGTERM);
      kill_at = Clock::now() + kGrace;
    }
    if (Clock::now() > kill_at) kill(-child, SIGKILL);
    int status = 0;
    if (!exited && waitpid(child, &status, WNOHANG) == child) {
      exited = true;
      result.exit_code = ExitCodeOfWait(status);
    }
    std::array<pollfd, 2> ends = {{{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}}};
    // What a dead child left in the pipes is read; whoever else still holds them is not waited for.
    const int ready = poll(ends.data(), ends.size(), exited ? 0 : kPollInterval_ms);
    if (ready <= 0 && exited) return ended_early;
    if (ready <= 0) continue;
    if (ends[0].revents != 0 && !ReadSome(out.read_end, take_out)) Pipe::Close(out.read_end);
    if (ends[1].revents != 0 && !ReadSome(err.read_end, take_err)) Pipe::Close(err.read_end);
  }
}

}  // namespace

absl::StatusOr<ChildResult> RunChild(const ChildCommand& command) {
  std::vector<std::string> words = command.words;
  const std::string program = FindInPath(words.at(0));
  if (program.empty()) {
    return absl::NotFoundError(absl::StrCat(words[0], ": there is no such program"));
  }
  words[0] = program;
  std::vector<std::string> environment = EnvironmentWith(command.environment);
  const std::vector<char*> argv = ExecPointers(words);
  const std::vector<char*> envp = ExecPointers(environment);
  Pipe out;
  Pipe err;
  if (out.write_end < 0 || err.write_end < 0) return absl::UnknownError(std::strerror(errno));
  const SignalScope signals;
  const pid_t child = fork();
  if (child < 0) return absl::UnknownError(absl::StrCat("fork: ", std::strerror(errno)));
  if (child == 0) Become(argv.data(), envp.data(), out.write_end, err.write_end);
  setpgid(child, child);
  Pipe::Close(out.write_end);
  Pipe::Close(err.write_end);
  ChildResult result;
  absl::Status status = Attend(child, out, err, command, result);
  if (!status.ok()) return status;
  return result;
}

}  // namespace cox::console
