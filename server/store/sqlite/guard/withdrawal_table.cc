#include "store/sqlite/guard/withdrawal_table.h"

#include <string>

#include "store/row_readers.h"
#include "store/sqlite/machine_table.h"

namespace cox::store {

absl::StatusOr<int64_t> InsertWithdrawal(Database& db, const domain::Withdrawal& withdrawal) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, withdrawal.machine);
  if (!machine_id.ok()) return machine_id.status();
  const domain::ComparedCalls& calls = withdrawal.evidence.calls;
  Query insert(db,
               "INSERT INTO withdrawal (machine_id, library, collective, algorithm, nodes, ppn,"
               " ranks, min_block_bytes, max_block_bytes, log_factor, pair_count, job_count,"
               " first_id, last_id, revision, create_time_us)"
               " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.Bind(*machine_id).Bind(absl::string_view(calls.library));
  insert.Bind(absl::string_view(calls.collective)).Bind(absl::string_view(calls.algorithm));
  insert.Bind(calls.nodes).Bind(calls.ppn).Bind(calls.ranks);
  insert.Bind(calls.min_block_bytes).Bind(calls.max_block_bytes);
  insert.Bind(withdrawal.evidence.log_factor).Bind(withdrawal.evidence.pair_count);
  insert.Bind(withdrawal.evidence.job_count).Bind(withdrawal.first_id).Bind(withdrawal.last_id);
  insert.Bind(withdrawal.revision).Bind(withdrawal.create_time_us);
  if (absl::Status status = insert.Run(); !status.ok()) return status;
  return db.LastInsertId();
}

absl::StatusOr<std::vector<domain::Withdrawal>> ReadWithdrawals(Database& db,
                                                                absl::string_view machine,
                                                                int64_t limit) {
  const absl::StatusOr<int64_t> machine_id = FindMachineId(db, machine);
  if (!machine_id.ok()) return machine_id.status();
  Query query(db,
              "SELECT withdrawal_id, library, collective, algorithm, nodes, ppn, ranks,"
              " min_block_bytes, max_block_bytes, log_factor, pair_count, job_count, first_id,"
              " last_id, revision, create_time_us FROM withdrawal WHERE machine_id = ?"
              " ORDER BY withdrawal_id DESC LIMIT ?");
  query.Bind(*machine_id).Bind(limit);
  std::vector<domain::Withdrawal> withdrawals;
  while (query.Next()) withdrawals.push_back(WithdrawalOf(query, machine));
  if (!query.status().ok()) return query.status();
  return withdrawals;
}

}  // namespace cox::store
