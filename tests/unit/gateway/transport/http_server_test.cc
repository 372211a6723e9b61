// Who is served when more clients come than may.
#include "gateway/transport/http_server.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

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
  // Ends early where the server does not read on.
  void SendWhatIsTaken(absl::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
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

// It has its answer, and sends on for longer than anybody waits for it.
TEST_F(HttpServerTest, ARefusedClientThatSendsOnDelaysNobody) {
  const Client refused(server_->address());
  refused.Send("no HTTP\r\n\r\n");
  std::atomic<bool> is_over = false;
  std::thread sending([&] {
    while (!is_over) refused.SendWhatIsTaken("and on ");
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  std::promise<void> ended;
  std::thread end([&] {
    server_.reset();
    ended.set_value();
  });
  EXPECT_EQ(ended.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
  is_over = true;
  sending.join();
  end.join();
}

std::string StatusOf(const std::string& answer) { return answer.substr(0, 12); }

// Three bodies of 1 MiB have room together. A request to /wait waits until the test lets it go.
class HttpBodiesTest : public ::testing::Test {
 protected:
  static constexpr size_t kBodyBytes = 1 << 20;

  HttpBodiesTest() { Serve(3 * int64_t{kBodyBytes}); }
  void Serve(int64_t all_bodies_bytes) {
    HttpLimits limits;
    limits.body_bytes = kBodyBytes;
    limits.all_bodies_bytes = all_bodies_bytes;
    limits.idle = limits.head_time = limits.body_time = std::chrono::minutes(2);
    server_ = *HttpServer::Listen(
        "127.0.0.1:0", limits,
        [this](const HttpRequest& request) {
          if (request.path == "/wait") {
            begun_.release();
            let_go_.wait();
          }
          HttpResponse response;
          response.body = "done";
          return response;
        },
        [](int /*status*/) {});
    server_->Serve();
  }
  static std::string Head(const std::string& path, size_t length) {
    return absl::StrCat("POST ", path,
                        " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: "
                        "application/json\r\nContent-Length: ",
                        length, "\r\n\r\n");
  }
  std::string Post(const std::string& path, size_t length) const {
    const Client client(server_->address());
    client.Send(Head(path, length));
    // A refusal may come, and the connection end, before all is sent.
    client.SendWhatIsTaken(std::string(length, 'x'));
    return client.Receive();
  }

  std::promise<void> release_;
  std::shared_future<void> let_go_ = release_.get_future().share();
  std::counting_semaphore<> begun_{0};
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpBodiesTest, WhoAnnouncesABodyAndSendsNothingTakesNoRoom) {
  std::vector<std::unique_ptr<Client>> silent;
  for (int i = 0; i < 8; ++i) {
    silent.push_back(std::make_unique<Client>(server_->address()));
    silent.back()->Send(Head("/", kBodyBytes));
    silent.back()->Send("x");
  }
  EXPECT_EQ(StatusOf(Post("/", kBodyBytes)), "HTTP/1.1 200");
}

TEST_F(HttpBodiesTest, AShortChunkedBodyTakesItsBytesWhileItIsAnswered) {
  constexpr int kStreams = 8;
  std::vector<std::unique_ptr<Client>> waiting;
  for (int i = 0; i < kStreams; ++i) {
    waiting.push_back(std::make_unique<Client>(server_->address()));
    waiting.back()->Send(
        "POST /wait HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: "
        "application/json\r\nTransfer-Encoding: "
        "chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n");
  }
  for (int i = 0; i < kStreams; ++i) {
    ASSERT_TRUE(begun_.try_acquire_for(std::chrono::minutes(1))) << i;
  }
  EXPECT_EQ(StatusOf(Post("/", kBodyBytes)), "HTTP/1.1 200");
  release_.set_value();
  for (const auto& client : waiting) EXPECT_EQ(StatusOf(client->Receive()), "HTTP/1.1 200");
}

TEST_F(HttpBodiesTest, BodiesThatHaveComeTakeRoomUntilTheyAreAnswered) {
  std::vector<std::future<std::string>> waiting;
  for (int i = 0; i < 3; ++i) {
    waiting.push_back(std::async(std::launch::async, [this] { return Post("/wait", kBodyBytes); }));
  }
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(begun_.try_acquire_for(std::chrono::minutes(1))) << i;
  const std::string refused = Post("/", kBodyBytes);
  EXPECT_EQ(StatusOf(refused), "HTTP/1.1 503");
  EXPECT_NE(refused.find("Retry-After: 1"), std::string::npos) << refused;
  EXPECT_EQ(StatusOf(Post("/", 60'000)), "HTTP/1.1 200");
  release_.set_value();
  for (auto& answer : waiting) EXPECT_EQ(StatusOf(answer.get()), "HTTP/1.1 200");
  EXPECT_EQ(StatusOf(Post("/", kBodyBytes)), "HTTP/1.1 200");
}

// As with --max-message above the default of all bodies.
TEST_F(HttpBodiesTest, ABodyOfTheMostBytesFindsRoomWhateverTheBoundOfAll) {
  Serve(1'000);
  EXPECT_EQ(StatusOf(Post("/", kBodyBytes)), "HTTP/1.1 200");
  const Client chunked(server_->address());
  chunked.Send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: "
      "application/json\r\nTransfer-Encoding: "
      "chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n");
  EXPECT_EQ(StatusOf(chunked.Receive()), "HTTP/1.1 200");
}

}  // namespace
}  // namespace cox::gateway
