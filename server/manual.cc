#include "manual.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "daemon/config.h"

namespace cox {
namespace {

// Text that troff prints as it is; none of ours starts a line with a point.
std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}, {"'", "\\(aq"}});
}

void AppendOption(absl::string_view flag, absl::string_view value_name, absl::string_view text,
                  std::string* page) {
  absl::StrAppend(page, ".TP\n\\fB", Escaped(flag), "\\fR");
  if (!value_name.empty()) absl::StrAppend(page, " \\fI", Escaped(value_name), "\\fR");
  absl::StrAppend(page, "\n", Escaped(text), ".\n");
}

}  // namespace

std::string DaemonManualPage(const std::string& version) {
  std::string page = absl::StrCat(
      ".TH COXD 8 \"\" \"Coxswain ", version,
      "\" \"System Administration\"\n"
      ".SH NAME\ncoxd \\- predict MPI collectives, recommend algorithms, learn from timings\n"
      ".SH SYNOPSIS\n\\fBcoxd\\fR [options]\n"
      ".SH DESCRIPTION\n"
      "Keeps machine profiles and measurement history in one directory, predicts what collective "
      "operations cost, and recommends algorithms over gRPC. It stays in the foreground and logs "
      "to "
      "standard error.\n.PP\n"
      "Every setting is a flag, a line \\fIname\\fR = \\fIvalue\\fR of the configuration file, and "
      "an "
      "environment variable. A flag beats the environment, which beats the file. A name that is "
      "not "
      "known is an error.\n"
      ".SH OPTIONS\n");
  AppendOption("--config", "FILE", "configuration file (TOML; environment: COXD_CONFIG)", &page);
  AppendOption("--check-config", "", "check all settings, print them, and end", &page);
  for (const daemon::ConfigKey& key : daemon::ConfigKeys()) {
    const std::string variable = absl::AsciiStrToUpper(absl::StrReplaceAll(key.name, {{"-", "_"}}));
    AppendOption(absl::StrCat("--", key.name), key.value_name,
                 absl::StrCat(key.description, " (default: ", key.default_value,
                              "; environment: COXD_", variable, ")"),
                 &page);
  }
  AppendOption("--version", "", "print the version and end", &page);
  absl::StrAppend(
      &page,
      ".SH SIGNALS\nSIGTERM and SIGINT end it cleanly: health says NOT_SERVING, streams are ended, "
      "open calls are answered, and everything that was taken is committed.\n"
      ".SH \"EXIT STATUS\"\n0: ended as asked. 1: failed (the last line of the log says why). 2: "
      "wrong "
      "settings.\n"
      ".SH FILES\n\\fIcoxswain.db\\fR in the data directory holds everything; a lock beside it "
      "keeps a "
      "second daemon out.\n"
      ".SH \"SEE ALSO\"\n\\fBcox\\fR(1)\n");
  return page;
}

}  // namespace cox
