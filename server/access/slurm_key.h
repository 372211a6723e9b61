// Tokens of Slurm: JSON Web Tokens (HS256) that slurmctld signs with the site's key, as `scontrol
// token` prints them. libjwt reads them.
//
// Verify() takes no lock and reads no file. Refresh(): one thread at a time; the others: any
// thread.
#ifndef COX_ACCESS_SLURM_KEY_H_
#define COX_ACCESS_SLURM_KEY_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::access {

class SlurmKey {
 public:
  using Clock = std::function<int64_t()>;  // microseconds since the Unix epoch

  // `path` has the bytes of the key, as AuthAltParameters=jwt_key= of slurm.conf names them.
  // FAILED_PRECONDITION, naming the file: not readable, readable by every user, or not 16 to 4,096
  // bytes.
  static absl::StatusOr<std::unique_ptr<SlurmKey>> Open(const std::string& path, Clock clock);

  // Reads the file again. Fails as Open() does; then the last good key stays.
  absl::Status Refresh();

  // For whom Slurm vouches, and until when.
  struct Bearer {
    std::string user;  // the claim `sun`
    int64_t expire_time_us = 0;
    int64_t key_number = 0;  // of the key that signed
  };
  // Of a token's text, with or without the "SLURM_JWT=" of scontrol. nullopt unless the key signed
  // it with HS256, and it has a user, was issued before now (a minute of difference between clocks
  // is allowed) and has not expired.
  std::optional<Bearer> Verify(absl::string_view text) const;

  // False once another key has come, or at `expire_time_us`.
  bool IsGood(const Bearer& bearer) const;

 private:
  struct Key {
    std::string bytes;
    int64_t number = 0;
  };

  SlurmKey(std::string path, Clock clock) : path_(std::move(path)), clock_(std::move(clock)) {}

  const std::string path_;
  const Clock clock_;
  std::atomic<std::shared_ptr<const Key>> key_{std::make_shared<const Key>()};
};

}  // namespace cox::access

#endif  // COX_ACCESS_SLURM_KEY_H_
