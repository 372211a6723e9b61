#include "library/shell_exports.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "domain/errors.h"

namespace cox::library {
namespace {

bool IsName(absl::string_view text) {
  return !text.empty() && !absl::ascii_isdigit(text[0]) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

// Characters without a special meaning in an unquoted word of any shell.
bool IsPlain(char c) { return absl::ascii_isalnum(c) || absl::StrContains("_-+./:,@%=", c); }

// Reads one word of a shell, and what follows it.
class WordReader {
 public:
  explicit WordReader(absl::string_view text) : text_(text) {}

  // The word without its quotes; `finding` gets what is wrong with it.
  std::string Read(std::string* finding) {
    std::string word;
    while (at_ < text_.size() && finding->empty()) {
      const char c = text_[at_];
      if (absl::ascii_isspace(c)) break;
      if (c == '\'' || c == '"') {
        ReadQuoted(c, &word, finding);
      } else if (c == '#' || c == '[' || c == ']' || IsPlain(c)) {
        word += c;
        ++at_;
      } else {
        *finding = absl::StrCat("the shell takes \"", absl::string_view(&c, 1),
                                "\" for itself; put the value between single quotes");
      }
    }
    const absl::string_view rest = absl::StripLeadingAsciiWhitespace(text_.substr(at_));
    if (finding->empty() && !rest.empty() && rest[0] != '#') {
      *finding = IsName(rest.substr(0, rest.find('=')))
                     ? "another variable follows; write an export line for each"
                     : "the value ends at the blank; put it between single quotes";
    }
    return word;
  }

 private:
  void ReadQuoted(char quote, std::string* word, std::string* finding) {
    const size_t end = text_.find(quote, at_ + 1);
    if (end == absl::string_view::npos) {
      *finding = "the quote is not closed on this line; close it";
      return;
    }
    const absl::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    if (quote == '"' && inside.find_first_of("$`\\") != absl::string_view::npos) {
      *finding = "the shell expands the value before the job sees it; use single quotes";
    }
    absl::StrAppend(word, inside);
    at_ = end + 1;
  }

  absl::string_view text_;
  size_t at_ = 0;
};

// Reads one line that is neither blank nor a comment. Returns the finding, "" for a sound line.
std::string ReadLine(absl::string_view line, ShellExport* result) {
  const bool exported = absl::ConsumePrefix(&line, "export ");
  line = absl::StripLeadingAsciiWhitespace(line);
  const size_t equals = line.find('=');
  if (equals == absl::string_view::npos || !IsName(line.substr(0, equals))) {
    return "is not of the form export NAME=value; make it a comment or remove it";
  }
  result->name = std::string(line.substr(0, equals));
  std::string finding;
  result->value = WordReader(line.substr(equals + 1)).Read(&finding);
  if (!finding.empty()) return absl::StrCat(result->name, ": ", finding);
  if (!exported) {
    return absl::StrCat(result->name, " is set but not exported, the job does not see it; write ",
                        "export before it");
  }
  return "";
}

struct Shell {
  absl::string_view name;
  absl::string_view before;   // the name
  absl::string_view between;  // name and value
};
constexpr Shell kShells[] = {
    {"sh", "export ", "="}, {"csh", "setenv ", " "}, {"fish", "set -gx ", " "}};

}  // namespace

ShellExports ReadShellExports(absl::string_view text) {
  ShellExports read;
  std::unordered_map<std::string, size_t> places;  // of a name: where its last line is in exports
  int64_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    const bool ends_in_return = absl::EndsWith(line, "\r");
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    if (ends_in_return) {
      read.findings.push_back(absl::StrCat("line ", number,
                                           ": ends with a carriage return, which becomes part of "
                                           "the value; write the file with Unix line ends"));
      continue;
    }
    ShellExport found;
    found.line = number;
    if (const std::string finding = ReadLine(line, &found); !finding.empty()) {
      read.findings.push_back(absl::StrCat("line ", number, ": ", finding));
      continue;
    }
    const auto [earlier, is_first] = places.emplace(found.name, read.exports.size());
    if (!is_first) {
      ShellExport& superseded = read.exports[earlier->second];
      read.findings.push_back(absl::StrCat("line ", number, ": ", found.name, " is set on line ",
                                           superseded.line,
                                           " too and the last one wins; remove one"));
      superseded.line = 0;
      earlier->second = read.exports.size();
    }
    read.exports.push_back(std::move(found));
  }
  std::erase_if(read.exports, [](const ShellExport& setting) { return setting.line == 0; });
  return read;
}

std::string ExportLine(absl::string_view name, absl::string_view value) {
  const bool plain = std::all_of(value.begin(), value.end(), IsPlain);
  if (plain) return absl::StrCat("export ", name, "=", value, "\n");
  return absl::StrCat("export ", name, "='", absl::StrReplaceAll(value, {{"'", "'\"'\"'"}}), "'\n");
}

const std::vector<std::string>& ShellNames() {
  static const auto* const kNames = new std::vector<std::string>([] {
    std::vector<std::string> names;
    for (const Shell& shell : kShells) names.emplace_back(shell.name);
    return names;
  }());
  return *kNames;
}

absl::StatusOr<std::string> RenderForShell(absl::string_view text, absl::string_view shell) {
  const Shell* target = std::find_if(std::begin(kShells), std::end(kShells),
                                     [&](const Shell& other) { return other.name == shell; });
  if (target == std::end(kShells)) {
    return domain::InvalidField(
        "shell", absl::StrCat("\"", shell, "\" is not one of ", absl::StrJoin(ShellNames(), ", ")));
  }
  const ShellExports read = ReadShellExports(text);
  if (!read.findings.empty()) return domain::InvalidField("text", read.findings.front());
  std::string rendered;
  size_t next = 0;
  int64_t number = 0;
  for (const absl::string_view line : absl::StrSplit(absl::StripSuffix(text, "\n"), '\n')) {
    ++number;
    if (next < read.exports.size() && read.exports[next].line == number) {
      const ShellExport& setting = read.exports[next++];
      const std::string posix = ExportLine(setting.name, setting.value);
      const absl::string_view value = absl::string_view(posix).substr(
          absl::string_view("export =").size() + setting.name.size());
      absl::StrAppend(&rendered, target->before, setting.name, target->between, value);
    } else {
      absl::StrAppend(&rendered, line, "\n");
    }
  }
  return rendered;
}

}  // namespace cox::library
