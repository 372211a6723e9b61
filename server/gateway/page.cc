#include "gateway/page.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

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

// The hash must change with the page.
constexpr DashboardFile kWithoutDashboard[] = {{.path = "/",
                                                .type = "text/html; charset=utf-8",
                                                .hash = "without-dashboard-2",
                                                .is_immutable = false,
                                                .bytes = kPage,
                                                .gzip = ""}};

// Everything comes from coxd itself, and nothing is in the HTML: no inline script or style.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// "gzip" with a weight above 0 (RFC 9110, 12.5.3).
bool AcceptsGzip(absl::string_view codings) {
  for (const absl::string_view each : absl::StrSplit(codings, ',')) {
    const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(each, ';');
    if (!absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(parts.first), "gzip")) continue;
    absl::string_view weight = absl::StripAsciiWhitespace(parts.second);
    double value = 1;
    return !absl::ConsumePrefix(&weight, "q=") || (absl::SimpleAtod(weight, &value) && value > 0);
  }
  return false;
}

HttpResponse Send(const HttpRequest& request, const DashboardFile& file) {
  const bool compressed = !file.gzip.empty() && AcceptsGzip(request.Header(kAcceptedCodings));
  const std::string tag = absl::StrCat("\"", file.hash, compressed ? "-gzip" : "", "\"");
  HttpResponse response;
  response.headers = {
      {"ETag", tag},
      {"Cache-Control", file.is_immutable ? "public, max-age=31536000, immutable" : "no-cache"},
      {"Vary", "Accept-Encoding"},
      {"Content-Security-Policy", kPolicy},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Referrer-Policy", "no-referrer"},
  };
  if (absl::StrContains(request.Header("if-none-match"), tag)) {
    response.status = 304;
    return response;
  }
  if (compressed) response.headers.emplace_back("Content-Encoding", "gzip");
  response.content_type = std::string(file.type);
  response.body = std::string(compressed ? file.gzip : file.bytes);
  return response;
}

}  // namespace

std::optional<HttpResponse> AnswerPage(const HttpRequest& request,
                                       absl::Span<const DashboardFile> files) {
  if (files.empty()) files = kWithoutDashboard;
  for (const DashboardFile& file : files) {
    if (file.path == request.path) return Send(request, file);
  }
  return std::nullopt;
}

}  // namespace cox::gateway
