#include "cli/run/run_settings.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/run/daemon_text.h"
#include "console/printable.h"
#include "domain/collective.h"
#include "domain/reports/machine_name.h"
#include "library/fingerprint.h"
#include "library/mpich/prefixes.h"
#include "library/run_time_number.h"
#include "library/shell_exports.h"
#include "strategy/scenario.h"

namespace cox::cli {
namespace {

constexpr char kPreload[] = "LD_PRELOAD";
constexpr char kAgentFile[] = "libcoxagent-";
constexpr char kCanary[] = "COX_CANARY";
constexpr char kAgentPrefix[] = "COX_";  // of what the agent reads
// Slurm's plugin sets it anew on each node, to a file that only this node has.
constexpr char kOfNode[] = "COX_JOB_CREDENTIAL";
constexpr char kMachine[] = "COX_MACHINE";
constexpr char kServer[] = "COX_SERVER";
constexpr char kServerUser[] = "COX_SERVER_USER";

// The names in kSetVariable whose values are still the hook's.
std::vector<std::string> SetBefore(const Environment& environment) {
  std::vector<std::string> names;
  for (const absl::string_view entry :
       absl::StrSplit(tuning::ValueOrEmpty(environment, kSetVariable), ',', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(entry, absl::MaxSplits(':', 1));
    const char* value = environment(parts.first.c_str());
    const bool is_changed =
        !parts.second.empty() && (value == nullptr || library::Fingerprint(value) != parts.second);
    if (!is_changed) names.push_back(parts.first);
  }
  return names;
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The other preloaded libraries: an earlier hook's agent may be the wrong one now.
std::vector<std::string> PreloadsWithoutAgent(const Environment& environment) {
  std::vector<std::string> kept;
  for (const absl::string_view path : absl::StrSplit(tuning::ValueOrEmpty(environment, kPreload),
                                                     absl::ByAnyChar(": "), absl::SkipEmpty())) {
    const absl::string_view file = path.substr(path.rfind('/') + 1);
    if (!absl::StartsWith(file, kAgentFile)) kept.emplace_back(path);
  }
  return kept;
}

// The names under which a library reads a variable. MPICH's official name silently overrides its
// aliases, so a user's alias counts as set by hand. MVAPICH's alias counts for MPICH too.
std::vector<std::string> NamesOf(const std::string& name) {
  std::vector<std::string> names = {name};
  absl::string_view stem = name;
  if (!absl::ConsumePrefix(&stem, library::kMpichPrefixes[0])) return names;
  for (const absl::string_view prefix : library::kMpichPrefixes) {
    if (prefix != library::kMpichPrefixes[0]) names.push_back(absl::StrCat(prefix, stem));
  }
  names.push_back(absl::StrCat(library::kMvapichPrefix, stem));
  return names;
}

// The lines `export NAME=value`, without comments.
absl::StatusOr<std::vector<Setting>> ParseExports(const std::string& library,
                                                  absl::string_view text) {
  const library::ShellExports read = library::ReadShellExports(text);
  if (!read.findings.empty()) {
    return absl::InvalidArgumentError("the daemon's text is not a list of settings");
  }
  std::vector<Setting> settings;
  for (const library::ShellExport& setting : read.exports) {
    if (!IsWrittenSetting(library, setting.name, setting.value)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the daemon wants to set ", console::Printable(setting.name.substr(0, 60))));
    }
    settings.emplace_back(setting.name, setting.value);
  }
  return settings;
}

}  // namespace

std::string MachineOfJob(const std::string& given, const Environment& environment,
                         const std::string& host) {
  if (!given.empty()) return given;
  if (std::string named = tuning::ValueOrEmpty(environment, "COX_MACHINE"); !named.empty()) {
    return named;
  }
  std::array<char, domain::kMachineNameSize> machine = {};
  domain::MachineFromCluster(tuning::ValueOrEmpty(environment, "SLURM_CLUSTER_NAME"),
                             machine.data(), machine.size());
  if (machine[0] == '\0') {
    domain::MachineFromHost(host.c_str(), machine.data(), machine.size());
  }
  return machine.data();
}

std::string WhereTimingsStay(const Environment& environment, uid_t user) {
  std::string file = tuning::ValueOrEmpty(environment, "COX_SPOOL");
  if (file.empty()) {
    std::string folder = tuning::ValueOrEmpty(environment, "TMPDIR");
    if (folder.empty()) folder = "/tmp";
    file = absl::StrCat(folder, "/coxswain-", user, "-JOB-NODE.csv");
  }
  return absl::StrCat("if coxd stays away, the agent leaves the timings in ", file,
                      " on each node; then run `cox observations import --from-jobs FILE`");
}

bool ChangesSomething(const v1::GetTuningResponse& answer) {
  return std::any_of(answer.rows().begin(), answer.rows().end(),
                     [](const v1::TuningRow& row) { return row.algorithm() != "default"; });
}

bool ReadsFile(const std::string& library, const LauncherWords& words, const JobShape& shape,
               const Environment& environment, bool is_seen_by_all) {
  if (absl::StartsWith(library, "openmpi-")) return true;
  if (library != "mpich-4.0" || is_seen_by_all) return library == "mpich-4.0";
  // A scheduler may use more nodes than the launcher's words say.
  constexpr const char* kSchedulers[] = {"SLURM_JOB_ID", "PBS_JOBID"};
  const bool scheduled =
      std::any_of(std::begin(kSchedulers), std::end(kSchedulers),
                  [&environment](const char* name) { return environment(name) != nullptr; });
  return words.kind == LauncherKind::kHydra && !words.hosts_named && shape.nodes == 1 && !scheduled;
}

absl::StatusOr<std::vector<Setting>> TuningSettings(const std::string& library,
                                                    const v1::GetTuningResponse& answer,
                                                    const std::string& text_file) {
  if (!ChangesSomething(answer)) return std::vector<Setting>();
  if (text_file.empty()) return ParseExports(library, answer.text());
  if (absl::StartsWith(library, "mpich-")) {
    return std::vector<Setting>{{"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", text_file}};
  }
  std::vector<Setting> settings = {{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"},
                                   {"OMPI_MCA_coll_tuned_dynamic_rules_filename", text_file}};
  // On several nodes component han comes before tuned, and no rule would match.
  if (library == "openmpi-5.0") settings.emplace_back("OMPI_MCA_coll_han_priority", "0");
  return settings;
}

absl::StatusOr<std::vector<Setting>> ApplySettings(const std::string& library,
                                                   const Applying& applying) {
  if (!library::TakesRunTimeNumbers(library)) {
    return absl::UnimplementedError(
        absl::StrCat("--mode apply cannot steer ", library, "; use --mode tune"));
  }
  std::vector<Setting> settings = {{"COX_APPLY", applying.with_coxcoll ? "ours" : "1"},
                                   {"COX_LIMIT", absl::StrCat(applying.limit_ms, "ms")}};
  if (!applying.promises.empty()) {
    settings.emplace_back("COX_ASSUME", absl::StrJoin(applying.promises, ","));
  }
  if (applying.explore_ratio > 0) {
    settings.emplace_back("COX_EXPLORE", absl::StrCat(applying.explore_ratio));
  }
  if (applying.canary_ratio > 0) {
    settings.emplace_back(kCanary, absl::StrCat(100 * applying.canary_ratio, "%"));
  }
  if (absl::StartsWith(library, "openmpi-")) {
    settings.emplace_back("OMPI_MCA_coll_tuned_use_dynamic_rules", "1");
  }
  return settings;
}

std::vector<Setting> SampleSettings(double explore_ratio, const Environment& environment) {
  constexpr double kPartForSamples = 0.5;
  constexpr char kSamples[] = "COX_SYNC";
  const bool by_hand =
      environment(kSamples) != nullptr && !Contains(SetBefore(environment), kSamples);
  if (!(explore_ratio > 0) || by_hand) return {};
  return {{kSamples, absl::StrCat(100 * kPartForSamples * explore_ratio, "%")}};
}

Setting CanaryJobSetting() { return {kCanary, "job"}; }

std::vector<Setting> ChoicesByFile(const std::string& library) {
  return {{absl::StartsWith(library, "openmpi-") ? "OMPI_MCA_coll_tuned_dynamic_rules_filename"
                                                 : "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
           ""}};
}

std::vector<Setting> SetByEarlierHook(const Environment& environment) {
  std::vector<Setting> kept;
  for (const std::string& name : SetBefore(environment)) {
    const char* value = environment(name.c_str());
    const bool is_of_agent = name == kMachine || name == kServer || name == kServerUser;
    if (value != nullptr && !is_of_agent) kept.emplace_back(name, value);
  }
  return kept;
}

std::string SetByHand(const std::vector<Setting>& settings, const Environment& environment) {
  const std::vector<std::string> before = SetBefore(environment);
  // A file of rules comes before what the user forces.
  const bool sets_rules = std::any_of(settings.begin(), settings.end(), [](const Setting& setting) {
    return absl::StartsWith(setting.first, "OMPI_MCA_coll_tuned_");
  });
  for (int i = 0; sets_rules && i < domain::kCollectiveCount; ++i) {
    std::string forced =
        absl::StrCat("OMPI_MCA_coll_tuned_",
                     domain::CollectiveName(static_cast<domain::Collective>(i)), "_algorithm");
    if (environment(forced.c_str()) != nullptr && !Contains(before, forced)) return forced;
  }
  for (const auto& [name, value] : settings) {
    for (const std::string& other : NamesOf(name)) {
      if (environment(other.c_str()) != nullptr && !Contains(before, other)) return other;
    }
  }
  return "";
}

std::string NamedByLauncher(const std::vector<Setting>& settings,
                            const std::vector<std::string>& command, const LauncherWords& words) {
  if (words.kind == LauncherKind::kNone) return "";
  for (size_t i = 1; i < std::min(words.program_at, command.size()); ++i) {
    for (const auto& [name, value] : settings) {
      const absl::string_view family = absl::StartsWith(name, "OMPI_MCA_")    ? "coll_tuned_"
                                       : absl::StartsWith(name, "MPIR_CVAR_") ? "MPIR_CVAR_"
                                                                              : "";
      if (!family.empty() && absl::StrContains(command[i], family)) {
        return command[i];
      }
    }
  }
  return "";
}

RunSettings Combine(const std::vector<Setting>& tuning, const std::string& agent,
                    const std::string& machine, const std::string& server,
                    const std::string& server_user, const Environment& environment) {
  RunSettings settings;
  settings.set = tuning;
  std::vector<std::string> preloads = PreloadsWithoutAgent(environment);
  const std::vector<std::string> before = SetBefore(environment);
  if (!agent.empty()) {
    for (const Setting& setting : {Setting(kMachine, machine), Setting(kServer, server),
                                   Setting(kServerUser, server_user)}) {
      if (setting.second.empty()) continue;
      // If the user has set it to this value, a later `cox run` must not unset it.
      const bool by_hand =
          tuning::ValueOrEmpty(environment, setting.first.c_str()) == setting.second &&
          !Contains(before, setting.first);
      if (!by_hand) settings.set.push_back(setting);
    }
    preloads.insert(preloads.begin(), agent);
    settings.with_agent = true;
  }
  std::vector<std::string> names;
  std::vector<std::string> entries;
  for (const auto& [name, value] : settings.set) {
    names.push_back(name);
    entries.push_back(absl::StrCat(name, ":", library::Fingerprint(value)));
  }
  for (const std::string& name : before) {
    if (!Contains(names, name)) settings.unset.push_back(name);
  }
  const std::string preload = absl::StrJoin(preloads, ":");
  if (preload.empty() && environment(kPreload) != nullptr) {
    settings.unset.emplace_back(kPreload);
  } else if (!preload.empty() && preload != tuning::ValueOrEmpty(environment, kPreload)) {
    settings.set.emplace_back(kPreload, preload);
  }
  if (!names.empty()) {
    settings.set.emplace_back(kSetVariable, absl::StrJoin(entries, ","));
  } else if (environment(kSetVariable) != nullptr) {
    settings.unset.emplace_back(kSetVariable);
  }
  return settings;
}

std::vector<std::string> WithForwarding(std::vector<std::string> command,
                                        const LauncherWords& words, const RunSettings& settings,
                                        const std::map<std::string, std::string>& environment) {
  if (words.kind != LauncherKind::kOpenMpi) return command;
  std::vector<std::string> wanted;
  for (const auto& [name, value] : settings.set) {
    if (!absl::StartsWith(name, "OMPI_MCA_")) wanted.push_back(name);
  }
  // `settings` lacks what the user has set himself, even to the same value.
  for (const auto& [name, value] : environment) {
    const bool concerns_agent =
        (absl::StartsWith(name, kAgentPrefix) && name != kOfNode) || name == kPreload;
    if (settings.with_agent && concerns_agent && !Contains(wanted, name) &&
        !Contains(settings.unset, name)) {
      wanted.push_back(name);
    }
  }
  std::vector<std::string> forwarding;
  for (const std::string& name : wanted) {
    // The user's own -x stays.
    const bool named = std::any_of(command.begin(), command.end(), [&](const std::string& word) {
      return word == name || absl::StartsWith(word, absl::StrCat(name, "="));
    });
    if (named) continue;
    forwarding.emplace_back("-x");
    forwarding.push_back(name);
  }
  command.insert(command.begin() + 1, forwarding.begin(), forwarding.end());
  return command;
}

}  // namespace cox::cli
