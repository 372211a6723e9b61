#include "cli/options.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/resource_names.h"
#include "cli/sizes.h"
#include "console/numbers.h"

namespace cox::cli {
namespace {

// CLI11 turns a validator's text into a usage error that names the option.
std::string MachineRule(const std::string& machine) {
  const absl::Status status = CheckMachineName(machine);
  return status.ok() ? "" : std::string(status.message());
}

}  // namespace

CLI::Option* AddSweep(CLI::App& app, const std::string& names, std::vector<int64_t>& values,
                      int64_t low, int64_t high, const std::string& description) {
  return app
      .add_option_function<std::string>(
          names,
          [&values, names, low, high](const std::string& text) {
            absl::StatusOr<std::vector<int64_t>> parsed = ParseSweep(text, low, high);
            if (!parsed.ok()) {
              throw CLI::ValidationError(names, std::string(parsed.status().message()));
            }
            values = *std::move(parsed);
          },
          description)
      ->type_name("SWEEP");
}

CLI::Option* AddMachineOption(CLI::App& app, std::string& machine) {
  return app.add_option("-m,--machine", machine, "The machine's name")
      ->type_name("MACHINE")
      ->check(CLI::Validator(MachineRule, "", "machine"));
}

CLI::Option* AddMachineArgument(CLI::App& app, std::string& machine) {
  return app.add_option("machine", machine, "The machine's name")
      ->type_name("MACHINE")
      ->required()
      ->check(CLI::Validator(MachineRule, "", "machine"));
}

CLI::Option* AddLibraryOption(CLI::App& app, std::string& library) {
  return app.add_option("--library", library, "The library, as `openmpi-4.1` or `mpich-4.0`")
      ->type_name("LIBRARY");
}

CLI::Option* AddRanksOption(CLI::App& app, std::vector<int64_t>& ranks) {
  return AddSweep(app, "-p,--ranks", ranks, 1, console::kMaxCount,
                  "Ranks: a number or a sweep (64 or 2..1024:*2)");
}

CLI::Option* AddBytesOption(CLI::App& app, std::vector<int64_t>& block_bytes) {
  return AddSweep(app, "-b,--bytes", block_bytes, 0, console::kMaxBytes,
                  "Bytes of the call's count times its datatype size: 1024, 64k, 4MiB, or a sweep "
                  "(1k..1M:*2, 1k..8k:+1k, 1,8,64)");
}

CLI::Option* AddPlacementOption(CLI::App& app, std::string& placement) {
  return app.add_option("--placement", placement, "How ranks are dealt to nodes (default block)")
      ->check(CLI::IsMember({"block", "cyclic"}));
}

v1::Placement PlacementOf(const std::string& placement) {
  if (placement == "block") return v1::PLACEMENT_BLOCK;
  if (placement == "cyclic") return v1::PLACEMENT_CYCLIC;
  return v1::PLACEMENT_UNSPECIFIED;
}

CLI::Option* AddCount(CLI::App& app, const std::string& names, int64_t& value, int64_t low,
                      int64_t high, const std::string& description) {
  return app
      .add_option_function<std::string>(
          names,
          [&value, names, low, high](const std::string& text) {
            absl::StatusOr<int64_t> parsed = console::ParseInteger(text, low, high);
            if (!parsed.ok()) {
              throw CLI::ValidationError(names, std::string(parsed.status().message()));
            }
            value = *parsed;
          },
          description)
      ->type_name("N");
}

void AddScenarioOptions(CLI::App& app, ScenarioOptions& scenario) {
  AddMachineOption(app, scenario.machine);
  app.add_option("-c,--collective", scenario.collective, "The operation: alltoall, bcast, ...")
      ->type_name("COLLECTIVE");
  AddRanksOption(app, scenario.ranks);
  AddCount(app, "--ppn", scenario.ppn, 1, console::kMaxCount,
           "Ranks per node (default: as many as a node has cores)");
  AddBytesOption(app, scenario.block_bytes);
  AddCount(app, "--type-bytes", scenario.type_bytes, 1, console::kMaxCount,
           "Bytes of one element (default 4)");
}

void RequireScenario(ScenarioOptions& scenario) {
  if (scenario.machine.empty()) throw CLI::RequiredError("-m,--machine");
  if (scenario.collective.empty()) throw CLI::RequiredError("-c,--collective");
  if (scenario.ranks.empty()) throw CLI::RequiredError("-p,--ranks");
  if (scenario.block_bytes.empty()) {
    if (scenario.collective != "barrier") throw CLI::RequiredError("-b,--bytes");
    scenario.block_bytes = {0};
  }
}

}  // namespace cox::cli
