// The control variables of MPICH 4.0 that steer collectives, and those that no longer do (4.0.2:
// source and runs; MVAPICH 3.0: its user guide).
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "domain/parse_collective.h"
#include "library/algorithms.h"
#include "library/check_exports.h"
#include "library/formats.h"
#include "library/mpich/prefixes.h"
#include "library/shell_exports.h"
#include "strategy/scenario.h"

namespace cox::library {
namespace {

// A library of MPICH's family: the prefix of its variables besides MPICH's ("": none), and the
// prefix of its own names.
struct Family {
  absl::string_view library;
  absl::string_view own_prefix;
  absl::string_view own_names[3];
};
constexpr Family kMpich = {"mpich-4.0", "", {"", "", ""}};
constexpr Family kMvapich = {"mvapich-3.0", kMvapichPrefix, {"osu_", "recexch", "k_dissemination"}};

// Still registered, but a tree with its own constants chooses blocking collectives.
constexpr absl::string_view kOldThresholds[] = {
    "BCAST_SHORT_MSG_SIZE",     "BCAST_LONG_MSG_SIZE",      "ALLTOALL_SHORT_MSG_SIZE",
    "ALLTOALL_MEDIUM_MSG_SIZE", "ALLGATHER_SHORT_MSG_SIZE", "ALLGATHER_LONG_MSG_SIZE",
    "REDUCE_SHORT_MSG_SIZE",    "ALLREDUCE_SHORT_MSG_SIZE",
};

constexpr absl::string_view kFallbacks[] = {"silent", "print", "error"};

bool IsOwnName(const Family& family, absl::string_view value) {
  return std::any_of(
      std::begin(family.own_names), std::end(family.own_names),
      [&](absl::string_view own) { return !own.empty() && absl::StartsWith(value, own); });
}

// `stem`: "ALLTOALL" of ALLTOALL_INTRA_ALGORITHM.
std::string CheckAlgorithm(const Family& family, absl::string_view stem, absl::string_view value) {
  const auto collective = domain::ParseCollective(absl::AsciiStrToLower(stem));
  if (!collective.ok()) {
    // Nonblocking and neighbourhood collectives also have such variables. Their names are not known
    // here.
    const bool has_one = absl::StartsWith(stem, "I") || absl::StartsWith(stem, "NEIGHBOR_") ||
                         absl::EndsWith(stem, "_POSIX");
    return has_one ? ""
                   : absl::StrCat("no such variable: the library silently ignores it: \"", stem,
                                  "\" is not a collective; correct the name");
  }
  if (value == "auto" || IsOwnName(family, value)) return "";
  const Algorithm* row = FindAlgorithm(family.library, *collective, value);
  if (row == nullptr) {
    return absl::StrCat("\"", value, "\" is unknown and makes MPI_Init abort; write auto, ",
                        AlgorithmNames(family.library, *collective));
  }
  if ((row->needs & kAbortsElsewhere) != 0) {
    return absl::StrCat(value, " aborts jobs in communicators that it is not for (it needs ",
                        DescribeNeeds(row->needs & ~kAbortsElsewhere), "); choose another");
  }
  if ((row->needs & kInPlace) != 0) {
    return absl::StrCat(value,
                        " is used for MPI_IN_PLACE only; other calls silently get the "
                        "automatic choice; choose another");
  }
  return "";
}

std::string CheckOne(const Family& family, const ShellExport& setting) {
  absl::string_view name = setting.name;
  const bool is_known =
      (!family.own_prefix.empty() && absl::ConsumePrefix(&name, family.own_prefix)) ||
      std::any_of(std::begin(kMpichPrefixes), std::end(kMpichPrefixes),
                  [&](absl::string_view prefix) { return absl::ConsumePrefix(&name, prefix); });
  if (!is_known) {
    return absl::StrCat("the library does not read it, its variables begin with ",
                        kMpichPrefixes[0], "; correct the name or remove it");
  }
  if (std::find(std::begin(kOldThresholds), std::end(kOldThresholds), name) !=
      std::end(kOldThresholds)) {
    return "no longer steers the choice of blocking collectives; force an algorithm with "
           "..._INTRA_ALGORITHM, or write a selection file";
  }
  if (absl::ConsumeSuffix(&name, "_INTRA_ALGORITHM")) {
    return CheckAlgorithm(family, name, setting.value);
  }
  if (name == "COLLECTIVE_FALLBACK" && std::find(std::begin(kFallbacks), std::end(kFallbacks),
                                                 setting.value) == std::end(kFallbacks)) {
    return absl::StrCat("\"", setting.value,
                        "\" makes MPI_Init abort; write silent, print or error");
  }
  if (name == "ALLTOALL_THROTTLE" && !DecimalNumber(setting.value).has_value()) {
    return absl::StrCat("is \"", setting.value, "\", must be a decimal number from 0 on");
  }
  return "";
}

std::vector<std::string> Check(const Family& family, absl::string_view text) {
  return CheckExports(ReadShellExports(text),
                      [&](const ShellExport& setting) { return CheckOne(family, setting); });
}

}  // namespace

// MPICH does not use an algorithm for an operation that it does not fit, so it needs no promise.
std::vector<std::string> CheckMpichVariables(absl::string_view text,
                                             const Assumptions& /*assume*/) {
  return Check(kMpich, text);
}

std::vector<std::string> CheckMvapichVariables(absl::string_view text,
                                               const Assumptions& /*assume*/) {
  return Check(kMvapich, text);
}

}  // namespace cox::library
