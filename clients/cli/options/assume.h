// `--assume`: what somebody promises about every call of a job.
#ifndef COX_CLI_OPTIONS_ASSUME_H_
#define COX_CLI_OPTIONS_ASSUME_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/options/verb.h"
#include "library/algorithm.h"

namespace cox::cli {

// "--assume commutative,elements>=ranks,same-counts,any-order", repeatable; another word is a usage
// error.
Option AddAssumeOption(Verb app, std::vector<std::string>& words);

// The promises of a text like the option's. INVALID_ARGUMENT for another word.
absl::StatusOr<std::vector<std::string>> ParseAssumptions(absl::string_view text);

// Of words that the option has let pass. "any-order" is the agent's business.
library::Assumptions AssumptionsOf(const std::vector<std::string>& words);

}  // namespace cox::cli

#endif  // COX_CLI_OPTIONS_ASSUME_H_
