#include "gateway/page.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "library/fingerprint.h"

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
<p>This coxd was built without the dashboard. <code>npm ci --prefix clients/dashboard</code>, then <code>cmake</code>
again, builds it.</p>
<p>For example:</p>
<pre>curl http://127.0.0.1:7078/cox.v1.MachineService/ListMachines -H 'Content-Type: application/json' -d '{}'</pre>
</html>
)html";

}  // namespace

HttpResponse AnswerPage(const HttpRequest& request) {
  // Of the contents, so that it is the same after a restart.
  static const std::string tag = absl::StrCat("\"", library::Fingerprint(kPage), "\"");
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
  return std::nullopt;
}

}  // namespace cox::gateway
