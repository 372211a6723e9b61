#include "cli/run/check_tuning.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/output/json_output.h"
#include "cli/run/daemon_text.h"
#include "cli/run/tuning_guess.h"
#include "domain/words/counted.h"
#include "files/file_io.h"
#include "library/libraries.h"
#include "library/tuning_format.h"

namespace cox::cli {
namespace {

absl::StatusOr<const library::TuningFormat*> FormatOf(const TuningCheck& check) {
  if (library::FindLibrary(check.library) == nullptr) {
    return absl::NotFoundError(absl::StrCat(
        "--library: \"", check.library, "\" is not known; there are ", library::LibraryNames()));
  }
  if (check.format.empty()) {
    auto file = library::FindTuningFormat(check.library, "file");
    if (file.ok()) return file;
  }
  auto format = library::FindTuningFormat(check.library, check.format);
  if (!format.ok()) {
    return absl::Status(format.status().code(), absl::StrCat("--", format.status().message()));
  }
  return format;
}

absl::Status CheckIsText(absl::string_view name, absl::string_view text) {
  if (text.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": is empty; a library would find nothing in it"));
  }
  if (text.find('\0') != absl::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": is not a text file, it has zero bytes; name the file that the library reads"));
  }
  return absl::OkStatus();
}

void PrintAsJson(Session& session, absl::string_view name, const library::TuningFormat& format,
                 const std::vector<std::string>& findings) {
  session.out() << "{\"file\":" << JsonString(name) << ",\"library\":" << JsonString(format.library)
                << ",\"format\":" << JsonString(format.name) << ",\"findings\":["
                << absl::StrJoin(findings, ",",
                                 [](std::string* out, const std::string& finding) {
                                   absl::StrAppend(out, JsonString(finding));
                                 })
                << "]}\n";
}

void PrintAsLines(Session& session, absl::string_view name,
                  const std::vector<std::string>& findings) {
  const size_t shown = std::min(findings.size(), kMaxFindings);
  for (size_t i = 0; i < shown; ++i) session.out() << name << ": " << findings[i] << '\n';
  if (shown < findings.size()) {
    session.out() << name << ": and "
                  << domain::Counted(static_cast<int64_t>(findings.size() - shown), "more finding")
                  << ", " << findings.size() << " in all\n";
  }
}

}  // namespace

absl::Status CheckTuning(Session& session, const TuningCheck& check) {
  const auto format = FormatOf(check);
  if (!format.ok()) return format.status();
  const std::string name = check.file == "-" ? "standard input" : check.file;
  const absl::StatusOr<std::string> text = ReadFileOrInput(check.file, kMaxTextBytes);
  if (!text.ok()) return text.status();
  if (absl::Status status = CheckIsText(name, *text); !status.ok()) return status;
  if ((*format)->check == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("there is no check of ", (*format)->library, " (", (*format)->name, ")"));
  }
  if (const std::string other = LooksLikeAnother(*text, **format); !other.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", other));
  }
  const std::vector<std::string> findings = (*format)->check(*text, check.assume);
  const std::string what = absl::StrCat((*format)->library, " (", (*format)->name, ")");
  if (session.json()) {
    PrintAsJson(session, name, **format, findings);
  } else if (findings.empty()) {
    session.out() << name << ": nothing wrong found for " << what << '\n';
  } else {
    PrintAsLines(session, name, findings);
  }
  if (findings.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", findings.size(),
                                                 findings.size() == 1 ? " finding" : " findings",
                                                 ", read as ", what));
}

std::vector<std::string> TuningFormatNames() {
  std::vector<std::string> names = {"file"};
  for (const library::TuningFormat& format : library::TuningFormats()) {
    if (std::find(names.begin(), names.end(), format.name) == names.end()) {
      names.emplace_back(format.name);
    }
  }
  return names;
}

}  // namespace cox::cli
