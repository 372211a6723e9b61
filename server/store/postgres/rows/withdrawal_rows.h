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

// The condition that row `w` of withdrawal is about scenario `s` of the same machine, and batch or
// old sum `b`: timings by jobs, of the default or of the algorithm. The columns of text have
// different collations.
inline constexpr const char* kWithdrawalIsAbout =
    "b.kind = 1 AND w.machine_id = s.machine_id AND s.collective = w.collective COLLATE \"C\""
    " AND s.nodes = w.nodes AND s.ppn = w.ppn AND s.ranks = w.ranks"
    " AND s.block_bytes BETWEEN w.min_block_bytes AND w.max_block_bytes"
    " AND (s.algorithm = 'default' OR (s.library = w.library COLLATE \"C\""
    " AND s.algorithm = w.algorithm COLLATE \"C\"))";

// Returns the id.
absl::StatusOr<int64_t> InsertWithdrawal(Session& session, const domain::Withdrawal& withdrawal);

absl::StatusOr<std::vector<domain::Withdrawal>> ReadWithdrawals(Session& session,
                                                                absl::string_view machine,
                                                                int64_t limit);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_ROWS_WITHDRAWAL_ROWS_H_
