// The switches of Cray MPICH's collectives that published job logs show (MPICH_ENV_DISPLAY).
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "library/check_exports.h"
#include "library/formats.h"
#include "library/shell_exports.h"

namespace cox::library {
namespace {

// Variables that take a number; the others are switches.
constexpr absl::string_view kNumbers[] = {
    "MPICH_ALLREDUCE_MAX_SMP_SIZE",
    "MPICH_ALLREDUCE_BLK_SIZE",
    "MPICH_SCATTERV_SHORT_MSG",
    "MPICH_REDUCE_SCATTER_COMMUTATIVE_LONG_MSG_SIZE",
};
constexpr absl::string_view kSwitches[] = {"MPICH_SHARED_MEM_COLL_OPT", "MPICH_ALLREDUCE_NO_SMP",
                                           "MPICH_REDUCE_NO_SMP"};

template <size_t kSize>
bool IsOneOf(const absl::string_view (&names)[kSize], absl::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::string CheckOne(const ShellExport& setting) {
  const absl::string_view name = setting.name;
  if (absl::EndsWith(name, "_INTRA_ALGORITHM") ||
      absl::EndsWith(name, "COLL_SELECTION_TUNING_JSON_FILE")) {
    return "Cray MPICH documents no choice of algorithms, and reportedly ignores this variable of "
           "MPICH; remove it";
  }
  if (IsOneOf(kNumbers, name) && !DecimalNumber(setting.value).has_value()) {
    return absl::StrCat("is \"", setting.value, "\", must be a decimal number of bytes");
  }
  if (IsOneOf(kSwitches, name) && setting.value != "0" && setting.value != "1") {
    return absl::StrCat("is \"", setting.value, "\", must be 0 or 1");
  }
  if (!absl::StartsWith(name, "MPICH_") && !absl::StartsWith(name, "MPIR_CVAR_")) {
    return "Cray MPICH reads only variables that begin with MPICH_; correct the name or remove it";
  }
  return "";
}

}  // namespace

std::vector<std::string> CheckCrayMpich(absl::string_view text, const Assumptions& /*assume*/) {
  return CheckExports(ReadShellExports(text), CheckOne);
}

}  // namespace cox::library
