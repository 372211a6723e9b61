#include "postgres/server.h"

#include <dirent.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"

extern char** environ;

namespace cox::store {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

[[noreturn]] void Die(const std::string& why) {
  std::fprintf(stderr, "PostgreSQL for tests: %s\n", why.c_str());
  std::abort();
}

// The folder of initdb and postgres: Debian keeps it out of the path.
std::string Programs() {
  std::string newest;
  std::error_code absent;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", absent)) {
    const std::string folder = version.path() / "bin";
    if (fs::exists(folder + "/initdb") && fs::exists(folder + "/postgres")) {
      newest = std::max(newest, folder);
    }
  }
  return newest;
}

// PostgreSQL refuses to run as root.
const passwd* User() { return geteuid() == 0 ? getpwnam("postgres") : getpwuid(geteuid()); }

// As that user; ends with this process.
Words AsUser(const Words& command) {
  Words words = {"setpriv", "--pdeathsig", "QUIT"};
  if (geteuid() == 0) {
    for (const std::string& word :
         {absl::StrCat("--reuid=", User()->pw_uid), absl::StrCat("--regid=", User()->pw_gid),
          std::string("--clear-groups")}) {
      words.push_back(word);
    }
  }
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

pid_t Spawn(const Words& words, const std::string& log) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t pid = 0;
  if (posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ) != 0) {
    Die("cannot start " + words[0]);
  }
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

void Await(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
}

// Where folders of servers are made.
fs::path Parent() {
  constexpr const char* kMemory = "/dev/shm";
  constexpr uintmax_t kEnoughBytes = uintmax_t{1} << 30;
  std::error_code absent;
  const fs::space_info space = fs::space(kMemory, absent);
  const bool is_enough = !absent && space.available >= kEnoughBytes && ::access(kMemory, W_OK) == 0;
  return is_enough ? kMemory : fs::temp_directory_path();
}

std::string Log(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Processes whose parent is `parent`.
std::vector<pid_t> ChildrenOf(pid_t parent) {
  std::ifstream list(absl::StrCat("/proc/", parent, "/task/", parent, "/children"));
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

}  // namespace

std::string PostgresServer::WhyMissing() {
  if (Programs().empty()) {
    return "PostgreSQL is not installed: `deploy/install-packages test` installs it";
  }
  return User() == nullptr ? "there is no user postgres, and PostgreSQL refuses to run as root"
                           : "";
}

PostgresServer& PostgresServer::Shared() {
  static PostgresServer server;
  return server;
}

PostgresServer::PostgresServer() {
  folder_ = (Parent() / "cox-pg-XXXXXX").string();
  if (mkdtemp(folder_.data()) == nullptr) Die("cannot make " + folder_);
  if (chown(folder_.c_str(), User()->pw_uid, User()->pw_gid) != 0) Die("cannot own " + folder_);
  const std::string log = folder_ + "/initdb.log";
  Await(Spawn(AsUser({Programs() + "/initdb", "--pgdata", folder_ + "/data", "--username", "cox",
                      "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"}),
              log));
  if (!fs::exists(folder_ + "/data/PG_VERSION")) Die(Log(log));
  Start();
}

PostgresServer::~PostgresServer() {
  if (pid_ != 0) {
    // The parent ends last: a child that outlives it could write into the folder while it goes.
    Resume();
    kill(pid_, SIGQUIT);
    Await(pid_);
  }
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string PostgresServer::Url(const std::string& database) const {
  return absl::StrCat("postgresql:///", database, "?host=", folder_, "&user=cox");
}

void PostgresServer::Start() {
  const std::string log = folder_ + "/server.log";
  const std::string url = Url("postgres");
  // After Kill() the first start may find that shared memory is still in use.
  for (int tries = 0; tries < 100; ++tries) {
    pid_ =
        Spawn(AsUser({Programs() + "/postgres", "-D", folder_ + "/data", "-k", folder_, "-c",
                      "listen_addresses=", "-c", "max_connections=60", "-c", "shared_buffers=16MB",
                      // Else Kill() leaves files in /dev/shm.
                      "-c", "dynamic_shared_memory_type=mmap"}),
              log);
    while (waitpid(pid_, nullptr, WNOHANG) == 0) {
      if (PQping(url.c_str()) == PQPING_OK) return;
      usleep(20'000);
    }
  }
  Die(Log(log));
}

void PostgresServer::Kill() {
  // The parent first: it would start the others anew.
  kill(pid_, SIGSTOP);
  const std::vector<pid_t> children = ChildrenOf(pid_);
  for (const pid_t child : children) kill(child, SIGKILL);
  kill(pid_, SIGKILL);
  Await(pid_);
  pid_ = 0;
}

void PostgresServer::Pause() {
  // The parent first: it would start others.
  kill(pid_, SIGSTOP);
  for (const pid_t child : ChildrenOf(pid_)) kill(child, SIGSTOP);
}

void PostgresServer::Resume() {
  for (const pid_t child : ChildrenOf(pid_)) kill(child, SIGCONT);
  kill(pid_, SIGCONT);
}

void PostgresServer::Stop() {
  kill(pid_, SIGINT);  // "fast": ends all sessions
  Await(pid_);
  pid_ = 0;
}

std::string PostgresServer::NewDatabase() {
  const std::string name = absl::StrCat("test", ++database_count_);
  Run("CREATE DATABASE " + name);
  return Url(name);
}

void PostgresServer::DropDatabase(const std::string& url) {
  for (int i = 1; i <= database_count_; ++i) {
    const std::string name = absl::StrCat("test", i);
    if (url == Url(name)) Run(absl::StrCat("DROP DATABASE IF EXISTS ", name, " WITH (FORCE)"));
  }
}

void PostgresServer::Run(const std::string& sql) const {
  PGconn* const connection = PQconnectdb(Url("postgres").c_str());
  PGresult* const result = PQexec(connection, sql.c_str());
  if (PQresultStatus(result) != PGRES_COMMAND_OK) Die(PQerrorMessage(connection));
  PQclear(result);
  PQfinish(connection);
}

}  // namespace cox::store
