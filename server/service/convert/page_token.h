// Page tokens: a cursor, bound to the list it continues. It refuses a token of another list or of
// another filter. Every daemon takes the tokens of every other one. Not a security boundary:
// whoever wants can make a token, so the cursor may hold anything.
#ifndef COX_SERVICE_CONVERT_PAGE_TOKEN_H_
#define COX_SERVICE_CONVERT_PAGE_TOKEN_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::service {

// `list` names the method and every argument but page size and token.
std::string MakePageToken(absl::string_view list, absl::string_view cursor);

// The cursor; "" for an empty token. INVALID_ARGUMENT (field "page_token") for a token that
// MakePageToken did not give for this list.
absl::StatusOr<std::string> ParsePageToken(absl::string_view list, absl::string_view token);

// The page size to use: `fallback` for 0, at most `limit`. INVALID_ARGUMENT (field "page_size") for
// a negative one.
absl::StatusOr<int64_t> PageSize(int32_t asked, int64_t fallback, int64_t limit);

// A request for a page of a list that is ordered by a number.
struct Page {
  int64_t size = 0;
  int64_t cursor = 0;  // >= 0: the last number of the page before; 0: from the start
};
// From the request's page_size and page_token; errors as those of the two functions above.
absl::StatusOr<Page> OpenPage(absl::string_view list, int32_t page_size,
                              absl::string_view page_token, int64_t fallback, int64_t limit);

}  // namespace cox::service

#endif  // COX_SERVICE_CONVERT_PAGE_TOKEN_H_
