#include "bench/sizes.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace cox::bench {
namespace {

absl::Status Wrong(absl::string_view text, absl::string_view rule) {
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' ", rule));
}

// The factor of a unit, or 0 for no unit that we know.
int64_t UnitBytes(absl::string_view unit) {
  const std::string lower = absl::AsciiStrToLower(unit);
  if (lower.empty() || lower == "b") return 1;
  if (lower == "k" || lower == "kb" || lower == "kib") return int64_t{1} << 10;
  if (lower == "m" || lower == "mb" || lower == "mib") return int64_t{1} << 20;
  if (lower == "g" || lower == "gb" || lower == "gib") return int64_t{1} << 30;
  return 0;
}

absl::Status AppendSweep(absl::string_view text, size_t dots, std::vector<int64_t>* sizes) {
  absl::string_view range = text;
  absl::string_view step = "*2";
  if (const size_t colon = text.find(':'); colon != absl::string_view::npos) {
    range = text.substr(0, colon);
    step = text.substr(colon + 1);
  }
  if (dots + 2 > range.size()) return Wrong(text, "is not LOW..HIGH or LOW..HIGH:STEP");
  const auto low = ParseSize(range.substr(0, dots));
  if (!low.ok()) return low.status();
  const auto high = ParseSize(range.substr(dots + 2));
  if (!high.ok()) return high.status();
  if (*low > *high) return Wrong(text, "ends below its start");
  const bool multiplies = !step.empty() && step[0] == '*';
  if (!multiplies && (step.empty() || step[0] != '+')) {
    return Wrong(text, "needs a step of the form *2 or +1k");
  }
  const auto amount = ParseSize(step.substr(1));
  if (!amount.ok()) return amount.status();
  if (multiplies && *amount < 2) return Wrong(text, "has a factor below 2");
  if (multiplies && *low == 0) return Wrong(text, "starts at 0, which no factor leaves");
  if (!multiplies && *amount < 1) return Wrong(text, "has a step below 1");
  for (int64_t size = *low; size <= *high; size = multiplies ? size * *amount : size + *amount) {
    sizes->push_back(size);
    if (static_cast<int64_t>(sizes->size()) > kMaxListLength) {
      return Wrong(text, absl::StrCat("makes more than ", kMaxListLength, " values"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int64_t> ParseSize(absl::string_view text) {
  size_t digits = 0;
  while (digits < text.size() && absl::ascii_isdigit(text[digits])) ++digits;
  const int64_t unit_bytes = UnitBytes(text.substr(digits));
  if (digits == 0 || unit_bytes == 0) {
    return Wrong(text, "is not a size: write 1024, 1KiB, 64k or 4M");
  }
  int64_t number = 0;
  if (!absl::SimpleAtoi(text.substr(0, digits), &number) || number > kMaxBlockBytes / unit_bytes) {
    return Wrong(text, absl::StrCat("is more than ", kMaxBlockBytes, " bytes, the most MPI takes"));
  }
  return number * unit_bytes;
}

absl::StatusOr<std::vector<int64_t>> ParseSizes(absl::string_view text) {
  std::vector<int64_t> sizes;
  for (absl::string_view element : absl::StrSplit(text, ',')) {
    if (const size_t dots = element.find(".."); dots != absl::string_view::npos) {
      const absl::Status status = AppendSweep(element, dots, &sizes);
      if (!status.ok()) return status;
      continue;
    }
    const auto size = ParseSize(element);
    if (!size.ok()) return size.status();
    sizes.push_back(*size);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::string FormatSize(int64_t bytes) {
  if (bytes >= (1 << 20) && bytes % (1 << 20) == 0) return absl::StrCat(bytes >> 20, " MiB");
  if (bytes >= (1 << 10) && bytes % (1 << 10) == 0) return absl::StrCat(bytes >> 10, " KiB");
  return absl::StrCat(bytes, " B");
}

}  // namespace cox::bench
