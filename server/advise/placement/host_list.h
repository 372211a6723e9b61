// Host lists as Slurm writes them: "n[1-8,33-40],login". Pure functions, any thread.
#ifndef COX_ADVISE_PLACEMENT_HOST_LIST_H_
#define COX_ADVISE_PLACEMENT_HOST_LIST_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::advise {

inline constexpr size_t kMaxHosts = 100'000;

// The hosts of a list, in its order: "r[0-1]n[08-10]" is r0n08, r0n09, r0n10, r1n08, ... A range
// keeps the leading zeros of its first number. INVALID_ARGUMENT (field `field`) for a list that is
// empty or malformed, a range that falls, or more than kMaxHosts hosts. Does not look for repeated
// hosts. O(n) for n hosts.
absl::StatusOr<std::vector<std::string>> ExpandHostList(absl::string_view text,
                                                        absl::string_view field);

}  // namespace cox::advise

#endif  // COX_ADVISE_PLACEMENT_HOST_LIST_H_
