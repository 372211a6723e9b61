#include "watched_coxd.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace cox {
namespace {

constexpr uint8_t kTrap = 0xCC;  // int3
constexpr char kUnnamed[] = "(anonymous namespace)::";

std::string Demangled(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : "";
}

// "a::b::C::D(int)" is "a::b::C::D", and namespaces without a name are left out.
std::string WithoutParameters(std::string name) {
  for (size_t at = name.find(kUnnamed); at != std::string::npos; at = name.find(kUnnamed)) {
    name.erase(at, sizeof(kUnnamed) - 1);
  }
  return name.substr(0, name.find('('));
}

// Where the first page of the program lies in the process.
uint64_t BaseOf(pid_t pid, const std::string& program) {
  std::ifstream maps(absl::StrCat("/proc/", pid, "/maps"));
  for (std::string line; std::getline(maps, line);) {
    uint64_t base = 0;
    if (absl::EndsWith(line, program) &&
        absl::SimpleHexAtoi(line.substr(0, line.find('-')), &base)) {
      return base;
    }
  }
  return 0;
}

}  // namespace

std::map<uint64_t, std::string> AddressesOf(const std::string& program,
                                            const std::set<std::string>& names) {
  std::ifstream file(program, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::map<uint64_t, std::string> found;
  if (bytes.size() < sizeof(Elf64_Ehdr)) return found;
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(bytes.data());
  const auto* const sections = reinterpret_cast<const Elf64_Shdr*>(bytes.data() + header->e_shoff);
  std::set<std::string> last_words;  // demangling all symbols would take seconds
  for (const std::string& name : names) last_words.insert(name.substr(name.rfind(':') + 1));
  for (int i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const char* const texts = bytes.data() + sections[sections[i].sh_link].sh_offset;
    const auto* const symbols =
        reinterpret_cast<const Elf64_Sym*>(bytes.data() + sections[i].sh_offset);
    for (size_t k = 0; k < sections[i].sh_size / sizeof(Elf64_Sym); ++k) {
      const char* const symbol = texts + symbols[k].st_name;
      // ".cold" and the like are parts of a function.
      if (ELF64_ST_TYPE(symbols[k].st_info) != STT_FUNC || symbols[k].st_value == 0 ||
          std::strchr(symbol, '.') != nullptr ||
          std::none_of(last_words.begin(), last_words.end(),
                       [&](const std::string& word) { return absl::StrContains(symbol, word); })) {
        continue;
      }
      const std::string name = WithoutParameters(Demangled(symbol));
      if (names.contains(name)) found[symbols[k].st_value] = name;
    }
  }
  return found;
}

WatchedCoxd::WatchedCoxd(std::vector<std::string> arguments, std::string log_path,
                         std::map<uint64_t, std::string> functions, Passes passes)
    : arguments_(std::move(arguments)),
      log_path_(std::move(log_path)),
      functions_(std::move(functions)),
      passes_(std::move(passes)) {
  std::promise<pid_t> started;
  std::future<pid_t> pid = started.get_future();
  thread_ =
      std::thread([this, started = std::move(started)]() mutable { Run(std::move(started)); });
  pid_ = pid.get();
}

WatchedCoxd::~WatchedCoxd() {
  Signal(SIGKILL);
  Wait();
}

void WatchedCoxd::Signal(int signal_number) const {
  if (pid_ > 0 && thread_.joinable()) kill(pid_, signal_number);
}

int WatchedCoxd::Wait() {
  if (thread_.joinable()) thread_.join();
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
}

// Only the thread that forks may watch, so this is all of its life.
void WatchedCoxd::Run(std::promise<pid_t> started) {
  std::vector<std::string> words = {COX_COXD};
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::string no_leaks = "ASAN_OPTIONS=detect_leaks=0";  // that check would watch coxd, too
  std::vector<char*> environment = {no_leaks.data()};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.push_back(*variable);
  }
  environment.push_back(nullptr);
  child_ = fork();
  if (child_ == 0) {
    const int log = open(log_path_.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(126);
    execve(argv[0], argv.data(), environment.data());
    _exit(127);
  }
  bool is_watched =
      child_ > 0 && waitpid(child_, &status_, __WALL) == child_ && WIFSTOPPED(status_) &&
      ptrace(PTRACE_SETOPTIONS, child_, nullptr, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) == 0;
  const uint64_t base = is_watched ? BaseOf(child_, COX_COXD) : 0;
  // Also while threads run, as ptrace() cannot.
  memory_ = open(absl::StrCat("/proc/", child_, "/mem").c_str(), O_RDWR | O_CLOEXEC);
  is_watched = is_watched && base != 0 && memory_ >= 0;
  for (const auto& [address, name] : functions_) {
    is_watched = is_watched && Plant(base + address, name, /*is_entry=*/true);
  }
  started.set_value(is_watched ? child_ : 0);
  if (is_watched) {
    ptrace(PTRACE_CONT, child_, nullptr, nullptr);
    Watch();
  } else if (child_ > 0) {
    kill(child_, SIGKILL);
    waitpid(child_, &status_, __WALL);
  }
  if (memory_ >= 0) close(memory_);
}

void WatchedCoxd::Watch() {
  std::set<pid_t> known = {child_};
  while (true) {
    int status = 0;
    const pid_t thread = waitpid(-1, &status, __WALL | __WNOTHREAD);
    if (thread < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (!WIFSTOPPED(status)) {
      known.erase(thread);
      if (thread != child_) continue;
      status_ = status;
      return;
    }
    int signal_number = WSTOPSIG(status);
    const bool is_new = known.insert(thread).second;
    if (is_new && signal_number == SIGSTOP) signal_number = 0;
    if (signal_number == SIGTRAP) {
      signal_number = 0;
      user_regs_struct registers{};
      if ((status >> 16) == 0 && ptrace(PTRACE_GETREGS, thread, nullptr, &registers) == 0 &&
          breakpoints_.contains(registers.rip - 1)) {
        if (!Hit(thread, registers.rip - 1)) continue;
      }
    }
    ptrace(PTRACE_CONT, thread, nullptr, signal_number);
  }
}

bool WatchedCoxd::Hit(pid_t thread, uint64_t address) {
  const Breakpoint reached = breakpoints_.at(address);
  if (passes_(absl::StrCat(reached.is_entry ? "before " : "after ", reached.name))) {
    kill(child_, SIGKILL);
    return false;
  }
  if (reached.is_entry) {
    user_regs_struct registers{};
    uint64_t caller = 0;
    if (ptrace(PTRACE_GETREGS, thread, nullptr, &registers) == 0 &&
        Read(registers.rsp, &caller, sizeof(caller))) {
      Plant(caller, reached.name, /*is_entry=*/false);
    }
  }
  StepOver(thread, address);
  return true;
}

void WatchedCoxd::StepOver(pid_t thread, uint64_t address) {
  user_regs_struct registers{};
  if (ptrace(PTRACE_GETREGS, thread, nullptr, &registers) != 0) return;
  registers.rip = address;
  Write(address, breakpoints_.at(address).byte);
  ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
  // A signal that comes meanwhile comes again: it is sent to the thread anew.
  int status = 0;
  do {
    if (ptrace(PTRACE_SINGLESTEP, thread, nullptr, nullptr) != 0) return;
    if (waitpid(thread, &status, __WALL) != thread || !WIFSTOPPED(status)) {
      if (thread == child_) status_ = status;
      return;
    }
    if (WSTOPSIG(status) != SIGTRAP) kill(child_, WSTOPSIG(status));
  } while (WSTOPSIG(status) != SIGTRAP);
  Write(address, kTrap);
}

bool WatchedCoxd::Plant(uint64_t address, const std::string& name, bool is_entry) {
  if (breakpoints_.contains(address)) return true;
  uint8_t byte = 0;
  if (!Read(address, &byte, sizeof(byte))) return false;
  breakpoints_[address] = {name, is_entry, byte};
  return Write(address, kTrap);
}

bool WatchedCoxd::Read(uint64_t address, void* bytes, size_t size) const {
  return pread(memory_, bytes, size, static_cast<off_t>(address)) == static_cast<ssize_t>(size);
}

bool WatchedCoxd::Write(uint64_t address, uint8_t byte) const {
  return pwrite(memory_, &byte, 1, static_cast<off_t>(address)) == 1;
}

}  // namespace cox
