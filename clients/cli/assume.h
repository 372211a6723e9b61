// `--assume`: what somebody promises about every call of a job.
#ifndef COX_CLI_ASSUME_H_
#define COX_CLI_ASSUME_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "library/algorithm.h"

namespace cox::cli {

// "--assume commutative,elements>=ranks", repeatable; another word is a usage error.
CLI::Option* AddAssumeOption(CLI::App& app, std::vector<std::string>& words);

// Of words that the option has let pass.
library::Assumptions AssumptionsOf(const std::vector<std::string>& words);

}  // namespace cox::cli

#endif  // COX_CLI_ASSUME_H_
