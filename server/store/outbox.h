// Batches that wait on the disk until another daemon has them, the oldest first: the spool of a
// relay. OpenOutbox() opens the SQLite implementation, which knows nothing of what a batch says.
//
// Thread rule: every method from any thread; one waits for the other.
// Failure rule: RESOURCE_EXHAUSTED (disk full), DATA_LOSS (damaged file), UNAVAILABLE (I/O error).
#ifndef COX_STORE_OUTBOX_H_
#define COX_STORE_OUTBOX_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace cox::store {

struct OutboxBatch {
  std::string job;  // with `sequence` the batch's identity
  int64_t sequence = 0;
  std::string bytes;
};

// A batch that waits; ids ascend in the order of arrival and are never used again.
struct WaitingBatch {
  int64_t id = 0;
  std::string job;
  std::string bytes;
};

struct OutboxSize {
  int64_t last_id = 0;                          // 0: none waits
  std::map<std::string, int64_t> bytes_by_job;  // of the batches
};

class Outbox {
 public:
  virtual ~Outbox() = default;

  // In one transaction, durable on return: removes the batches with these ids, then adds `added`.
  // Returns the id of each added batch, in order; one whose job and sequence wait already is not
  // added again and has the id of that one. After an error nothing has changed.
  virtual absl::StatusOr<std::vector<int64_t>> Commit(absl::Span<const OutboxBatch> added,
                                                      absl::Span<const int64_t> removed) = 0;
  // Batches after `after_id` in ascending order: at most `limit`, and no more than `bytes` in all
  // unless the first one alone is larger.
  virtual absl::StatusOr<std::vector<WaitingBatch>> Read(int64_t after_id, int64_t limit,
                                                         int64_t bytes) = 0;
  // Of all that waits, read once.
  virtual absl::StatusOr<OutboxSize> ReadSize() = 0;
};

struct OutboxOptions {
  std::string directory;  // created if missing; holds outbox.db and a lock file
  bool allow_network_file_system = false;
};

// FAILED_PRECONDITION: another daemon holds the directory (names its pid), or the file is of a
// newer program, or on a network file system without the flag.
// DATA_LOSS names the damaged file, and says what to do.
absl::StatusOr<std::unique_ptr<Outbox>> OpenOutbox(const OutboxOptions& options);

// Bytes of batches that a relay has left in this directory; 0 if there are none, or no spool. Fails
// as Outbox::ReadSize().
absl::StatusOr<int64_t> WaitingBytes(const std::string& directory);

}  // namespace cox::store

#endif  // COX_STORE_OUTBOX_H_
