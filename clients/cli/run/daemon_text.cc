#include "cli/run/daemon_text.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "console/printable.h"
#include "domain/collective.h"
#include "domain/parse_collective.h"
#include "library/algorithms.h"
#include "library/mpich/prefixes.h"
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

// The variables that name a file of choices.
constexpr absl::string_view kFileVariables[] = {"OMPI_MCA_coll_tuned_dynamic_rules_filename",
                                                "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"};

// The collective in the name, which is any for a variable of all; none where `name` is another's.
std::optional<Collective> CollectiveIn(const WrittenVariable& variable, absl::string_view name) {
  if (!absl::ConsumePrefix(&name, variable.prefix)) return std::nullopt;
  if (!variable.of_each) {
    return name.empty() ? std::optional(Collective::kBarrier) : std::nullopt;
  }
  if (!absl::ConsumeSuffix(&name, variable.suffix)) return std::nullopt;
  const auto collective = domain::ParseCollective(absl::AsciiStrToLower(name));
  if (!collective.ok() || !library::Lists(variable.library, *collective)) return std::nullopt;
  return *collective;
}

bool Sets(const WrittenVariable& variable, absl::string_view name, absl::string_view value) {
  const std::optional<Collective> collective = CollectiveIn(variable, name);
  return collective.has_value() && Matches(variable, *collective, value);
}

bool IsOfOpenMpi(absl::string_view library) {
  return absl::StartsWith(library, "openmpi-") || absl::StartsWith(library, "ucc-");
}

// MPICH's own name of a variable; another library's as it is.
std::string OfficialName(absl::string_view name) {
  const absl::string_view official = library::kMpichPrefixes[0];
  absl::string_view stem = name;
  if (absl::ConsumePrefix(&stem, library::kMvapichPrefix)) return absl::StrCat(official, stem);
  for (const absl::string_view prefix : library::kMpichPrefixes) {
    if (absl::ConsumePrefix(&stem, prefix)) return absl::StrCat(official, stem);
  }
  return std::string(name);
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

bool SetsAlgorithms(absl::string_view mpi, absl::string_view name) {
  const bool is_open_mpi = mpi == "openmpi";
  const std::string official = is_open_mpi ? std::string(name) : OfficialName(name);
  const bool names_file = std::find(std::begin(kFileVariables), std::end(kFileVariables),
                                    official) != std::end(kFileVariables);
  if (names_file && absl::StartsWith(official, "OMPI_") == is_open_mpi) return true;
  return std::any_of(std::begin(kWritten), std::end(kWritten),
                     [&](const WrittenVariable& variable) {
                       return IsOfOpenMpi(variable.library) == is_open_mpi &&
                              (CollectiveIn(variable, name).has_value() ||
                               CollectiveIn(variable, official).has_value());
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
