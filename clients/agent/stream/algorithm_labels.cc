#include "agent/stream/algorithm_labels.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "agent/timing/collectives.h"
#include "domain/collective.h"
#include "domain/parse_collective.h"
#include "library/algorithms.h"
#include "library/mpich/prefixes.h"
#include "library/mpich/split.h"
#include "library/openmpi/rules.h"
#include "library/openmpi/values.h"
#include "library/run_time_number.h"

namespace cox::agent {
namespace {

constexpr char kDefault[] = "default";
constexpr char kSelectionFile[] = "selection_file";

strategy::Scenario ScenarioOf(const Call& call, domain::Collective collective) {
  strategy::Scenario scenario;
  scenario.collective = collective;
  scenario.ranks = call.ranks;
  scenario.ppn = call.ppn;
  scenario.block_bytes = call.block_bytes;
  scenario.type_bytes = call.type_bytes;
  return scenario;
}

// The file's text; a relative path starts at `directory`. Empty when there is no regular file (a
// pipe could hang), or it is larger than any tuning file.
std::string ReadText(const std::string& path, const std::string& directory) {
  constexpr std::streamsize kMaxBytes = 1 << 20;
  const bool is_relative = path.front() != '/' && !directory.empty();
  const std::string whole = is_relative ? directory + "/" + path : path;
  std::error_code error;
  if (!std::filesystem::is_regular_file(whole, error)) return "";
  std::ifstream file(whole, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  file.read(text.data(), kMaxBytes + 1);
  text.resize(static_cast<size_t>(file.gcount()));
  return file.gcount() > kMaxBytes ? "" : text;
}

// The label of an algorithm that a number or name asks for: the algorithm that really runs.
std::string LabelOf(const std::string& library, const std::string& asked, const Call& call) {
  const auto collective = domain::ParseCollective(domain::kCollectiveNames[call.collective]);
  if (!collective.ok() || !library::Lists(library, *collective)) return asked;
  const library::Algorithm* row = library.starts_with("openmpi-")
                                      ? library::FindOpenMpiForced(library, *collective, asked)
                                      : library::FindAlgorithm(library, *collective, asked);
  // The library ignores unknown values.
  if (row == nullptr) return kDefault;
  const library::Algorithm* running =
      library::Effective(*row, ScenarioOf(call, *collective), library::kUsualCalls);
  return running != nullptr ? std::string(running->native_name) : kDefault;
}

// The label of a number that the agent selected. It selects no number without a row.
std::string LabelOfNumber(const std::string& library, const Call& call) {
  const auto collective = domain::ParseCollective(domain::kCollectiveNames[call.collective]);
  if (!collective.ok()) return kDefault;
  const library::Algorithm* row = library::FindRunTimeNumber(library, *collective, call.number);
  if (row != nullptr && RunsCoxcoll(call.number)) return std::string(row->native_name);
  return row != nullptr ? LabelOf(library, std::string(row->native_name), call) : kDefault;
}

class DefaultLabels : public AlgorithmLabels {
 public:
  std::string Of(const Call& /*call*/) const override { return kDefault; }
};

// The collective's id in a rules file.
int64_t IdOf(int32_t collective) {
  return library::OpenMpiCollectiveId(domain::kCollectiveNames[collective]);
}

bool KnowsRules(int32_t collective) {
  return library::OpenMpiRuleSizeOf(IdOf(collective)) != library::OpenMpiRuleSize::kNever;
}

int64_t RuleBytes(const Call& call) {
  constexpr double kMost = 0x1p62;
  const double bytes = library::OpenMpiMessageBytes(IdOf(call.collective), call.ranks,
                                                    call.block_bytes, call.type_bytes);
  return static_cast<int64_t>(bytes < kMost ? bytes : kMost);
}

// coll_tuned reads these settings only with its master switch on, and only if the choice of
// components includes it. A rule comes first, then a forced algorithm, then the library's default.
class OpenMpiLabels : public AlgorithmLabels {
 public:
  OpenMpiLabels(std::string library, const std::string& directory, const McaParameters& parameters)
      : library_(std::move(library)) {
    if (!parameters.IsOn("coll_tuned_use_dynamic_rules") || !Includes(parameters.Get("coll")))
      return;
    for (int32_t i = 0; i < domain::kCollectiveCount; ++i) {
      if (!KnowsRules(i)) continue;
      const std::string name = domain::kCollectiveNames[i];
      forced_[static_cast<size_t>(i)] = parameters.Get("coll_tuned_" + name + "_algorithm");
    }
    const std::string path = parameters.Get("coll_tuned_dynamic_rules_filename");
    if (path.empty()) return;
    const auto versions = library_ == "openmpi-5.0" ? library::RuleFileVersions::kBoth
                                                    : library::RuleFileVersions::kFirstOnly;
    auto rules = library::ParseOpenMpiRules(ReadText(path, directory), versions);
    // The library silently ignores a whole file that has an error.
    if (rules.ok()) rules_ = *std::move(rules);
  }

  std::string Of(const Call& call) const override {
    // Another component serves communicators of one rank.
    if (call.ranks < 2) return kDefault;
    if (call.number != 0) return LabelOfNumber(library_, call);
    if (!KnowsRules(call.collective)) return kDefault;
    if (rules_) {
      if (const auto rule = rules_->Find(IdOf(call.collective), call.ranks, RuleBytes(call))) {
        return LabelOf(library_, std::to_string(rule->algorithm), call);
      }
    }
    const std::string& forced = forced_[static_cast<size_t>(call.collective)];
    if (forced.empty() || forced == "0" || forced == "ignore") return kDefault;
    return LabelOf(library_, forced, call);
  }

 private:
  // Whether a selection of components ("basic,tuned", "^tuned") has coll/tuned in it.
  static bool Includes(const std::string& selection) {
    if (selection.empty()) return true;
    const bool excludes = selection.front() == '^';
    const std::string list = "," + selection.substr(excludes ? 1 : 0) + ",";
    return (list.find(",tuned,") == std::string::npos) == excludes;
  }

  const std::string library_;
  std::array<std::string, domain::kCollectiveCount> forced_;
  std::optional<library::OpenMpiRules> rules_;
};

// MPICH has one variable per collective, under three names. If none of them forces an algorithm, a
// selection file decides.
class MpichLabels : public AlgorithmLabels {
 public:
  MpichLabels(std::string library, const std::string& directory, const Environment& environment)
      : library_(std::move(library)) {
    for (int i = 0; i < domain::kCollectiveCount; ++i) {
      std::string stem;
      for (const char* c = domain::kCollectiveNames[i]; *c != '\0'; ++c) {
        stem += *c >= 'a' && *c <= 'z' ? static_cast<char>(*c - 'a' + 'A') : *c;
      }
      const std::string forced = Get(environment, stem + "_INTRA_ALGORITHM");
      forced_[static_cast<size_t>(i)] = forced != "auto" ? forced : "";
    }
    const std::string path = Get(environment, "COLL_SELECTION_TUNING_JSON_FILE");
    has_file_ = !path.empty();
    if (!has_file_) return;
    auto tree = library::ParseMpichTree(ReadText(path, directory));
    if (tree.ok()) tree_ = *std::move(tree);
  }

  std::string Of(const Call& call) const override {
    if (call.ranks < 2) return kDefault;
    if (call.number != 0) return LabelOfNumber(library_, call);
    const auto collective = static_cast<size_t>(call.collective);
    if (!forced_[collective].empty()) return LabelOf(library_, forced_[collective], call);
    return has_file_ ? UnderFile(call) : kDefault;
  }

 private:
  static std::string Get(const Environment& environment, const std::string& name) {
    for (const absl::string_view prefix : library::kMpichPrefixes) {
      const char* value = environment((std::string(prefix) + name).c_str());
      if (value != nullptr && *value != '\0') return value;
    }
    return "";
  }

  // The file's choice. A call that the file splits differently has no other name than the file's.
  std::string UnderFile(const Call& call) const {
    const auto collective = domain::ParseCollective(domain::kCollectiveNames[call.collective]);
    if (!collective.ok()) return kSelectionFile;
    const auto name =
        library::MpichNameUnder(tree_, ScenarioOf(call, *collective), library::kUsualCalls);
    return name.has_value() ? std::string(*name) : kSelectionFile;
  }

  const std::string library_;
  std::array<std::string, domain::kCollectiveCount> forced_;
  bool has_file_ = false;
  library::MpichTree tree_;  // empty when the file cannot be read
};

}  // namespace

bool RunsCoxcoll(int32_t number) { return number > library::kMostRunTimeNumber; }

std::unique_ptr<AlgorithmLabels> ReadAlgorithmLabels(const std::string& library,
                                                     const std::string& directory,
                                                     const Environment& environment) {
  if (library.starts_with("openmpi-")) {
    return std::make_unique<OpenMpiLabels>(library, directory, McaParameters(environment));
  }
  if (library.starts_with("mpich-")) {
    return std::make_unique<MpichLabels>(library, directory, environment);
  }
  return std::make_unique<DefaultLabels>();
}

}  // namespace cox::agent
