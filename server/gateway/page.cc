#include "gateway/page.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"

namespace cox::gateway {
namespace {

constexpr absl::string_view kPage = R"html(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Coxswain</title>
<h1>Coxswain</h1>
<p>This daemon predicts what MPI collective operations cost and recommends algorithms.</p>
<ul>
<li><code>POST /cox.v1.<i>Service</i>/<i>Method</i></code>: the API, with JSON or Protocol Buffers (Connect protocol)
<li><a href="/healthz">/healthz</a>: does the process live?
<li><a href="/readyz">/readyz</a>: does it answer questions?
<li><a href="/metrics">/metrics</a>: metrics for Prometheus
</ul>
<p>For example:</p>
<pre>curl http://127.0.0.1:7078/cox.v1.MachineService/ListMachines -H 'Content-Type: application/json' -d '{}'</pre>
</html>
)html";

// Of the contents, so that it is the same after a restart. FNV-1a.
std::string Tag(absl::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return absl::StrCat("\"", absl::Hex(hash, absl::kZeroPad16), "\"");
}

}  // namespace

HttpResponse AnswerPage(const HttpRequest& request) {
  static const std::string tag = Tag(kPage);
  HttpResponse response;
  response.headers = {
      {"ETag", tag},
      {"Cache-Control", "no-cache"},
      {"Content-Security-Policy",
       "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"Referrer-Policy", "no-referrer"},
  };
  if (request.Header("if-none-match") == tag) {
    response.status = 304;
    return response;
  }
  response.content_type = "text/html; charset=utf-8";
  response.body = std::string(kPage);
  return response;
}

}  // namespace cox::gateway
