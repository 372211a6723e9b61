// What a record must fulfil before it is worth a transaction, whichever engine stores it.
//
// Thread rule: pure. Failure rule: INVALID_ARGUMENT names the field and the rule.
#ifndef COX_STORE_CHECKS_H_
#define COX_STORE_CHECKS_H_

#include "absl/status/status.h"
#include "domain/drift.h"
#include "domain/withdrawal.h"
#include "store/records.h"

namespace cox::store {

// The name's form; counts >= 0; no pinned revision.
absl::Status CheckMachine(const MachineRecord& machine);

// Provenance; parameters with finite values, each once.
absl::Status CheckProfile(const ProfileRecord& profile);

// Names the first bad observation by its index.
absl::Status CheckBatch(const ObservationBatch& batch);

// Ids, level, bytes and factor in range.
absl::Status CheckDrift(const domain::Drift& drift);

// Counts, ids, bytes and factor in range.
absl::Status CheckWithdrawal(const domain::Withdrawal& withdrawal);

}  // namespace cox::store

#endif  // COX_STORE_CHECKS_H_
