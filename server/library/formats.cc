#include "library/formats.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace cox::library {

std::string Comment(absl::string_view line) {
  std::string text = absl::StrCat("# ", line);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
  absl::StripTrailingAsciiWhitespace(&text);
  return absl::StrCat(text, "\n");
}

std::string Header(absl::Span<const std::string> header_lines) {
  std::string text;
  for (const std::string& line : header_lines) text += Comment(line);
  return text;
}

bool LeavesAllToTheLibrary(const DecisionTable& table) {
  return std::all_of(table.rows.begin(), table.rows.end(),
                     [](const DecisionRow& row) { return row.native_id == 0; });
}

}  // namespace cox::library
