#include "cli/options/shared_options.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/resource_names.h"
#include "console/numbers.h"
#include "console/sizes.h"

namespace cox::cli {
namespace {

// Each is a question to coxd: a minute or so.
constexpr size_t kMostPoints = 100'000;

absl::Status MachineRule(const std::string& machine) { return CheckMachineName(machine); }

}  // namespace

Option AddSweep(Verb app, const std::string& names, std::vector<int64_t>& values, int64_t low,
                int64_t high, console::SweepOf of, const std::string& description) {
  return app
      .Parsed(
          names,
          [&values, low, high, of](const std::string& text) {
            absl::StatusOr<std::vector<int64_t>> parsed = console::ParseSweep(text, low, high, of);
            if (!parsed.ok()) return parsed.status();
            values = *std::move(parsed);
            return absl::OkStatus();
          },
          description)
      .Type("SWEEP");
}

Option AddMachineOption(Verb app, std::string& machine) {
  return app.Text("-m,--machine", machine, "The machine's name").Type("MACHINE").Check(MachineRule);
}

Option AddMachineArgument(Verb app, std::string& machine) {
  return app.Text("machine", machine, "The machine's name")
      .Type("MACHINE")
      .Required()
      .Check(MachineRule);
}

Option AddLibraryOption(Verb app, std::string& library) {
  return app.Text("--library", library, "The library, such as `openmpi-4.1` or `mpich-4.0`")
      .Type("LIBRARY");
}

Option AddRanksOption(Verb app, std::vector<int64_t>& ranks) {
  return AddSweep(app, "-p,--ranks", ranks, 1, console::kMaxCount, console::SweepOf::kCounts,
                  "Ranks: a number or a sweep (64 or 2..1024:*2)");
}

Option AddBytesOption(Verb app, std::vector<int64_t>& block_bytes) {
  return AddSweep(
      app, "-b,--bytes", block_bytes, 0, console::kMaxBytes, console::SweepOf::kBytes,
      "Bytes of a call, its count times the size of its datatype: 1024, 64k, 4MiB, or a sweep "
      "(1k..1M:*2, 1k..8k:+1k, 1,8,64)");
}

void AddNodeListOptions(Verb app, NodeLists count, NodeListOptions& nodes) {
  const bool is_one = count == NodeLists::kOne;
  const Option list =
      app.EachParsed(
             "--node-list",
             [&nodes, is_one](const std::string& text) {
               if (is_one && !nodes.lists.empty()) {
                 return absl::InvalidArgumentError("may be given once");
               }
               nodes.lists.push_back(text);
               return text.empty() ? absl::InvalidArgumentError("is empty") : absl::OkStatus();
             },
             absl::StrCat("The job's nodes as Slurm writes them, n[1-8,33-40]: prices the links "
                          "between their switches (cox machine switches)",
                          is_one ? "" : "; may be repeated, to compare"))
          .Type("LIST");
  app.Flag("--idle-switches", nodes.idle_switches,
           "No other job uses these switches (default: a job has its nodes' share of the up-links)")
      .Needs(list);
}

Option AddPlacementOption(Verb app, std::string& placement) {
  return app.Text("--placement", placement, "Order in which ranks fill the nodes (default block)")
      .OneOf({"block", "cyclic"});
}

v1::Placement PlacementOf(const std::string& placement) {
  if (placement == "block") return v1::PLACEMENT_BLOCK;
  if (placement == "cyclic") return v1::PLACEMENT_CYCLIC;
  return v1::PLACEMENT_UNSPECIFIED;
}

Option AddCount(Verb app, const std::string& names, int64_t& value, int64_t low, int64_t high,
                const std::string& description) {
  return app
      .Parsed(
          names,
          [&value, low, high](const std::string& text) {
            const absl::StatusOr<int64_t> parsed = console::ParseInteger(text, low, high);
            if (parsed.ok()) value = *parsed;
            return parsed.status();
          },
          description)
      .Type("N");
}

void AddScenarioOptions(Verb app, ScenarioOptions& scenario) {
  AddMachineOption(app, scenario.machine);
  app.Text("-c,--collective", scenario.collective, "The operation: alltoall, bcast, ...")
      .Type("COLLECTIVE");
  AddRanksOption(app, scenario.ranks);
  AddCount(app, "--ppn", scenario.ppn, 1, console::kMaxCount,
           "Ranks per node (default: as many as a node has cores)");
  AddBytesOption(app, scenario.block_bytes);
  AddCount(app, "--type-bytes", scenario.type_bytes, 1, console::kMaxCount,
           "Bytes of one element (default 4)");
}

absl::Status RequireScenario(ScenarioOptions& scenario) {
  if (scenario.machine.empty()) return MissingOption("-m,--machine");
  if (scenario.collective.empty()) return MissingOption("-c,--collective");
  if (scenario.ranks.empty()) return MissingOption("-p,--ranks");
  if (scenario.block_bytes.empty()) {
    if (scenario.collective != "barrier") return MissingOption("-b,--bytes");
    scenario.block_bytes = {0};
  }
  const size_t points = scenario.ranks.size() * scenario.block_bytes.size();
  if (points > kMostPoints) {
    return UsageError(absl::StrCat("--ranks and --bytes name ", points, " points, more than ",
                                   kMostPoints, ": take larger steps"));
  }
  return absl::OkStatus();
}

}  // namespace cox::cli
