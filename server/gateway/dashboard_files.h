// The dashboard's files as clients/dashboard has built them, compiled in. None if coxd was built
// with COX_DASHBOARD=OFF.
//
// Any thread. Cannot fail.
#ifndef COX_GATEWAY_DASHBOARD_FILES_H_
#define COX_GATEWAY_DASHBOARD_FILES_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace cox::gateway {

struct DashboardFile {
  absl::string_view path;  // "/", "/assets/index-1a2b3c.js"
  absl::string_view type;  // "text/html; charset=utf-8"
  absl::string_view hash;  // of the bytes, in hexadecimal digits
  bool is_immutable;       // the path changes with the bytes
  absl::string_view bytes;
  absl::string_view gzip;  // the bytes, compressed; empty: they are not kept compressed
};

absl::Span<const DashboardFile> DashboardFiles();

}  // namespace cox::gateway

#endif  // COX_GATEWAY_DASHBOARD_FILES_H_
