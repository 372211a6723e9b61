#include "cli/run/daemon_text.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "console/printable.h"
#include "domain/collective.h"
#include "domain/parse_collective.h"
#include "library/algorithms.h"
#include "library/shell_exports.h"
#include "library/tuning_format.h"

namespace cox::cli {
namespace {

using domain::Collective;

// What a variable may be set to.
enum class ValueRule {
  kZero,
  kOne,
  kNumber,           // decimal digits
  kAlgorithmNumber,  // of the collective that the name says
  kAlgorithmName,
  kChecked,  // left to the library's check, which reads the complete value
};

// A variable that a writer in server/library sets. With `of_each` a collective's name is between
// prefix and suffix.
struct WrittenVariable {
  absl::string_view library;
  absl::string_view prefix;
  bool of_each;  // collective
  absl::string_view suffix;
  ValueRule value;
};
constexpr WrittenVariable kWritten[] = {
    {"openmpi-4.1", "OMPI_MCA_coll_tuned_use_dynamic_rules", false, "", ValueRule::kOne},
    {"openmpi-4.1", "OMPI_MCA_coll_tuned_", true, "_algorithm", ValueRule::kAlgorithmNumber},
    {"openmpi-4.1", "OMPI_MCA_coll_tuned_", true, "_algorithm_segmentsize", ValueRule::kNumber},
    {"openmpi-4.1", "OMPI_MCA_coll_tuned_", true, "_algorithm_chain_fanout", ValueRule::kNumber},
    {"openmpi-5.0", "OMPI_MCA_coll_tuned_use_dynamic_rules", false, "", ValueRule::kOne},
    {"openmpi-5.0", "OMPI_MCA_coll_han_priority", false, "", ValueRule::kZero},
    {"openmpi-5.0", "OMPI_MCA_coll_tuned_", true, "_algorithm", ValueRule::kAlgorithmNumber},
    {"openmpi-5.0", "OMPI_MCA_coll_tuned_", true, "_algorithm_segmentsize", ValueRule::kNumber},
    {"openmpi-5.0", "OMPI_MCA_coll_tuned_", true, "_algorithm_chain_fanout", ValueRule::kNumber},
    {"mpich-4.0", "MPIR_CVAR_", true, "_INTRA_ALGORITHM", ValueRule::kAlgorithmName},
    {"mvapich-3.0", "MPIR_CVAR_", true, "_INTRA_ALGORITHM", ValueRule::kAlgorithmName},
    {"intelmpi-2019", "I_MPI_ADJUST_", true, "", ValueRule::kChecked},
    {"cray-mpich-8.1", "MPICH_", true, "_NO_SMP", ValueRule::kOne},
    {"ucc-1", "UCC_TL_UCP_TUNE", false, "", ValueRule::kChecked},
};

bool IsDecimal(absl::string_view text, int64_t* number) {
  return !text.empty() && text.find_first_not_of("0123456789") == absl::string_view::npos &&
         absl::SimpleAtoi(text, number);
}

bool Matches(const WrittenVariable& variable, Collective collective, absl::string_view value) {
  int64_t number = 0;
  switch (variable.value) {
    case ValueRule::kZero:
      return value == "0";
    case ValueRule::kOne:
      return value == "1";
    case ValueRule::kNumber:
      return IsDecimal(value, &number);
    case ValueRule::kAlgorithmNumber:
      return IsDecimal(value, &number) && number > 0 && number <= 1000 &&
             library::FindNativeAlgorithm(variable.library, collective, static_cast<int>(number)) !=
                 nullptr;
    case ValueRule::kAlgorithmName:
      return library::FindAlgorithm(variable.library, collective, value) != nullptr;
    case ValueRule::kChecked:
      return true;
  }
  return false;
}

bool Sets(const WrittenVariable& variable, absl::string_view name, absl::string_view value) {
  if (!absl::ConsumePrefix(&name, variable.prefix)) return false;
  if (!variable.of_each) return name.empty() && Matches(variable, Collective::kBarrier, value);
  if (!absl::ConsumeSuffix(&name, variable.suffix)) return false;
  const auto collective = domain::ParseCollective(absl::AsciiStrToLower(name));
  return collective.ok() && library::Lists(variable.library, *collective) &&
         Matches(variable, *collective, value);
}

// Terminals obey control characters. The only one that writers write is the line break.
bool IsPlainText(absl::string_view text) {
  std::string lines(text);
  std::replace(lines.begin(), lines.end(), '\n', ' ');
  return console::Printable(lines) == lines;
}

// For messages: a daemon's words, short and printable.
std::string Quoted(absl::string_view text) {
  constexpr size_t kShownBytes = 80;
  return console::Printable(text.substr(0, kShownBytes));
}

}  // namespace

bool IsWrittenSetting(absl::string_view library, absl::string_view name, absl::string_view value) {
  return std::any_of(std::begin(kWritten), std::end(kWritten),
                     [&](const WrittenVariable& variable) {
                       return variable.library == library && Sets(variable, name, value);
                     });
}

absl::Status CheckDaemonText(absl::string_view library, absl::string_view format,
                             absl::string_view text, const library::Assumptions& assume) {
  const auto refused = [](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("the daemon's tuning text is refused: ", why));
  };
  if (text.size() > kMaxTextBytes) return refused("it is larger than 1 MiB");
  if (!IsPlainText(text)) return refused("it has control characters");
  const auto form = library::FindTuningFormat(library, format);
  if (!form.ok()) return refused(form.status().message());
  if (!(*form)->is_file && (*form)->name == "env") {
    for (const library::ShellExport& setting : library::ReadShellExports(text).exports) {
      if (IsWrittenSetting(library, setting.name, setting.value)) continue;
      return refused(absl::StrCat("it sets ", Quoted(setting.name), "=", Quoted(setting.value),
                                  ", which no tuning of ", library, " does"));
    }
  }
  if ((*form)->check == nullptr) return absl::OkStatus();
  const std::vector<std::string> findings = (*form)->check(text, assume);
  return findings.empty() ? absl::OkStatus() : refused(Quoted(findings.front()));
}

}  // namespace cox::cli
