// `cox tune --check`: reads a tuning text as its library does. Needs no daemon. Any thread.
#ifndef COX_CLI_RUN_CHECK_TUNING_H_
#define COX_CLI_RUN_CHECK_TUNING_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/session.h"
#include "library/algorithm.h"

namespace cox::cli {

struct TuningCheck {
  std::string file;  // "-": the standard input
  std::string library;
  std::string format;  // empty: the library's first file format, or its first
  library::Assumptions assume;
};

// Prints a line for each finding, at most kMaxFindings and then how many there are; as JSON all of
// them, with library and format. INVALID_ARGUMENT when there is a finding, and for an unknown
// format and a file that is empty, too large, not text, or of another format. NOT_FOUND for a
// missing file and an unknown library.
absl::Status CheckTuning(Session& session, const TuningCheck& check);

inline constexpr size_t kMaxFindings = 20;

// The names of all tuning formats, and "file".
std::vector<std::string> TuningFormatNames();

}  // namespace cox::cli

#endif  // COX_CLI_RUN_CHECK_TUNING_H_
