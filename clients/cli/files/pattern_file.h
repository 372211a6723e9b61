// Reads a file of messages into requests of the API. Does not talk to the daemon. Any thread.
#ifndef COX_CLI_FILES_PATTERN_FILE_H_
#define COX_CLI_FILES_PATTERN_FILE_H_

#include <cox/v1/advice.pb.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace cox::cli {

// What the daemon takes of one pattern.
inline constexpr int64_t kMaxPatternRows = 4'000'000;

// The ranks of a pattern are below this: the daemon's bound.
inline constexpr int64_t kMaxPatternRanks = int64_t{1} << 24;

// Appends the messages of a CSV file with the columns src, dst, bytes, as requests that are small
// enough to send. All ranks must be below `ranks`. A note about columns that are not used, or "".
// NOT_FOUND where there is no such file; INVALID_ARGUMENT (FILE:LINE:COLUMN: rule) for a bad row;
// more than kMaxPatternRows rows.
absl::StatusOr<std::string> ReadPatternFile(const std::string& path, int64_t ranks,
                                            std::vector<v1::EvaluatePatternRequest>* requests);

}  // namespace cox::cli

#endif  // COX_CLI_FILES_PATTERN_FILE_H_
