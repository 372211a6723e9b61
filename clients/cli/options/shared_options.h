// Options that several verbs share, with the same names, checks and descriptions.
#ifndef COX_CLI_OPTIONS_SHARED_OPTIONS_H_
#define COX_CLI_OPTIONS_SHARED_OPTIONS_H_

#include <cox/v1/advice.pb.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/options/verb.h"
#include "console/sizes.h"

namespace cox::cli {

// Both are options ("-m,--machine"); AddMachineArgument is the positional "M".
Option AddMachineOption(Verb app, std::string& machine);
Option AddMachineArgument(Verb app, std::string& machine);

// Adds "--library"; its value goes to `library`.
Option AddLibraryOption(Verb app, std::string& library);

// "-p", a sweep of rank counts; "-b", a sweep of sizes.
Option AddRanksOption(Verb app, std::vector<int64_t>& ranks);
Option AddBytesOption(Verb app, std::vector<int64_t>& block_bytes);

// "--placement block|cyclic", and what it means; PLACEMENT_UNSPECIFIED for "".
Option AddPlacementOption(Verb app, std::string& placement);
v1::Placement PlacementOf(const std::string& placement);

// "--node-list LIST", a host list as Slurm writes it; may be repeated if the verb compares several
// ones. "--idle-switches".
enum class NodeLists { kOne, kSeveral };
struct NodeListOptions {
  std::vector<std::string> lists;
  bool idle_switches = false;
};
void AddNodeListOptions(Verb app, NodeLists count, NodeListOptions& nodes);

// A sweep of integers within [low, high].
Option AddSweep(Verb app, const std::string& names, std::vector<int64_t>& values, int64_t low,
                int64_t high, console::SweepOf of, const std::string& description);

// An integer within [low, high], read strictly.
Option AddCount(Verb app, const std::string& names, int64_t& value, int64_t low, int64_t high,
                const std::string& description);

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
void AddScenarioOptions(Verb app, ScenarioOptions& scenario);
// A usage error names the first required option that is missing. A barrier needs no size: it gets
// 0.
absl::Status RequireScenario(ScenarioOptions& scenario);

}  // namespace cox::cli

#endif  // COX_CLI_OPTIONS_SHARED_OPTIONS_H_
