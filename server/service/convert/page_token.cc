#include "service/convert/page_token.h"

#include <algorithm>
#include <random>

#include "absl/hash/hash.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "domain/errors.h"

namespace cox::service {
namespace {

constexpr size_t kSealBytes = 16;

std::string Seal(absl::string_view list, absl::string_view cursor) {
  static const uint64_t secret = (uint64_t{std::random_device{}()} << 32) | std::random_device{}();
  return absl::StrCat(absl::Hex(absl::HashOf(secret, list, cursor), absl::kZeroPad16));
}

}  // namespace

std::string MakePageToken(absl::string_view list, absl::string_view cursor) {
  return absl::WebSafeBase64Escape(absl::StrCat(Seal(list, cursor), cursor));
}

absl::StatusOr<std::string> ParsePageToken(absl::string_view list, absl::string_view token) {
  if (token.empty()) return std::string();
  std::string sealed;
  if (absl::WebSafeBase64Unescape(token, &sealed) && sealed.size() >= kSealBytes) {
    std::string cursor = sealed.substr(kSealBytes);
    if (sealed.substr(0, kSealBytes) == Seal(list, cursor)) return cursor;
  }
  return domain::InvalidField("page_token",
                              "is not a token of this list; leave it empty to list from the start");
}

absl::StatusOr<int64_t> PageSize(int32_t asked, int64_t fallback, int64_t limit) {
  if (asked < 0) {
    return domain::InvalidField("page_size", absl::StrCat("must not be negative; it is ", asked));
  }
  return asked == 0 ? fallback : std::min<int64_t>(asked, limit);
}

absl::StatusOr<Page> OpenPage(absl::string_view list, int32_t page_size,
                              absl::string_view page_token, int64_t fallback, int64_t limit) {
  const absl::StatusOr<int64_t> size = PageSize(page_size, fallback, limit);
  if (!size.ok()) return size.status();
  const absl::StatusOr<std::string> cursor = ParsePageToken(list, page_token);
  if (!cursor.ok()) return cursor.status();
  Page page{.size = *size, .cursor = 0};
  if (!cursor->empty() && !absl::SimpleAtoi(*cursor, &page.cursor)) {
    return absl::InternalError(absl::StrCat("page_token: holds \"", *cursor, "\""));
  }
  return page;
}

}  // namespace cox::service
