// The tokens of a daemon, in a file that only its user can read.
//
// Find() takes no lock and reads no file: it looks into an immutable snapshot that the writers swap
// as a whole. All methods: any thread; writers wait for each other and for the disk.
#ifndef COX_ACCESS_TOKENS_H_
#define COX_ACCESS_TOKENS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "access/token.h"

namespace cox::access {

class Tokens {
 public:
  static constexpr size_t kMaxTokens = 1'000;
  using Clock = std::function<int64_t()>;  // microseconds since the Unix epoch

  // A missing file holds no tokens. FAILED_PRECONDITION, naming the file and the line, for a file
  // that others can read or write, that is not readable, or that has another form.
  static absl::StatusOr<std::unique_ptr<Tokens>> Open(const std::string& path, Clock clock);

  // The token of this text. nullopt if it is forged, revoked or expired.
  std::optional<Token> Find(absl::string_view text) const;
  // The token that was made at this time under this name, as it is now: a person may have changed
  // its role or its job in the file. nullopt if it is revoked or expired.
  std::optional<Token> FindAgain(absl::string_view name, int64_t create_time_us) const;
  // By name.
  std::vector<Token> List() const;

  // Adds a token, which is durable when this returns; create_time_us and hash are ignored. Returns
  // what was added and its text. INVALID_ARGUMENT as CheckToken() says, or for an expire_time_us
  // that is past; ALREADY_EXISTS; RESOURCE_EXHAUSTED beyond kMaxTokens; UNAVAILABLE if the file
  // cannot be written.
  struct Created {
    Token token;
    std::string text;
  };
  absl::StatusOr<Created> Create(Token token);
  // Removes a token; durable when this returns. NOT_FOUND, UNAVAILABLE.
  absl::Status Revoke(absl::string_view name);

  // Reads the file again if a person or another daemon has changed it. Fails as Open() does; then
  // the tokens stay as they were.
  absl::Status Refresh();

 private:
  using Table = absl::flat_hash_map<std::string, Token>;
  // Identifies one version of the file.
  struct Version {
    uint64_t inode = 0;
    int64_t bytes = -1;  // -1: there is no file
    int64_t change_time_ns = 0;
    bool operator==(const Version&) const = default;
  };

  Tokens(std::string path, Clock clock) : path_(std::move(path)), clock_(std::move(clock)) {}

  std::shared_ptr<const Table> Load() const { return table_.load(std::memory_order_acquire); }
  absl::Status ReadLocked();
  absl::Status WriteLocked(Table table);

  const std::string path_;
  const Clock clock_;
  std::atomic<std::shared_ptr<const Table>> table_{std::make_shared<const Table>()};

  std::mutex writing_;
  Version version_;  // of what table_ was read from or written to
};

}  // namespace cox::access

#endif  // COX_ACCESS_TOKENS_H_
