// A PostgreSQL server of the tests: in a temporary folder, on a Unix socket, without a password. It
// ends with the process that started it.
//
// Its files are in memory where there is enough: coxd refuses a server without fsync, and thousands
// of small files take a disk a minute. SIGKILL of all its processes loses no file of either.
#ifndef COX_TESTS_UNIT_STORE_POSTGRES_SERVER_H_
#define COX_TESTS_UNIT_STORE_POSTGRES_SERVER_H_

#include <sys/types.h>

#include <string>

namespace cox::store {

class PostgresServer {
 public:
  // What is missing here to start one: a sentence; "": nothing.
  static std::string WhyMissing();
  // The one of the process; starts at the first call.
  static PostgresServer& Shared();

  PostgresServer();   // makes the folder and starts; fails the test's process if it cannot
  ~PostgresServer();  // ends the server and removes the folder
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // Makes an empty database; returns its URL.
  std::string NewDatabase();
  // Removes it with all its sessions, so that many tests do not fill the memory.
  void DropDatabase(const std::string& url);
  std::string Url(const std::string& database) const;

  // Returns when the server answers.
  void Start();
  // SIGKILL for all its processes at once, as in a power failure of the host's processes.
  void Kill();
  // SIGSTOP for all its processes: it takes connections and says nothing. Resume() ends that.
  void Pause();
  void Resume();
  // Returns when it has ended, and all its sessions with it.
  void Stop();

 private:
  // Returns when the statement has ended; fails the test's process if the server refuses it.
  void Run(const std::string& sql) const;

  std::string folder_;
  pid_t pid_ = 0;
  int database_count_ = 0;
};

}  // namespace cox::store

#endif  // COX_TESTS_UNIT_STORE_POSTGRES_SERVER_H_
