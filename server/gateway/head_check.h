// Checks the head of a request, before its body is read.
#ifndef COX_GATEWAY_HEAD_CHECK_H_
#define COX_GATEWAY_HEAD_CHECK_H_

#include <cstdint>
#include <optional>

#include "gateway/http.h"

namespace cox::gateway {

// The refusal, or nullopt for a request that may be answered: it is GET, HEAD or POST; the names of
// its headers are tokens; it names this host by a loopback name; only POST has a body, and that has
// a type that is understood, is not compressed, and has one length and at most `max_body_bytes`.
//
// The name matters because a web page may give its own name the address 127.0.0.1 and then ask as
// if it came from here (DNS rebinding). Over TLS any name will do: the certificate proves it, and
// nobody without a token has a role.
std::optional<HttpResponse> CheckHead(const HttpRequest& request, int64_t max_body_bytes);

}  // namespace cox::gateway

#endif  // COX_GATEWAY_HEAD_CHECK_H_
