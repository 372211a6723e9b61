// The pages for a person with a browser: the dashboard; without it, one that says what is served.
//
// Any thread. Cannot fail.
#ifndef COX_GATEWAY_PAGE_H_
#define COX_GATEWAY_PAGE_H_

#include <optional>

#include "absl/types/span.h"
#include "gateway/dashboard_files.h"
#include "gateway/http.h"

namespace cox::gateway {

// What a GET of the request's path answers: one of `files`, or without files a page at "/". 304 if
// the client has it already (If-None-Match). nullopt: nothing is at this path.
std::optional<HttpResponse> AnswerPage(const HttpRequest& request,
                                       absl::Span<const DashboardFile> files);

}  // namespace cox::gateway

#endif  // COX_GATEWAY_PAGE_H_
