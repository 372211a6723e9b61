// A munged of the test's own, with its key and socket in a folder, and credentials that it makes.
#ifndef COX_TESTS_INTEGRATION_MUNGED_H_
#define COX_TESTS_INTEGRATION_MUNGED_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace cox {

class Munged {
 public:
  // Into an existing folder, which every user may enter.
  explicit Munged(std::string folder);
  ~Munged();
  Munged(const Munged&) = delete;
  Munged& operator=(const Munged&) = delete;

  // Waits until it answers.
  void Start();
  void Stop();
  std::string socket() const { return folder_ + "/munge.socket"; }

  struct Wish {
    std::string payload{};
    int lifetime_s = 0;                     // 0: munged's default
    uid_t reader = static_cast<uid_t>(-1);  // -1: anybody
  };
  // "Munge CREDENTIAL", made by this thread's user.
  std::string Authorization(const Wish& wish) const;

  struct Job {
    int64_t number = 4711;
    uid_t user = 0;
    gid_t group = 0;
    int64_t end_s = 0;
  };
  // "MUNGE:...", as Slurm's plugin makes it (as root) for the process's user.
  std::string JobCredential(const Job& job, int lifetime_s = 0) const;

 private:
  const std::string folder_;
  pid_t pid_ = -1;
};

}  // namespace cox

#endif  // COX_TESTS_INTEGRATION_MUNGED_H_
