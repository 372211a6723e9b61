#include "library/mpich/json.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace cox::library {
namespace {

class Reader {
 public:
  explicit Reader(absl::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<JsonMember>> Object(int depth) {
    if (absl::Status status = Expect('{', "an object, { ... }"); !status.ok()) return status;
    if (depth > kMaxJsonDepth) {
      return Wrong(absl::StrCat("objects are nested deeper than ", kMaxJsonDepth));
    }
    std::vector<JsonMember> members;
    while (true) {
      if (absl::Status status = SkipBlanks(); !status.ok()) return status;
      if (Take('}')) return members;
      absl::StatusOr<std::string> key = Key();
      if (!key.ok()) return key.status();
      JsonMember member{*std::move(key), line_, {}};
      if (absl::Status status = Expect(':', "a colon"); !status.ok()) return status;
      absl::StatusOr<std::vector<JsonMember>> inner = Object(depth + 1);
      if (!inner.ok()) return inner.status();
      member.members = *std::move(inner);
      members.push_back(std::move(member));
      if (absl::Status status = SkipBlanks(); !status.ok()) return status;
      if (!Take(',') && !IsNext('}')) return Wrong("a comma or a closing brace must follow");
    }
  }

 private:
  bool IsNext(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool Take(char c) {
    if (!IsNext(c)) return false;
    ++at_;
    return true;
  }
  absl::Status Wrong(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("line ", line_, ": ", what));
  }

  absl::Status Expect(char c, absl::string_view what) {
    if (absl::Status status = SkipBlanks(); !status.ok()) return status;
    return Take(c) ? absl::OkStatus() : Wrong(absl::StrCat("not ", what));
  }

  absl::Status SkipBlanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == '/') {
        const absl::string_view rest = text_.substr(at_);
        const bool is_line = rest.substr(0, 2) == "//";
        if (!is_line && rest.substr(0, 2) != "/*") return Wrong("a lone slash");
        const size_t end = is_line ? rest.find('\n') : rest.find("*/", 2);
        if (end == absl::string_view::npos) return Wrong("a comment does not end");
        Advance(is_line ? end : end + 2);
      } else if (absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) {
        Advance(1);
      } else {
        break;
      }
    }
    return absl::OkStatus();
  }

  void Advance(size_t count) {
    const absl::string_view passed = text_.substr(at_, count);
    line_ += std::count(passed.begin(), passed.end(), '\n');
    at_ += count;
  }

  absl::StatusOr<std::string> Key() {
    const char quote = IsNext('\'') ? '\'' : '"';
    if (!Take(quote)) return Wrong("not a key in quotes");
    std::string key;
    while (at_ < text_.size() && !IsNext(quote)) {
      if (text_[at_] == '\\') return Wrong("an escape in a key");
      if (!absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) key += text_[at_];
      Advance(1);
    }
    if (!Take(quote)) return Wrong("a key does not end");
    return key;
  }

  absl::string_view text_;
  size_t at_ = 0;
  int64_t line_ = 1;
};

}  // namespace

absl::StatusOr<std::vector<JsonMember>> ReadJsonObjects(absl::string_view text) {
  return Reader(text).Object(1);
}

}  // namespace cox::library
