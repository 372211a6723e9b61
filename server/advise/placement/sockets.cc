#include "advise/placement/sockets.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "domain/errors.h"

namespace cox::advise {
namespace {

absl::Status Wrong(size_t line, absl::string_view why) {
  return domain::InvalidField("switches", absl::StrCat("line ", line, ": ", why));
}

absl::Status ReadWord(absl::string_view word, size_t line, Sockets* sockets) {
  const std::pair<absl::string_view, absl::string_view> pair =
      absl::StrSplit(word, absl::MaxSplits('=', 1));
  const std::string key = absl::AsciiStrToLower(pair.first);
  bool is_right = false;
  if (key == "sockets") {
    is_right = absl::SimpleAtoi(pair.second, &sockets->count) && sockets->count >= 1 &&
               sockets->count <= kMaxSockets;
  } else if (key == "taper") {
    is_right = absl::SimpleAtod(pair.second, &sockets->taper) && sockets->taper > 0 &&
               sockets->taper <= 1e6;
  } else if (key == "hoptime") {
    is_right = absl::SimpleAtod(pair.second, &sockets->hop_time_s) && sockets->hop_time_s >= 0 &&
               sockets->hop_time_s <= 1;
  } else {
    return Wrong(line, absl::StrCat("unknown key \"", pair.first.substr(0, 40),
                                    "\"; known are Sockets, Taper, HopTime"));
  }
  if (is_right) return absl::OkStatus();
  return Wrong(line, absl::StrCat(word.substr(0, 40),
                                  " is out of range: Sockets 1 to 64, Taper above 0 up to 1e6, "
                                  "HopTime 0 to 1 seconds"));
}

}  // namespace

std::string Sockets::Text() const {
  if (count == 1) return "";
  return absl::StrFormat("Sockets=%d Taper=%.15g HopTime=%.15g\n", count, taper, hop_time_s);
}

absl::StatusOr<Sockets> TakeSockets(std::string* text) {
  if (!absl::StrContains(absl::AsciiStrToLower(*text), "sockets=")) return Sockets{};
  std::vector<std::string> lines = absl::StrSplit(*text, '\n');
  Sockets sockets;
  bool is_read = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    const absl::string_view line =
        absl::StripAsciiWhitespace(absl::string_view(lines[i]).substr(0, lines[i].find('#')));
    if (!absl::StartsWithIgnoreCase(line, "sockets=")) continue;
    if (std::exchange(is_read, true)) return Wrong(i + 1, "a second line with Sockets");
    for (const absl::string_view word :
         absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty())) {
      if (absl::Status status = ReadWord(word, i + 1, &sockets); !status.ok()) return status;
    }
    lines[i].clear();
  }
  *text = absl::StrJoin(lines, "\n");
  return sockets;
}

}  // namespace cox::advise
