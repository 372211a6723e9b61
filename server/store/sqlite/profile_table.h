// The rows of profiles and their parameters. Reads and writes on the given connection; no
// transaction of its own.
//
// Thread rule: the connection's. Failure rule: as store.h says for the methods of the same names.
#ifndef COX_STORE_SQLITE_PROFILE_TABLE_H_
#define COX_STORE_SQLITE_PROFILE_TABLE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records.h"
#include "store/sqlite/database.h"

namespace cox::store {

// Adds the profile as the newest revision; returns its number.
absl::StatusOr<int64_t> InsertProfile(Database& db, const ProfileRecord& profile,
                                      int64_t create_time_us);
absl::StatusOr<ProfileRecord> ReadProfile(Database& db, absl::string_view machine,
                                          int64_t revision);
absl::StatusOr<std::optional<ProfileRecord>> ReadStatedProfile(Database& db,
                                                               absl::string_view machine);
absl::StatusOr<std::vector<ProfileRecord>> ReadProfiles(Database& db, absl::string_view machine,
                                                        int64_t before, int64_t limit);
absl::Status SetPinnedRevision(Database& db, absl::string_view machine, int64_t revision);

}  // namespace cox::store

#endif  // COX_STORE_SQLITE_PROFILE_TABLE_H_
