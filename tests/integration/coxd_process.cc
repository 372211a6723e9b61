#include "coxd_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

namespace cox {

CoxdProcess::CoxdProcess(const std::vector<std::string>& arguments, std::string log_path,
                         int max_files)
    : log_path_(std::move(log_path)) {
  std::vector<std::string> words = {COX_COXD};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    const int log = open(log_path_.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    if (max_files > 0) {
      const auto most = static_cast<rlim_t>(max_files);
      const rlimit limit = {most, most};
      setrlimit(RLIMIT_NOFILE, &limit);
    }
    execv(argv[0], argv.data());
    _exit(127);
  }
}

CoxdProcess::~CoxdProcess() {
  if (pid_ > 0) {
    Signal(SIGKILL);
    Wait();
  }
}

void CoxdProcess::Signal(int signal_number) const {
  if (pid_ > 0) kill(pid_, signal_number);
}

int CoxdProcess::Wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string CoxdProcess::Log() const {
  std::ostringstream text;
  text << std::ifstream(log_path_).rdbuf();
  return text.str();
}

std::shared_ptr<grpc::Channel> ConnectUnix(const std::string& socket_path, double timeout_s) {
  const auto deadline = std::chrono::system_clock::now() +
                        std::chrono::milliseconds(static_cast<int64_t>(timeout_s * 1e3));
  // gRPC's own retry would wait longer than a daemon takes to start.
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket_path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  for (bool accepted = false; !accepted;) {
    if (std::chrono::system_clock::now() > deadline) return nullptr;
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    accepted = connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    close(probe);
    if (!accepted) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  auto channel = grpc::CreateCustomChannel("unix:" + socket_path,
                                           grpc::InsecureChannelCredentials(), arguments);
  return channel->WaitForConnected(deadline) ? channel : nullptr;
}

}  // namespace cox
