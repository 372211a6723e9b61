#include "console/command_words.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace cox::console {
namespace {

std::string QuotedWord(const std::string& word) {
  constexpr char kPlain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

}  // namespace

absl::StatusOr<std::vector<std::string>> SplitCommand(absl::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  const auto add = [&](char c) {
    if (!in_word) words.emplace_back();
    in_word = true;
    words.back() += c;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'') {
      if (++i == text.size()) return absl::InvalidArgumentError("ends with a backslash");
      add(text[i]);
    } else if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        add(c);
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      // An empty pair of quotes is a word, too.
      if (!in_word) words.emplace_back();
      in_word = true;
    } else if (absl::ascii_isspace(static_cast<unsigned char>(c))) {
      in_word = false;
    } else {
      add(c);
    }
  }
  if (quote != '\0') return absl::InvalidArgumentError("has a quote that is not closed");
  if (words.empty()) return absl::InvalidArgumentError("is empty");
  return words;
}

std::string JoinCommand(const std::vector<std::string>& words) {
  return absl::StrJoin(words, " ", [](std::string* out, const std::string& word) {
    absl::StrAppend(out, QuotedWord(word));
  });
}

std::string CommandField(const std::vector<std::string>& words) {
  constexpr size_t kMaxCommandBytes = 1024;
  constexpr absl::string_view kMore = " ...";
  std::string field;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    std::replace_if(
        word.begin(), word.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; }, ' ');
    const std::string added = absl::StrCat(i == 0 ? "" : " ", QuotedWord(word));
    const size_t room = kMaxCommandBytes - (i + 1 < words.size() ? kMore.size() : 0);
    // Half a word could have an open quote.
    if (field.size() + added.size() > room) return absl::StrCat(field, kMore);
    field += added;
  }
  return field;
}

}  // namespace cox::console
