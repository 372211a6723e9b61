// Who is served when more clients come than may.
#include "gateway/transport/http_server.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <semaphore>

#include "absl/strings/numbers.h"

namespace cox::gateway {
namespace {

constexpr absl::string_view kGet =
    "GET /slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

class Client {
 public:
  explicit Client(const std::string& address) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    int port = 0;
    EXPECT_TRUE(absl::SimpleAtoi(address.substr(address.rfind(':') + 1), &port));
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<uint16_t>(port));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&at), sizeof(at)), 0);
  }
  ~Client() { close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void Send(absl::string_view bytes) const {
    EXPECT_EQ(write(socket_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  // Until the server closes.
  std::string Receive() const {
    std::string answer;
    char buffer[4096];
    ssize_t size = 0;
    while ((size = read(socket_, buffer, sizeof(buffer))) > 0) answer.append(buffer, size);
    return answer;
  }

 private:
  const int socket_;
};

// Two connections; each request waits until the test lets it go.
class HttpServerTest : public ::testing::Test {
 protected:
  HttpServerTest() {
    HttpLimits limits;
    limits.connections = 2;
    limits.idle = limits.head_time = std::chrono::minutes(2);
    server_ = *HttpServer::Listen(
        "127.0.0.1:0", limits,
        [this](const HttpRequest& /*request*/) {
          begun_.release();
          let_go_.wait();
          HttpResponse response;
          response.body = "done";
          return response;
        },
        [](int /*status*/) {});
    server_->Serve();
  }

  std::promise<void> release_;
  std::shared_future<void> let_go_ = release_.get_future().share();
  std::counting_semaphore<> begun_{0};
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, WhoIsBeingAnsweredIsNotDisconnectedForOthers) {
  const Client answered(server_->address());
  answered.Send(kGet);
  begun_.acquire();
  // The silent one makes room for the third, and the third is being answered, too.
  const Client silent(server_->address());
  const Client third(server_->address());
  third.Send(kGet);
  begun_.acquire();
  EXPECT_EQ(silent.Receive(), "");
  const std::string refused = Client(server_->address()).Receive();
  EXPECT_EQ(refused.substr(0, 12), "HTTP/1.1 503") << refused;
  EXPECT_NE(refused.find("Retry-After: 1"), std::string::npos) << refused;
  release_.set_value();
  for (const Client* client : {&answered, &third}) {
    const std::string answer = client->Receive();
    EXPECT_EQ(answer.substr(0, 12), "HTTP/1.1 200") << answer;
  }
}

}  // namespace
}  // namespace cox::gateway
