// The rows of profiles and their parameters. No transaction of its own.
//
// Thread rule: the session's. Failure rule: as store.h says for the methods of the same names.
#ifndef COX_STORE_POSTGRES_ROWS_PROFILE_ROWS_H_
#define COX_STORE_POSTGRES_ROWS_PROFILE_ROWS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/postgres/connection/session.h"
#include "store/records.h"

namespace cox::store::postgres {

// Adds the profile as the newest revision; returns its number.
absl::StatusOr<int64_t> InsertProfile(Session& session, const ProfileRecord& profile,
                                      int64_t create_time_us);
absl::StatusOr<ProfileRecord> ReadProfile(Session& session, absl::string_view machine,
                                          int64_t revision);
absl::StatusOr<std::optional<ProfileRecord>> ReadStatedProfile(Session& session,
                                                               absl::string_view machine);
absl::StatusOr<std::vector<ProfileRecord>> ReadProfiles(Session& session, absl::string_view machine,
                                                        int64_t before, int64_t limit);
absl::Status SetPinnedRevision(Session& session, absl::string_view machine, int64_t revision);

}  // namespace cox::store::postgres

#endif  // COX_STORE_POSTGRES_ROWS_PROFILE_ROWS_H_
