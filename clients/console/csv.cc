#include "console/csv.h"

#include <streambuf>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace cox::console {
namespace {

constexpr int kEnd = std::char_traits<char>::eof();

}  // namespace

// A byte order mark does not belong to the first column's name.
void CsvReader::SkipMark() {
  std::streambuf* buffer = in_->rdbuf();
  constexpr absl::string_view kMark = "\xEF\xBB\xBF";
  size_t matched = 0;
  while (matched < kMark.size() &&
         buffer->sgetc() == std::char_traits<char>::to_int_type(kMark[matched])) {
    buffer->sbumpc();
    ++matched;
  }
  for (; matched > 0 && matched < kMark.size(); --matched) buffer->sungetc();
}

// The next character with CRLF turned into LF.
int CsvReader::Get() {
  std::streambuf* buffer = in_->rdbuf();
  int c = buffer->sbumpc();
  if (c == '\r' && buffer->sgetc() == '\n') c = buffer->sbumpc();
  if (c == '\n') ++line_;
  return c;
}

void CsvReader::SkipLine() {
  int c = Get();
  while (c != kEnd && c != '\n') c = Get();
}

bool CsvReader::Next(CsvRecord& record) {
  record.fields.clear();
  record.were_quoted.clear();
  record.error = absl::OkStatus();
  if (!std::exchange(has_begun_, true)) SkipMark();
  int c = '\n';
  while (c == '\n') {
    record.line = line_;
    c = Get();
  }
  if (c == kEnd) return false;
  size_t bytes = 0;
  const auto fail = [&](absl::string_view rule, bool at_line_end) {
    record.error = absl::InvalidArgumentError(rule);
    if (!at_line_end) SkipLine();
    return true;
  };
  while (true) {
    std::string field;
    const bool is_quoted = c == '"';
    if (is_quoted) {
      while (true) {
        c = Get();
        if (c == kEnd) return fail("a quote is opened and never closed", true);
        if (c == '"') {
          c = Get();
          if (c != '"') break;
        }
        field.push_back(static_cast<char>(c));
        if (++bytes > kMaxRecordBytes) {
          return fail("the record is longer than 1 MiB: a quote may not be closed", c == '\n');
        }
      }
      if (c != ',' && c != '\n' && c != kEnd) {
        return fail("text follows a closing quote", false);
      }
    } else {
      while (c != ',' && c != '\n' && c != kEnd) {
        if (c == '"') return fail("a quote stands inside a field that is not quoted", false);
        field.push_back(static_cast<char>(c));
        if (++bytes > kMaxRecordBytes) return fail("the record is longer than 1 MiB", false);
        c = Get();
      }
    }
    if (field.find('\0') != std::string::npos) {
      return fail("the record has a zero byte: this is not a text file", c == '\n');
    }
    record.fields.push_back(std::move(field));
    record.were_quoted.push_back(is_quoted);
    if (c != ',') return true;
    if (++bytes > kMaxRecordBytes) return fail("the record is longer than 1 MiB", false);
    c = Get();
  }
}

std::string CsvField(absl::string_view field) {
  const bool plain = field.find_first_of(",\"\r\n") == absl::string_view::npos &&
                     field == absl::StripAsciiWhitespace(field);
  // A leading mark would be taken for the file's byte order mark.
  if (plain && field.substr(0, 3) != "\xEF\xBB\xBF") return std::string(field);
  return absl::StrCat("\"", absl::StrReplaceAll(field, {{"\"", "\"\""}}), "\"");
}

}  // namespace cox::console
