// The rows of withdrawals. No transaction of its own.
//
// Thread rule: the session's. Failure rule: as store.h says for the methods of the same names.
#ifndef COX_STORE_POSTGRES_ROWS_WITHDRAWAL_ROWS_H_
#define COX_STORE_POSTGRES_ROWS_WITHDRAWAL_ROWS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/withdrawal.h"
#include "store/postgres/connection/session.h"

namespace cox::store::postgres {

// Returns the id.
absl::StatusOr<int64_t> InsertWithdrawal(Session& session, const domain::Withdrawal& withdrawal);

absl::StatusOr<std::vector<domain::Withdrawal>> ReadWithdrawals(Session& session,
                                                                absl::string_view machine,
                                                                int64_t limit);

// Removes the withdrawals of a machine to whose evidence the observation `id` or a later one may
// belong.
absl::Status RemoveWithdrawalsSince(Session& session, int64_t machine_id, int64_t id);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_ROWS_WITHDRAWAL_ROWS_H_
