// The page at /: what is served here, for a person who looks with a browser.
#ifndef COX_GATEWAY_PAGE_H_
#define COX_GATEWAY_PAGE_H_

#include "gateway/http.h"

namespace cox::gateway {

// 304 if the client has the page already (If-None-Match).
HttpResponse AnswerPage(const HttpRequest& request);

}  // namespace cox::gateway

#endif  // COX_GATEWAY_PAGE_H_
