// A write that carries a request id, so that a resend gets the first outcome. Plain data.
#ifndef COX_STORE_REQUEST_H_
#define COX_STORE_REQUEST_H_

#include "absl/strings/string_view.h"

namespace cox::store {

struct Request {
  absl::string_view id;  // "": never a resend
  absl::string_view method;
  absl::string_view subject;
};

}  // namespace cox::store

#endif  // COX_STORE_REQUEST_H_
