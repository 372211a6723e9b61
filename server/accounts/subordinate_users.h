// Finds the owners of subordinate users, from /etc/subuid.
//
// A user with a range there can act as each of its numbers: a container without root runs in a user
// namespace. To coxd these numbers are one user, or he would have 65,536 shares of everything. coxd
// reads the file itself: ranges that only a directory service lists count for nothing. Any thread.
#ifndef COX_ACCOUNTS_SUBORDINATE_USERS_H_
#define COX_ACCOUNTS_SUBORDINATE_USERS_H_

#include <sys/stat.h>
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace cox::accounts {

class SubordinateUsers {
 public:
  static constexpr const char* kPath = "/etc/subuid";

  // Reads the file. A file that cannot be read has no ranges.
  explicit SubordinateUsers(std::string path = kPath) : path_(std::move(path)) { Refresh(); }

  // Reads the file again if it has changed, and after a minute if it has a user whom the system's
  // database did not know. A wrong line counts for nothing, nor does one of an unknown user or of
  // root: only root acts as the users of root's ranges. A user who was known keeps the ranges while
  // the database does not know them: it may be away. Looks up users in the system's database: may
  // wait.
  void Refresh();

  // Who owns the range that has this number; the user itself if none has, or if the system's
  // database knows a user of this number: some sites give out the numbers of a range twice. Looks
  // up only numbers in a range, and may wait for that.
  uid_t OwnerOf(uid_t user) const;

 private:
  struct Range {
    uint64_t first;
    uint64_t end;  // the first number behind it
    uid_t owner;
  };
  using Ranges = std::vector<Range>;  // by first number

  struct KnownUser {
    uid_t number;
    bool is_sure;  // the database knew them at the last look
  };

  // `looks_up_all`: also users of whom an earlier call is sure.
  Ranges Read(bool looks_up_all, bool* knows_all);

  const std::string path_;
  std::atomic<std::shared_ptr<const Ranges>> ranges_{std::make_shared<const Ranges>()};
  std::mutex reading_;
  // Guarded by reading_:
  struct stat version_ = {};  // of what ranges_ was read from
  std::map<std::string, KnownUser> known_;
  std::chrono::steady_clock::time_point look_again_ = std::chrono::steady_clock::time_point::max();
};

}  // namespace cox::accounts

#endif  // COX_ACCOUNTS_SUBORDINATE_USERS_H_
