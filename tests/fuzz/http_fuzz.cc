// Bytes on a connection: request lines, headers, lengths, chunks. Only what passes the checks of
// heads reaches the handler; each response is one of HTTP, and the next client gets an answer.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "gateway/codec.h"
#include "gateway/head_check.h"
#include "gateway/transport/http_server.h"

namespace {

using cox::gateway::HttpRequest;
using cox::gateway::HttpResponse;
using cox::gateway::HttpServer;

constexpr int64_t kBodyBytes = 2048;
constexpr time_t kPatience_s = 25;

void Expect(bool is_true, const char* what) {
  if (is_true) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

HttpResponse Answer(const HttpRequest& request) {
  Expect(!cox::gateway::CheckHead(request, kBodyBytes).has_value(), "a head that was not checked");
  Expect(request.body.size() <= static_cast<size_t>(kBodyBytes), "a body over the limit");
  Expect(request.method == "POST" || request.body.empty(), "a body without POST");
  HttpResponse response;
  response.content_type = "text/plain";
  response.body = "answer";
  return response;
}

int StartServer() {
  static std::unique_ptr<HttpServer> server;
  auto listening = HttpServer::Listen(
      "127.0.0.1:0", {.body_bytes = kBodyBytes}, Answer,
      [](int status) { Expect(status >= 200 && status < 600, "an odd status"); });
  Expect(listening.ok(), "cannot listen");
  server = *std::move(listening);
  server->Serve();
  const std::string address = server->address();
  int port = 0;
  Expect(absl::SimpleAtoi(address.substr(address.rfind(':') + 1), &port), "no port");
  return port;
}

// What the server answers to these bytes, until it closes the connection.
std::string Talk(int port, absl::string_view bytes) {
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience{kPatience_s, 0};
  setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  // The port is free again at once: thousands of connections a second would use them up.
  const linger none{1, 0};
  setsockopt(client, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
  Expect(connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0,
         "cannot connect");
  // The server may have refused it and gone before all is sent.
  (void)!send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  shutdown(client, SHUT_WR);
  std::string answer;
  char buffer[4096];
  ssize_t received = 0;
  while ((received = recv(client, buffer, sizeof(buffer), 0)) > 0) {
    answer.append(buffer, static_cast<size_t>(received));
  }
  Expect(received == 0 || errno != EAGAIN, "no answer, and the connection stays open");
  close(client);
  return answer;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int kPort = StartServer();
  const std::string answer = Talk(kPort, {reinterpret_cast<const char*>(data), size});
  Expect(answer.empty() || absl::StartsWith(answer, "HTTP/1.1 "), "this is not HTTP");
  static uint64_t count = 0;
  if (++count % 64 == 0) {
    const std::string next =
        Talk(kPort, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    Expect(absl::StartsWith(next, "HTTP/1.1 200 "), "the next client has no answer");
  }
  return 0;
}
