#include "cli/output/escape.h"

#include "absl/strings/str_format.h"

namespace cox::cli {

void AppendEscaped(char c, std::string& out) {
  if (c == '"' || c == '\\') {
    out += '\\';
    out += c;
  } else if (c == '\n') {
    out += "\\n";
  } else if (c == '\t') {
    out += "\\t";
  } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
    absl::StrAppendFormat(&out, "\\u%04x", c);
  } else {
    out += c;
  }
}

}  // namespace cox::cli
