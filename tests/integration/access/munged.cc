#include "munged.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <munge.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <utility>
#include <vector>

namespace cox {

Munged::Munged(std::string folder) : folder_(std::move(folder)) {
  const std::string key = folder_ + "/munge.key";
  std::ofstream(key) << std::string(128, 'k');
  chmod(key.c_str(), 0600);
  Start();
}

Munged::~Munged() { Stop(); }

void Munged::Start() {
  std::vector<std::string> words = {"/usr/sbin/munged", "--foreground",
                                    "--force",          "--num-threads=2",
                                    "--socket",         socket(),
                                    "--key-file",       folder_ + "/munge.key",
                                    "--pid-file",       folder_ + "/munge.pid",
                                    "--log-file",       folder_ + "/munge.log",
                                    "--seed-file",      folder_ + "/munge.seed"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string log = folder_ + "/munged.out";
  pid_ = fork();
  if (pid_ == 0) {
    const int out = open(log.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (Authorization({}).empty()) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up) << "munged does not start; see " << log;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void Munged::Stop() {
  if (pid_ <= 0) return;
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
  unlink(socket().c_str());
}

std::string Munged::Authorization(const Wish& wish) const {
  munge_ctx* const context = munge_ctx_create();
  munge_ctx_set(context, MUNGE_OPT_SOCKET, socket().c_str());
  munge_ctx_set(context, MUNGE_OPT_TTL, wish.lifetime_s);
  munge_ctx_set(context, MUNGE_OPT_UID_RESTRICTION, wish.reader);
  char* text = nullptr;
  std::string authorization;
  if (munge_encode(&text, context, wish.payload.data(), static_cast<int>(wish.payload.size())) ==
      EMUNGE_SUCCESS) {
    authorization = std::string("Munge ") + text;
  }
  std::free(text);
  munge_ctx_destroy(context);
  return authorization;
}

std::string Munged::JobCredential(const Job& job, int lifetime_s) const {
  const std::string payload = "coxswain-job 1 " + std::to_string(job.number) + " " +
                              std::to_string(job.user) + " " + std::to_string(job.group) + " " +
                              std::to_string(job.end_s);
  const std::string text =
      Authorization({.payload = payload, .lifetime_s = lifetime_s, .reader = getuid()});
  return text.substr(text.find(' ') + 1);
}

}  // namespace cox
