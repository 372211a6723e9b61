// Explains a TOML text that a parser refuses because of a value, most often one without its quotes:
// the parser's own message names neither the key nor the rule. Header only; any thread, cannot
// fail.
#ifndef COX_DOMAIN_WORDS_REFUSED_VALUE_H_
#define COX_DOMAIN_WORDS_REFUSED_VALUE_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace cox::domain {

// Whether the text is meant as a number: 08, 1.5.e3, 1,5. An address has more points.
inline bool IsMeantAsNumber(absl::string_view value) {
  return value.find_first_not_of("0123456789+-_eE.,") == absl::string_view::npos &&
         value.find_first_of("0123456789") != absl::string_view::npos &&
         std::count(value.begin(), value.end(), '.') <= 2;
}

// What is wrong in line `line` (from 1) of a text that the parser refuses there:
// `listen: put the value in quotes: listen = "127.0.0.1:1"`. Empty where the line is no `key =
// value`, or its value begins with a quote or bracket.
inline std::string ExplainRefusedValue(absl::string_view text, int64_t line) {
  constexpr size_t kShownBytes = 60;
  for (int64_t at = 1; at < line; ++at) {
    const size_t end = text.find('\n');
    if (end == absl::string_view::npos) return "";
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  const size_t equals = text.find('=');
  if (equals == absl::string_view::npos) return "";
  const absl::string_view key = absl::StripAsciiWhitespace(text.substr(0, equals));
  if (key.empty() || key.find_first_of("#\"'[ ") != absl::string_view::npos) return "";
  absl::string_view value = text.substr(equals + 1);
  value = absl::StripAsciiWhitespace(value.substr(0, value.find('#')));
  if (value.empty()) return absl::StrCat(key, ": the value is missing");
  if (value.find_first_of("\"'[{") != absl::string_view::npos || value.size() > kShownBytes) {
    return "";
  }
  for (const absl::string_view word : {"true", "false"}) {
    if (absl::EqualsIgnoreCase(value, word)) return absl::StrCat(key, ": write ", word);
  }
  if (IsMeantAsNumber(value)) {
    return absl::StrCat(key, ": '", value, "' is not a number: write for example 8 or 1.5");
  }
  return absl::StrCat(key, ": put the value in quotes: ", key, " = \"", value, "\"");
}

}  // namespace cox::domain

#endif  // COX_DOMAIN_WORDS_REFUSED_VALUE_H_
