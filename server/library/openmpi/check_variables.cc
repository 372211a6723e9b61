// The variables that Open MPI's coll/tuned registers, and how it uses them (4.1.4: source and runs;
// 5.0: the same names).
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "domain/collective.h"
#include "domain/parse_collective.h"
#include "library/check_exports.h"
#include "library/formats.h"
#include "library/openmpi/values.h"
#include "library/shell_exports.h"
#include "strategy/scenario.h"

namespace cox::library {
namespace {

using domain::Collective;

constexpr absl::string_view kTuned = "OMPI_MCA_coll_tuned_";
constexpr absl::string_view kSwitch = "OMPI_MCA_coll_tuned_use_dynamic_rules";
constexpr absl::string_view kRulesFile = "OMPI_MCA_coll_tuned_dynamic_rules_filename";
constexpr absl::string_view kHanPriority = "OMPI_MCA_coll_han_priority";

// Registered, but never read.
constexpr absl::string_view kDead[] = {
    "alltoall_small_msg", "alltoall_intermediate_msg", "alltoall_large_msg",
    "alltoall_min_procs", "scatter_intermediate_msg",  "scatter_large_msg",
    "scatter_min_procs",  "init_tree_fanout",
};

// A suffix of coll_tuned_X_algorithm: its least sensible value, and the collectives that have it.
struct Knob {
  absl::string_view suffix;
  int64_t least;
  std::vector<Collective> collectives;  // empty: all with knobs
  bool is_read;
};
const std::vector<Knob>& Knobs() {
  static const auto* const kKnobs = new std::vector<Knob>{
      {"_segmentsize", 0, {}, true},
      {"_chain_fanout", 1, {}, true},
      {"_tree_fanout", 1, {}, false},
      {"_max_requests",
       0,
       {Collective::kAlltoall, Collective::kReduce, Collective::kScatter},
       true},
      {"_knomial_radix", 2, {Collective::kBcast}, true},
  };
  return *kKnobs;
}
constexpr Collective kWithoutKnobs[] = {Collective::kAlltoallv, Collective::kBarrier,
                                        Collective::kScan, Collective::kExscan};

constexpr absl::string_view kNoSuch = "no such variable: the library silently ignores it; ";

// Checks the text of one library.
class VariablesCheck {
 public:
  VariablesCheck(absl::string_view library, const Assumptions& assume)
      : library_(library), assume_(assume) {}

  std::vector<std::string> Run(absl::string_view text) {
    const ShellExports read = ReadShellExports(text);
    std::vector<std::string> findings =
        CheckExports(read, [this](const ShellExport& setting) { return CheckOne(setting); });
    if (needs_switch_ && !is_switched_on_) {
      findings.push_back(absl::StrCat(
          "without ", kSwitch, "=1 the library silently ignores everything else; export it"));
    }
    if (needs_switch_ && library_ == "openmpi-5.0" && !is_han_off_) {
      findings.push_back(
          absl::StrCat("on several nodes component han runs before tuned, and these "
                       "settings affect its parts only; export ",
                       kHanPriority, "=0"));
    }
    return findings;
  }

 private:
  std::string CheckOne(const ShellExport& setting) {
    absl::string_view name = setting.name;
    if (!absl::StartsWith(name, "OMPI_MCA_")) {
      return "Open MPI reads only variables that begin with OMPI_MCA_; correct the name or remove "
             "it";
    }
    if (name == kSwitch) {
      is_switched_on_ = IsOpenMpiSwitchOn(setting.value);
      return "";
    }
    if (name == kHanPriority) is_han_off_ = setting.value == "0";
    if (name == kRulesFile) {
      needs_switch_ = true;
      return absl::StartsWith(setting.value, "/")
                 ? ""
                 : "is searched in the working directory of each rank; without a file there are "
                   "silently no rules; write an absolute path";
    }
    if (!absl::ConsumePrefix(&name, kTuned) || name == "priority") return "";
    return CheckTuned(name, setting.value);
  }

  std::string CheckTuned(absl::string_view name, absl::string_view value) {
    if (std::find(std::begin(kDead), std::end(kDead), name) != std::end(kDead)) {
      return "is registered, but never read; remove it";
    }
    if (name == "init_chain_fanout") return CheckNumber(value, 1);
    const size_t at = name.rfind("_algorithm");
    if (at == absl::string_view::npos) return absl::StrCat(kNoSuch, "correct the name");
    const auto collective = domain::ParseCollective(name.substr(0, at));
    if (!collective.ok() || OpenMpiForcedNames(library_, *collective).empty()) {
      return absl::StrCat(kNoSuch, "coll/tuned has no algorithms for \"", name.substr(0, at), "\"");
    }
    const absl::string_view suffix = name.substr(at + absl::string_view("_algorithm").size());
    if (suffix == "_count")
      return "only tells the number of algorithms and cannot be set; remove it";
    return suffix.empty() ? CheckAlgorithm(*collective, value)
                          : CheckKnob(*collective, suffix, value);
  }

  std::string CheckAlgorithm(Collective collective, absl::string_view value) {
    if (value == "0" || value == "ignore") return "";
    needs_switch_ = true;
    if (IsOpenMpiOctal(value)) return CheckOctal(value);
    const Algorithm* row = FindOpenMpiForced(library_, collective, value);
    if (row == nullptr) {
      return absl::StrCat("\"", value,
                          "\" is not an algorithm of this collective; the job prints a ",
                          "warning and keeps its default. Known are ",
                          OpenMpiForcedNames(library_, collective), ", or their numbers from 1");
    }
    if ((row->needs & kTwoRanks) != 0) {
      return absl::StrCat(row->native_name,
                          " fails in communicators of more than two ranks; choose another");
    }
    if (!assume_.commutative && !row->safe_for_any_operation) {
      return absl::StrCat(row->native_name, " ", kWrongWithoutPromise);
    }
    return "";
  }

  static std::string CheckKnob(Collective collective, absl::string_view suffix,
                               absl::string_view value) {
    const auto knob = std::find_if(Knobs().begin(), Knobs().end(),
                                   [&](const Knob& other) { return other.suffix == suffix; });
    const bool has_knobs = std::find(std::begin(kWithoutKnobs), std::end(kWithoutKnobs),
                                     collective) == std::end(kWithoutKnobs);
    const bool has_it =
        has_knobs && knob != Knobs().end() &&
        (knob->collectives.empty() || std::find(knob->collectives.begin(), knob->collectives.end(),
                                                collective) != knob->collectives.end());
    if (!has_it) return absl::StrCat(kNoSuch, "remove it");
    if (!knob->is_read) return "is registered, but no algorithm reads it; remove it";
    return CheckNumber(value, knob->least);
  }

  static std::string CheckOctal(absl::string_view value) {
    return IsOpenMpiOctal(value)
               ? absl::StrCat("\"", value, "\" is octal with its leading 0; write it without")
               : "";
  }

  static std::string CheckNumber(absl::string_view value, int64_t least) {
    const std::optional<int64_t> number = OpenMpiNumber(value);
    if (!number.has_value() || *number < least) {
      return absl::StrCat("is \"", value, "\", must be a decimal number from ", least, " to ",
                          kOpenMpiMostNumber, "; k, m or g may follow");
    }
    return CheckOctal(value);
  }

  absl::string_view library_;
  const Assumptions& assume_;
  bool needs_switch_ = false;
  bool is_switched_on_ = false;
  bool is_han_off_ = false;
};

}  // namespace

std::vector<std::string> CheckOpenMpiVariables(absl::string_view text, const Assumptions& assume) {
  return VariablesCheck("openmpi-4.1", assume).Run(text);
}

std::vector<std::string> CheckOpenMpi50Variables(absl::string_view text,
                                                 const Assumptions& assume) {
  return VariablesCheck("openmpi-5.0", assume).Run(text);
}

}  // namespace cox::library
