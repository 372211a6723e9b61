#include "cli/output/manual.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace cox::cli {
namespace {

// Text that troff prints as it is. A line that starts with a point or an apostrophe would be a
// request.
std::string TroffText(absl::string_view text) {
  std::string escaped = absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}, {"'", "\\(aq"}});
  escaped = absl::StrReplaceAll(escaped, {{"\n.", "\n\\&."}});
  if (absl::StartsWith(escaped, ".")) escaped.insert(0, "\\&");
  return escaped;
}

void AppendOption(const OptionDescription& option, std::string& out) {
  absl::StrAppend(&out, ".TP\n\\fB", TroffText(option.names), "\\fR");
  if (!option.flags.empty() && !option.type.empty()) {
    absl::StrAppend(&out, " \\fI", TroffText(option.type), "\\fR");
  }
  absl::StrAppend(&out, "\n", TroffText(option.text));
  if (!option.choices.empty()) {
    absl::StrAppend(&out, " (one of: ", TroffText(absl::StrJoin(option.choices, ", ")), ")");
  }
  if (!option.environment.empty()) {
    absl::StrAppend(&out, " (environment: ", TroffText(option.environment), ")");
  }
  absl::StrAppend(&out, option.required && !option.flags.empty() ? " (required)" : "", ".\n");
}

// The examples and notes behind the options, line by line.
void AppendFooter(const std::string& footer, std::string& out) {
  if (!footer.empty()) absl::StrAppend(&out, ".PP\n.nf\n", TroffText(footer), "\n.fi\n");
}

std::string Synopsis(const VerbDescription& verb) {
  std::string out = absl::StrCat("cox ", absl::StrJoin(verb.path, " "));
  bool options = false;
  for (const OptionDescription& option : verb.options) options |= !option.flags.empty();
  if (options) absl::StrAppend(&out, " [options]");
  for (const OptionDescription& option : verb.options) {
    if (option.flags.empty()) absl::StrAppend(&out, " ", option.names);
  }
  return out;
}

}  // namespace

std::string ManualPage(const std::vector<VerbDescription>& verbs, const std::string& version) {
  const VerbDescription& root = verbs.front();
  std::string out = absl::StrCat(
      ".TH COX 1 \"\" \"Coxswain ", version,
      "\" \"User Commands\"\n.SH NAME\ncox \\- ask coxd about MPI collectives and teach it\n"
      ".SH SYNOPSIS\n\\fBcox\\fR [options] \\fIverb\\fR ...\n.SH DESCRIPTION\n",
      TroffText(root.text), "\n.SH OPTIONS\n");
  for (const OptionDescription& option : root.options) AppendOption(option, out);
  absl::StrAppend(&out, ".SH VERBS\n");
  for (const VerbDescription& verb : verbs) {
    if (verb.path.empty()) continue;
    // A verb that only groups others has no text but its examples.
    absl::StrAppend(&out, ".SS ", TroffText(Synopsis(verb)), "\n", TroffText(verb.text), ".\n");
    for (const OptionDescription& option : verb.options) AppendOption(option, out);
    AppendFooter(verb.footer, out);
  }
  const std::vector<std::string> parts = absl::StrSplit(root.footer, "\n\n");
  absl::StrAppend(&out, ".SH \"EXIT STATUS\"\n.nf\n", TroffText(parts.front()), "\n.fi\n");
  if (parts.size() > 1) absl::StrAppend(&out, ".SH NOTES\n", TroffText(parts[1]), "\n");
  absl::StrAppend(&out, ".SH \"SEE ALSO\"\n\\fBcoxd\\fR(8)\n");
  return out;
}

}  // namespace cox::cli
