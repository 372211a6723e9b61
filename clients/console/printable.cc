#include "console/printable.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace cox::console {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Range {
  char32_t first;
  char32_t last;
};
constexpr Range kHarmful[] = {
    {0x00, 0x1F},      // C0
    {0x7F, 0x9F},      // DEL, C1
    {0x061C, 0x061C},  // direction
    {0x200E, 0x200F},  // direction
    {0x2028, 0x202E},  // line ends, direction
    {0x2066, 0x2069},  // direction
};

bool IsHarmful(char32_t c) {
  return std::any_of(std::begin(kHarmful), std::end(kHarmful),
                     [c](const Range& range) { return c >= range.first && c <= range.last; });
}

enum class Decoded { kCharacter, kInvalid, kIncomplete };

// The character at the begin of `text`, which is not empty, and its bytes; of an invalid or
// incomplete one: how many bytes it spoils.
Decoded Decode(absl::string_view text, char32_t& c, size_t& bytes) {
  const auto first = static_cast<unsigned char>(text[0]);
  bytes = 1;
  c = first;
  if (first < 0x80) return Decoded::kCharacter;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return Decoded::kInvalid;
  c = first & (0x7FU >> length);
  for (; bytes < length; ++bytes) {
    if (bytes == text.size()) return Decoded::kIncomplete;
    const auto next = static_cast<unsigned char>(text[bytes]);
    if ((next & 0xC0) != 0x80) return Decoded::kInvalid;
    c = c << 6 | (next & 0x3F);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = c >= 0xD800 && c <= 0xDFFF;
  if (c < kLeast[length] || c > 0x10FFFF || is_surrogate) return Decoded::kInvalid;
  return Decoded::kCharacter;
}

// The part of `text` before its first byte that needs a closer look.
size_t PlainBytes(absl::string_view text) {
  const auto* const found = std::find_if(
      text.begin(), text.end(), [](char c) { return c < 0x20 || c == 0x7F; });  // char is signed
  return static_cast<size_t>(found - text.begin());
}

// Appends to `out` what may be printed of `text`; the bytes that were used up. Less than all of
// them only if more may follow: `is_end` is false.
template <typename Escape>
size_t Scrub(absl::string_view text, bool is_end, bool keeps_lines, std::string& out,
             const Escape& escape) {
  size_t used = 0;
  while (used < text.size()) {
    const absl::string_view rest = text.substr(used);
    if (const size_t plain = PlainBytes(rest); plain > 0) {
      out.append(rest.data(), plain);
      used += plain;
      continue;
    }
    char32_t c = 0;
    size_t bytes = 0;
    const Decoded decoded = Decode(rest, c, bytes);
    if (decoded == Decoded::kIncomplete && !is_end) return used;
    const bool ends_line = c == '\n' || c == '\t';
    if (keeps_lines && c == '\r' && rest.size() == 1 && !is_end) return used;
    const bool begins_line_end = c == '\r' && rest.size() > 1 && rest[1] == '\n';
    if (decoded != Decoded::kCharacter) {
      out += escape(kReplacement);
    } else if ((keeps_lines && (ends_line || begins_line_end)) || !IsHarmful(c)) {
      out.append(rest.data(), bytes);
    } else {
      out += escape(c);
    }
    used += bytes;
  }
  return used;
}

class Filter : public std::streambuf {
 public:
  explicit Filter(std::streambuf* to) : to_(to) {}
  ~Filter() override { Pass(/*is_end=*/true); }

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char one = traits_type::to_char_type(c);
    return xsputn(&one, 1) == 1 ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize bytes) override {
    held_.append(text, static_cast<size_t>(bytes));
    return Pass(/*is_end=*/false) ? bytes : 0;
  }
  int sync() override { return to_->pubsync(); }

 private:
  bool Pass(bool is_end) {
    passed_.clear();
    held_.erase(0,
                Scrub(held_, is_end, /*keeps_lines=*/true, passed_, [](char32_t) { return '?'; }));
    const auto bytes = static_cast<std::streamsize>(passed_.size());
    return to_->sputn(passed_.data(), bytes) == bytes;
  }

  std::streambuf* const to_;
  std::string held_;  // a character that is not complete yet
  std::string passed_;
};

}  // namespace

std::string Printable(absl::string_view text) {
  std::string out;
  Scrub(text, /*is_end=*/true, /*keeps_lines=*/false, out, [](char32_t) { return '?'; });
  return out;
}

std::string EscapeHarmful(absl::string_view text,
                          const std::function<std::string(char32_t)>& escape) {
  std::string out;
  Scrub(text, /*is_end=*/true, /*keeps_lines=*/true, out, escape);
  return out;
}

PrintableOutput::PrintableOutput(std::ostream* to)
    : std::ostream(nullptr), filter_(std::make_unique<Filter>(to->rdbuf())) {
  rdbuf(filter_.get());
  copyfmt(*to);
}

PrintableOutput::~PrintableOutput() = default;

}  // namespace cox::console
