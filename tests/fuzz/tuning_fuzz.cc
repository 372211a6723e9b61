// Tuning texts. The first byte chooses the library and format. The library's checker reads any
// text; a client takes a daemon's text only if it has no variable that loads code or stops a job.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "cli/run/daemon_text.h"
#include "expect.h"
#include "library/tuning_format.h"

using cox::fuzz::Expect;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const auto formats = cox::library::TuningFormats();
  const cox::library::TuningFormat& format = formats[data[0] % formats.size()];
  const cox::library::Assumptions assume = {.commutative = (data[1] & 1) != 0,
                                            .elements_at_least_ranks = (data[1] & 2) != 0,
                                            .same_counts = (data[1] & 4) != 0};
  const absl::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const bool is_sound = format.check == nullptr || format.check(text, assume).empty();
  const absl::Status taken = cox::cli::CheckDaemonText(format.library, format.name, text, assume);
  if (!taken.ok()) return 0;
  Expect(is_sound, "a client takes what the checker refuses");
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    for (const char c : line)
      Expect(!absl::ascii_iscntrl(static_cast<unsigned char>(c)) || c == '\t',
             "a control character");
    if (format.is_file || !absl::StartsWith(line, "export ")) continue;
    for (const absl::string_view evil :
         {"export LD_", "export PATH", "component_path", "DEBUG_HOLD", "$(", "`"}) {
      Expect(!absl::StrContains(line, evil), "a variable that can do harm");
    }
  }
  return 0;
}
