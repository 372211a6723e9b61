#include "service/convert/page_token.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "domain/errors.h"
#include "library/fingerprint.h"

namespace cox::service {
namespace {

constexpr size_t kSealBytes = 16;

// The same in every process: another daemon may be asked for the next page, or this one after it
// was started again. The length keeps the end of a list's name from being the begin of a cursor.
std::string Seal(absl::string_view list, absl::string_view cursor) {
  return library::Fingerprint(absl::StrCat(list.size(), ":", list, cursor));
}

absl::Status NoTokenOfThisList() {
  return domain::InvalidField("page_token",
                              "is not a token of this list; leave it empty to list from the start");
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
  return NoTokenOfThisList();
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
  if (cursor->empty()) return page;
  if (!absl::SimpleAtoi(*cursor, &page.cursor) || page.cursor < 0) return NoTokenOfThisList();
  return page;
}

}  // namespace cox::service
