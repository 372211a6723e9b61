#include "cli/run/tuning_guess.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "domain/coxcoll_decisions.h"

namespace cox::cli {
namespace {

struct Kind {
  absl::string_view library;
  absl::string_view format;
  absl::string_view description;
};

constexpr absl::string_view kVariablesFormat = "env";

struct Family {
  absl::string_view prefix;  // of the library's variables
  absl::string_view library;
};
// Longer prefixes first.
constexpr Family kFamilies[] = {{"OMPI_MCA_", "openmpi-4.1"}, {"MPIR_CVAR_", "mpich-4.0"},
                                {"MVP_", "mvapich-3.0"},      {"I_MPI_", "intelmpi-2019"},
                                {"MPICH_", "cray-mpich-8.1"}, {"UCC_", "ucc-1"}};

// The first line that is no comment.
absl::string_view FirstLine(absl::string_view text) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!line.empty() && line[0] != '#' && !absl::StartsWith(line, "//")) return line;
  }
  return "";
}

bool IsNumbers(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
  return std::all_of(line.begin(), line.end(), [](unsigned char c) {
    return absl::ascii_isdigit(c) || absl::ascii_isspace(c);
  });
}

// The format is empty where the line could be anything.
Kind KindOf(absl::string_view line) {
  constexpr std::ptrdiff_t kFewestCommas = 7;
  if (line.empty()) return {};
  if (line[0] == '{') return {"mpich-4.0", "json", "a selection file of MPICH (JSON)"};
  if (IsNumbers(line)) return {"openmpi-4.1", "rules", "a dynamic rules file of Open MPI"};
  absl::string_view name = line;
  if (absl::ConsumePrefix(&name, "export ") || absl::StrContains(name, "=")) {
    name = absl::StripLeadingAsciiWhitespace(name);
    for (const Family& family : kFamilies) {
      if (absl::StartsWith(name, family.prefix)) {
        return {family.library, kVariablesFormat, "`export` lines"};
      }
    }
    return {};
  }
  if (std::count(line.begin(), line.end(), ',') >= kFewestCommas) {
    return {"nccl-2", "csv", "rows of NCCL's sample tuner (CSV)"};
  }
  const absl::string_view word = line.substr(0, line.find(' '));
  if (word == domain::Decisions::kRanksWord || word == domain::Decisions::kDecideWord) {
    return {"coxcoll", "profile", "a profile of libcoxcoll"};
  }
  return {};
}

// MVAPICH and Cray's MPICH read names of MPICH, too.
bool ReadNamesOfMpich(absl::string_view library) {
  return absl::StrContains(library, "mpich") || absl::StartsWith(library, "mvapich");
}

absl::string_view NameWithoutVersion(absl::string_view library) {
  return library.substr(0, library.rfind('-'));
}

}  // namespace

std::string LooksLikeAnother(absl::string_view text, const library::TuningFormat& format) {
  const Kind kind = KindOf(FirstLine(text));
  if (kind.format.empty()) return "";
  const bool is_same_library =
      NameWithoutVersion(kind.library) == NameWithoutVersion(format.library);
  const bool may_be =
      is_same_library || (kind.format == kVariablesFormat && ReadNamesOfMpich(kind.library) &&
                          ReadNamesOfMpich(format.library));
  if (kind.format == format.name && may_be) return "";
  const std::string library = may_be ? std::string(format.library) : std::string(kind.library);
  const auto usual = library::FindTuningFormat(library, "file");
  const bool needs_format = usual.ok() && (*usual)->name != kind.format;
  const std::string options =
      absl::StrCat(may_be ? "" : absl::StrCat(" --library ", library),
                   needs_format || may_be ? absl::StrCat(" --format ", kind.format) : "");
  return absl::StrCat("looks like ", kind.description,
                      may_be ? "" : absl::StrCat(" for ", kind.library), ", not like ",
                      format.library, " (", format.name, "); use", options);
}

}  // namespace cox::cli
