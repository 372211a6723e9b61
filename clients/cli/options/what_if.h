// Changes of parameters as people write them. Pure, any thread.
#ifndef COX_CLI_OPTIONS_WHAT_IF_H_
#define COX_CLI_OPTIONS_WHAT_IF_H_

#include <cox/v1/advice.pb.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "cli/options/verb.h"

namespace cox::cli {

struct WhatIfOptions {
  std::vector<v1::WhatIf> changes;
  // The unit of a parameter's value, if it was written with one: "s", "s/byte" or "byte".
  std::map<std::string, std::string> units;
};

// Adds "c3.s*0.1", which multiplies, or "hockney.network.alpha=1us", which sets. A value takes a
// unit of time (s, ms, us, ns, ps), of time per byte (the same with /B), or of size (B, k, KiB, M,
// MiB ...); without one it is in the parameter's SI unit. INVALID_ARGUMENT says what is wrong.
absl::Status AddWhatIf(absl::string_view text, WhatIfOptions& options);

// "--what-if CHANGE", as often as wanted.
void AddWhatIfOption(Verb app, WhatIfOptions& options);

}  // namespace cox::cli

#endif  // COX_CLI_OPTIONS_WHAT_IF_H_
