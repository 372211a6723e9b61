// The transactions of the connection that writes: what the writer needs of an engine.
//
// Thread rule: the writer's thread. Failure rule: as store.h says for writes.
#ifndef COX_STORE_TRANSACTIONS_H_
#define COX_STORE_TRANSACTIONS_H_

#include "absl/status/status.h"

namespace cox::store {

class Transactions {
 public:
  virtual ~Transactions() = default;
  virtual absl::Status Begin() = 0;
  // OK: the transaction is durable. An error: it is not, or the connection was lost before the
  // answer came.
  virtual absl::Status Commit() = 0;
  // Of an open transaction. Its errors are of no interest: the rows are gone.
  virtual void Rollback() = 0;
  // False after Begin(): the engine gave up the transaction (disk full, I/O error, lost
  // connection).
  virtual bool InTransaction() const = 0;

  // One at a time: what a later RollbackToSavepoint() undoes.
  virtual absl::Status Savepoint() = 0;
  virtual absl::Status RollbackToSavepoint() = 0;
  virtual absl::Status ReleaseSavepoint() = 0;
};

}  // namespace cox::store

#endif  // COX_STORE_TRANSACTIONS_H_
