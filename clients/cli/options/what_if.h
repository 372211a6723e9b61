// Changes of parameters as people write them. Pure, any thread.
#ifndef COX_CLI_OPTIONS_WHAT_IF_H_
#define COX_CLI_OPTIONS_WHAT_IF_H_

#include <cox/v1/advice.pb.h>

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/options/verb.h"

namespace cox::cli {

struct WhatIfOptions {
  std::vector<v1::WhatIf> changes;
  std::set<std::string> sizes;  // the parameters of changes whose value has a unit of size
};

// "c3.s*0.1" multiplies, "hockney.network.alpha=1us" sets. A value takes a unit of time (s, ms, us,
// ns, ps), of time per byte (the same with /B), or of size (B, k, KiB, M, MiB ...); without one it
// is in the parameter's SI unit. Sets `is_size` unless it is null. INVALID_ARGUMENT says what is
// wrong.
absl::StatusOr<v1::WhatIf> ParseWhatIf(absl::string_view text, bool* is_size = nullptr);

// "--what-if CHANGE", as often as wanted.
void AddWhatIfOption(Verb app, WhatIfOptions& options);

}  // namespace cox::cli

#endif  // COX_CLI_OPTIONS_WHAT_IF_H_
