#include "tape.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace cox::recorded {

void Fail(const std::string& message) {
  std::fprintf(stderr, "wire_tape: %s\n", message.c_str());
  std::exit(1);
}

Tape ReadTape(const std::string& path) {
  Tape tape;
  std::ifstream file(path);
  if (!file) Fail(absl::StrCat("cannot read ", path));
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    const std::string& kind = words[0];
    // Nothing is no word.
    const auto bytes_at = [&](size_t index, std::string* bytes) {
      return words.size() <= index || absl::Base64Unescape(words[index], bytes);
    };
    bool is_good = words.size() <= 4;
    if (kind == "call" && words.size() == 2) {
      tape.emplace_back().method = words[1];
    } else if (tape.empty()) {
      is_good = false;
    } else if (kind == "end" && words.size() > 1) {
      RecordedCall& call = tape.back();
      is_good = absl::SimpleAtoi(words[1], &call.code) && bytes_at(2, &call.error_message) &&
                bytes_at(3, &call.error_details);
    } else if (kind == ">") {
      is_good = bytes_at(1, &tape.back().requests.emplace_back());
    } else if (kind == "<") {
      is_good = bytes_at(1, &tape.back().responses.emplace_back());
    } else {
      is_good = false;
    }
    if (!is_good) Fail(absl::StrCat(path, ": this is no line of a tape: ", line));
  }
  if (tape.empty()) Fail(absl::StrCat(path, " has no call"));
  return tape;
}

void WriteTape(const Tape& tape, const std::string& path) {
  std::ofstream file(path);
  // Nothing has no blank before it.
  const auto encode = [](const std::string& bytes) {
    return bytes.empty() ? "" : absl::StrCat(" ", absl::Base64Escape(bytes));
  };
  for (const RecordedCall& call : tape) {
    file << "call " << call.method << "\n";
    for (const std::string& bytes : call.requests) file << ">" << encode(bytes) << "\n";
    for (const std::string& bytes : call.responses) file << "<" << encode(bytes) << "\n";
    file << "end " << call.code << encode(call.error_message) << encode(call.error_details) << "\n";
  }
  if (!file.flush()) Fail(absl::StrCat("cannot write ", path));
}

}  // namespace cox::recorded
