// Options that several verbs share, so that they are called, checked and described alike. A bad
// value is a usage error (CLI11 throws it through its own parser, and only there).
#ifndef COX_CLI_OPTIONS_H_
#define COX_CLI_OPTIONS_H_

#include <cox/v1/advice.pb.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace cox::cli {

// Both are options ("-m,--machine"); AddMachineArgument is the positional "M".
CLI::Option* AddMachineOption(CLI::App& app, std::string& machine);
CLI::Option* AddMachineArgument(CLI::App& app, std::string& machine);

CLI::Option* AddLibraryOption(CLI::App& app, std::string& library);

// "-p", a sweep of rank counts; "-b", a sweep of sizes.
CLI::Option* AddRanksOption(CLI::App& app, std::vector<int64_t>& ranks);
CLI::Option* AddBytesOption(CLI::App& app, std::vector<int64_t>& block_bytes);

// "--placement block|cyclic", and what it means; PLACEMENT_UNSPECIFIED for "".
CLI::Option* AddPlacementOption(CLI::App& app, std::string& placement);
v1::Placement PlacementOf(const std::string& placement);

// A sweep of integers within [low, high].
CLI::Option* AddSweep(CLI::App& app, const std::string& names, std::vector<int64_t>& values,
                      int64_t low, int64_t high, const std::string& description);

// An integer within [low, high], read strictly.
CLI::Option* AddCount(CLI::App& app, const std::string& names, int64_t& value, int64_t low,
                      int64_t high, const std::string& description);

// What a person asks about: the common part of predict and recommend.
struct ScenarioOptions {
  std::string machine;
  std::string collective;
  std::vector<int64_t> ranks;
  std::vector<int64_t> block_bytes;
  int64_t ppn = 0;
  int64_t type_bytes = 0;
};
// Adds -m, -c, -p, --ppn, -b, --type-bytes; which of them are required is the verb's business.
void AddScenarioOptions(CLI::App& app, ScenarioOptions& scenario);
// Throws a usage error naming the first required option that is missing. A barrier needs no size.
void RequireScenario(ScenarioOptions& scenario);

}  // namespace cox::cli

#endif  // COX_CLI_OPTIONS_H_
