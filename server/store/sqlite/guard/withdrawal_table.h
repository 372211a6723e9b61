// The rows of withdrawals. No transaction of its own.
//
// Thread rule: the connection's. Failure rule: as store.h says for the methods of the same names.
#ifndef COX_STORE_SQLITE_GUARD_WITHDRAWAL_TABLE_H_
#define COX_STORE_SQLITE_GUARD_WITHDRAWAL_TABLE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/withdrawal.h"
#include "store/sqlite/database.h"

namespace cox::store {

// Returns the id.
absl::StatusOr<int64_t> InsertWithdrawal(Database& db, const domain::Withdrawal& withdrawal);

absl::StatusOr<std::vector<domain::Withdrawal>> ReadWithdrawals(Database& db,
                                                                absl::string_view machine,
                                                                int64_t limit);

// Removes the withdrawals of a machine to whose evidence the observation `id` or a later one may
// belong.
absl::Status RemoveWithdrawalsSince(Database& db, int64_t machine_id, int64_t id);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_GUARD_WITHDRAWAL_TABLE_H_
