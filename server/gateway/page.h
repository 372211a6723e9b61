// The pages for browsers: the dashboard, or without it one page that lists the paths.
//
// Any thread. Cannot fail.
#ifndef COX_GATEWAY_PAGE_H_
#define COX_GATEWAY_PAGE_H_

#include <optional>

#include "absl/types/span.h"
#include "gateway/dashboard_files.h"
#include "gateway/http.h"

namespace cox::gateway {

// The response to a GET of the request's path: one of `files`, or without files a page at "/". 304
// if the client has the file already (If-None-Match). nullopt: the path does not exist.
std::optional<HttpResponse> AnswerPage(const HttpRequest& request,
                                       absl::Span<const DashboardFile> files);

}  // namespace cox::gateway

#endif  // COX_GATEWAY_PAGE_H_
