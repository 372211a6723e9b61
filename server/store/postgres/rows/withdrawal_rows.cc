#include "store/postgres/rows/withdrawal_rows.h"

#include <string>

#include "store/postgres/connection/query.h"
#include "store/postgres/rows/machine_rows.h"
#include "store/row_readers.h"

namespace cox::store::postgres {

absl::StatusOr<int64_t> InsertWithdrawal(Session& session, const domain::Withdrawal& withdrawal) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(session, withdrawal.machine);
  if (!machine_id.ok()) return machine_id.status();
  const domain::ComparedCalls& calls = withdrawal.evidence.calls;
  Query insert(session,
               "INSERT INTO withdrawal (machine_id, library, collective, algorithm, nodes, ppn,"
               " ranks, min_block_bytes, max_block_bytes, log_factor, pair_count, job_count,"
               " first_id, last_id, revision, create_time_us) VALUES ($1, $2, $3, $4, $5, $6, $7,"
               " $8, $9, $10, $11, $12, $13, $14, $15, $16) RETURNING withdrawal_id");
  insert.Bind(*machine_id).Bind(absl::string_view(calls.library));
  insert.Bind(absl::string_view(calls.collective)).Bind(absl::string_view(calls.algorithm));
  insert.Bind(calls.nodes).Bind(calls.ppn).Bind(calls.ranks);
  insert.Bind(calls.min_block_bytes).Bind(calls.max_block_bytes);
  insert.Bind(withdrawal.evidence.log_factor).Bind(withdrawal.evidence.pair_count);
  insert.Bind(withdrawal.evidence.job_count).Bind(withdrawal.first_id).Bind(withdrawal.last_id);
  return insert.Bind(withdrawal.revision).Bind(withdrawal.create_time_us).Number();
}

absl::StatusOr<std::vector<domain::Withdrawal>> ReadWithdrawals(Session& session,
                                                                absl::string_view machine,
                                                                int64_t limit) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(session, machine);
  if (!machine_id.ok()) return machine_id.status();
  Query query(session,
              "SELECT withdrawal_id, library, collective, algorithm, nodes, ppn, ranks,"
              " min_block_bytes, max_block_bytes, log_factor, pair_count, job_count, first_id,"
              " last_id, revision, create_time_us FROM withdrawal WHERE machine_id = $1"
              " ORDER BY withdrawal_id DESC LIMIT $2");
  query.Bind(*machine_id).Bind(limit);
  std::vector<domain::Withdrawal> withdrawals;
  while (query.Next()) withdrawals.push_back(WithdrawalOf(query, machine));
  if (!query.status().ok()) return query.status();
  return withdrawals;
}

}  // namespace cox::store::postgres
