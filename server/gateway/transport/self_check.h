// Asks the daemon's own HTTP as a new client would.
//
// Any thread. Never fails otherwise than by its answer.
#ifndef COX_GATEWAY_TRANSPORT_SELF_CHECK_H_
#define COX_GATEWAY_TRANSPORT_SELF_CHECK_H_

#include <chrono>
#include <string>

namespace cox::gateway {

// Whether HTTP at HOST:PORT answers /healthz within `timeout`, be it with a refusal because all
// connections are in use.
bool AnswersHttp(const std::string& address, bool has_tls, std::chrono::microseconds timeout);

}  // namespace cox::gateway

#endif  // COX_GATEWAY_TRANSPORT_SELF_CHECK_H_
