#include "manual.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "daemon/config.h"

namespace cox {
namespace {

constexpr char kBeginning[] = R"(.TH COXD 8 "" "Coxswain VERSION" "System Administration"
.SH NAME
coxd \- predict MPI collectives, recommend algorithms, learn from timings
.SH SYNOPSIS
\fBcoxd\fR [options]
.SH DESCRIPTION
Keeps machine profiles and observations in one directory, predicts the cost of MPI collectives, and
recommends algorithms over gRPC.
It stays in the foreground and logs to standard error.
.PP
Each setting is a flag, a line \fIname\fR = \fIvalue\fR of the configuration file, or an environment
variable.
A flag overrides the environment; the environment overrides the file.
An unknown name is an error.
.SH OPTIONS
)";

constexpr char kEnd[] = R"(.SH SIGNALS
SIGTERM and SIGINT end coxd within 10 seconds.
Health reports NOT_SERVING, coxd ends streams, answers open calls, and commits what it has accepted.
.SH "EXIT STATUS"
0: ended by a signal. 1: failed; the message on standard error says why. 2: wrong settings.
.SH FILES
\fIcoxswain.db\fR in the data directory holds all state.
A lock on the directory keeps a second daemon out.
.SH "SEE ALSO"
\fBcox\fR(1)
)";

// Text that troff prints unchanged. No text here starts a line with a point.
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
  std::string page = absl::StrReplaceAll(kBeginning, {{"VERSION", version}});
  AppendOption("--config", "FILE", "configuration file (TOML; environment: COXD_CONFIG)", &page);
  AppendOption("--check-config", "", "check and print all settings, then exit", &page);
  for (const daemon::ConfigKey& key : daemon::ConfigKeys()) {
    const std::string variable = absl::AsciiStrToUpper(absl::StrReplaceAll(key.name, {{"-", "_"}}));
    AppendOption(absl::StrCat("--", key.name), key.value_name,
                 absl::StrCat(key.description, " (default: ", key.default_value,
                              "; environment: COXD_", variable, ")"),
                 &page);
  }
  AppendOption("--version", "", "print the version, then exit", &page);
  absl::StrAppend(&page, kEnd);
  return page;
}

}  // namespace cox
