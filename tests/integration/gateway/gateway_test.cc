// The daemon over HTTP, over a real socket.
#include "gateway/gateway.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "access/rules.h"
#include "certificates.h"
#include "cox/v1/access.grpc.pb.h"
#include "daemon.h"
#include "gateway/connect_envelope.h"
#include "service/entry/known_callers.h"

namespace cox {
namespace {

using nlohmann::json;

constexpr const char* kJson = "application/json";

gateway::HttpLimits ShortLimits() {
  gateway::HttpLimits limits;
  limits.connections = 4;
  limits.body_bytes = 100'000;
  limits.head_time = std::chrono::milliseconds(300);
  limits.body_time = std::chrono::milliseconds(300);
  return limits;
}

// A daemon with a machine that answers questions, and its gateway.
class GatewayTest : public ::testing::Test {
 protected:
  explicit GatewayTest(daemon::ConfigValues settings = {},
                       const gateway::HttpLimits& limits = ShortLimits())
      : metrics_(std::make_shared<gateway::Metrics>()) {
    const auto config = daemon::MakeConfig({std::move(settings),
                                            {{"data", directory_.path()},
                                             {"listen", "127.0.0.1:0"},
                                             {"refine-interval", "0s"},
                                             {"published-machines", "false"},
                                             {"drain-timeout", "5s"}}});
    server_ = *service::Server::Start(*config, {}, gateway::MakeInterceptor(metrics_));
    gateway_ = *gateway::Gateway::Start("127.0.0.1:0", limits, server_.get(), metrics_);
    const std::string address = gateway_->address();
    EXPECT_TRUE(absl::SimpleAtoi(address.substr(address.rfind(':') + 1), &port_)) << address;
  }

  httplib::Client Client() const { return httplib::Client("127.0.0.1", port_); }

  httplib::Result Post(const std::string& method, const std::string& body,
                       const char* type = kJson) const {
    return Client().Post("/cox.v1." + method, body, type);
  }

  // What a client gets that sends these bytes and then waits; stops at the server's end of it.
  std::string Raw(const std::string& bytes) const {
    const int connection = Connect();
    EXPECT_EQ(write(connection, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    std::string answer;
    char buffer[4096];
    ssize_t size = 0;
    while ((size = read(connection, buffer, sizeof(buffer))) > 0) answer.append(buffer, size);
    close(connection);
    return answer;
  }

  int Connect() const {
    const int connection = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    return connection;
  }

  void AddMachine() const {
    ASSERT_EQ(Post("MachineService/CreateMachine",
                   R"({"machine":{"name":"machines/delta","nodes":4,"coresPerNode":8}})")
                  ->status,
              200);
    AddProfile(1e-6);
  }

  void AddProfile(double alpha_s) const {
    json profile;
    for (const char* level : {"node", "network"}) {
      for (const auto& [name, value] : {std::pair("alpha", alpha_s), std::pair("beta", 1e-9)}) {
        profile["parameters"].push_back(
            {{"model", "hockney"}, {"level", level}, {"name", name}, {"value", value}});
      }
    }
    const json request = {{"parent", "machines/delta"}, {"profile", profile}};
    const auto result = Post("ProfileService/CreateProfile", request.dump());
    ASSERT_EQ(result->status, 200) << result->body;
  }

  TemporaryDirectory directory_;
  std::shared_ptr<gateway::Metrics> metrics_;
  std::unique_ptr<service::Server> server_;
  std::unique_ptr<gateway::Gateway> gateway_;
  int port_ = 0;
};

constexpr const char* kQuestion =
    R"({"machine":"delta","library":"openmpi-4.1","collective":"allreduce","nodes":2,"ppn":8,)"
    R"("blockBytes":"1024"})";

TEST_F(GatewayTest, AnswersInJsonAndInProtobufTheSame) {
  AddMachine();
  const auto machines = Post("MachineService/ListMachines", "{}");
  ASSERT_TRUE(machines);
  EXPECT_EQ(machines->status, 200);
  EXPECT_EQ(machines->get_header_value("Content-Type"), kJson);
  EXPECT_EQ(json::parse(machines->body)["machines"][0]["name"], "machines/delta");

  const auto text = Post("AdviceService/Recommend", kQuestion);
  ASSERT_EQ(text->status, 200) << text->body;
  v1::RecommendRequest question;
  question.set_machine("delta");
  question.set_library("openmpi-4.1");
  question.set_collective("allreduce");
  question.set_nodes(2);
  question.set_ppn(8);
  question.set_block_bytes(1024);
  const auto binary =
      Post("AdviceService/Recommend", question.SerializeAsString(), "application/proto");
  ASSERT_EQ(binary->status, 200) << binary->body;
  EXPECT_EQ(binary->get_header_value("Content-Type"), "application/proto");
  v1::RecommendResponse answer;
  ASSERT_TRUE(answer.ParseFromString(binary->body));
  EXPECT_FALSE(answer.algorithm().empty());
  EXPECT_EQ(json::parse(text->body)["algorithm"], answer.algorithm());
}

TEST_F(GatewayTest, ErrorsNameTheField) {
  AddMachine();
  json question = json::parse(kQuestion);
  question["blockBytes"] = -1;
  const auto result = Post("AdviceService/Recommend", question.dump());
  EXPECT_EQ(result->status, 400);
  EXPECT_EQ(result->get_header_value("Content-Type"), kJson);
  const json error = json::parse(result->body);
  EXPECT_EQ(error["code"], "invalid_argument");
  EXPECT_NE(result->body.find(R"("type":"google.rpc.BadRequest")"), std::string::npos);
  EXPECT_NE(result->body.find(R"("field":"block_bytes")"), std::string::npos) << result->body;

  EXPECT_EQ(Post("MachineService/GetMachine", R"({"name":"machines/nowhere"})")->status, 404);
  const auto malformed = Post("AdviceService/Recommend", "{\"machine\":");
  EXPECT_EQ(malformed->status, 400);
  EXPECT_EQ(json::parse(malformed->body)["code"], "invalid_argument");
}

TEST_F(GatewayTest, RefusesWhatItDoesNotServe) {
  const auto unknown = Post("AdviceService/Nothing", "{}");
  EXPECT_EQ(unknown->status, 404);
  EXPECT_EQ(json::parse(unknown->body)["code"], "unimplemented");
  EXPECT_EQ(Post("AdviceService/EvaluatePattern", "{}")->status, 415);
  EXPECT_EQ(Post("MachineService/ListMachines", "{}", "text/plain")->status, 415);
  EXPECT_EQ(Post("MachineService/ListMachines", "{}", "application/connect+json")->status, 415);
  EXPECT_EQ(Post("ProfileService/WatchProfile", "{}")->status, 415);
  EXPECT_EQ(Client().Get("/nothing")->status, 404);
  EXPECT_EQ(Client().Put("/", "x", kJson)->status, 405);
  EXPECT_EQ(Client().Get("/healthz", httplib::Headers{{"Host", "evil.example:7078"}})->status, 421);
}

TEST_F(GatewayTest, ADeadlineThatPassedIsSaid) {
  AddMachine();
  const auto late = Client().Post("/cox.v1.AdviceService/Recommend",
                                  httplib::Headers{{"Connect-Timeout-Ms", "0"}}, kQuestion, kJson);
  EXPECT_EQ(late->status, 504);
  EXPECT_EQ(json::parse(late->body)["code"], "deadline_exceeded");
  EXPECT_EQ(Client()
                .Post("/cox.v1.AdviceService/Recommend",
                      httplib::Headers{{"Connect-Timeout-Ms", "soon"}}, kQuestion, kJson)
                ->status,
            400);
}

TEST_F(GatewayTest, BytesThatAreNoMetadataDoNotEndTheDaemon) {
  EXPECT_EQ(Client()
                .Post("/cox.v1.MachineService/ListMachines",
                      httplib::Headers{{"Authorization", "Bearer \xc3\xa9"}}, "{}", kJson)
                ->status,
            400);
  EXPECT_EQ(Client().Get("/healthz")->status, 200);
}

TEST_F(GatewayTest, BoundsHeadsAndBodies) {
  const auto large = Post("MachineService/ListMachines", std::string(200'000, ' '));
  ASSERT_TRUE(large);
  EXPECT_EQ(large->status, 413);
  EXPECT_NE(large->body.find("at most 100000 bytes"), std::string::npos) << large->body;

  std::string chunked =
      "POST /cox.v1.MachineService/ListMachines HTTP/1.1\r\nHost: localhost\r\n"
      "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 200; ++i) chunked += "3e8\r\n" + std::string(1000, ' ') + "\r\n";
  EXPECT_EQ(Raw(chunked).substr(0, 12), "HTTP/1.1 413");

  const std::string head = "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(20'000, 'x');
  EXPECT_EQ(Raw(head + "\r\n\r\n").substr(0, 12), "HTTP/1.1 431");
  EXPECT_EQ(Raw("nonsense\r\n\r\n").substr(0, 12), "HTTP/1.1 400");
  // httplib's parser of ranges would recurse for each byte.
  std::string ranges = "GET / HTTP/1.1\r\nHost: localhost\r\nRANGE: bytes=0-0";
  while (ranges.size() < 16'000) ranges += ",0-0";
  EXPECT_EQ(Raw(ranges + "\r\n\r\n").substr(0, 12), "HTTP/1.1 400");
  EXPECT_EQ(Client().Get("/healthz")->status, 200);
}

// Nobody is disconnected for being slow.
class PatientGatewayTest : public GatewayTest {
 protected:
  PatientGatewayTest() : GatewayTest({}, Limits()) {}
  static gateway::HttpLimits Limits() {
    gateway::HttpLimits limits = ShortLimits();
    limits.head_time = limits.body_time = std::chrono::minutes(2);
    return limits;
  }
};

TEST_F(GatewayTest, ASlowClientIsDisconnected) {
  EXPECT_EQ(Raw("GET / HTTP/1.1\r\nHost:").substr(0, 12), "HTTP/1.1 408");
  EXPECT_EQ(Raw("POST /cox.v1.MachineService/ListMachines HTTP/1.1\r\nHost: localhost\r\n"
                "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{")
                .substr(0, 12),
            "HTTP/1.1 408");
}

// They say nothing, or begin a request and never end it.
TEST_F(PatientGatewayTest, SilentAndSlowClientsMakeRoomForOthers) {
  std::vector<int> held;
  for (int i = 0; i < 12; ++i) {
    held.push_back(Connect());
    const std::string begun = i % 2 == 0 ? "" : "GET /healthz HTTP/1.1\r\nHost:";
    EXPECT_EQ(write(held.back(), begun.data(), begun.size()), static_cast<ssize_t>(begun.size()));
  }
  for (int i = 0; i < 3; ++i) {
    const auto healthy = Client().Get("/healthz");
    ASSERT_TRUE(healthy) << httplib::to_string(healthy.error());
    EXPECT_EQ(healthy->status, 200);
  }
  for (const int connection : held) close(connection);
}

// A client that asks again on the same connection goes on as long as there is room.
TEST_F(PatientGatewayTest, AConnectionThatIsUsedStays) {
  httplib::Client client = Client();
  client.set_keep_alive(true);
  ASSERT_EQ(client.Get("/healthz")->status, 200);
  const int connection = client.socket();
  for (int i = 0; i < 12; ++i) {
    const int silent = Connect();
    EXPECT_EQ(Client().Get("/healthz")->status, 200);
    ASSERT_EQ(client.Get("/healthz")->status, 200);
    EXPECT_EQ(client.socket(), connection) << "it is never the one that waited longest";
    close(silent);
  }
}

// The envelopes of a body: flags and message of each.
std::vector<std::pair<int, json>> Envelopes(absl::string_view body) {
  std::vector<std::pair<int, json>> envelopes;
  while (body.size() >= 5) {
    size_t size = 0;
    for (int i = 1; i < 5; ++i) size = size << 8 | static_cast<uint8_t>(body[i]);
    envelopes.emplace_back(body[0], json::parse(body.substr(5, size)));
    body.remove_prefix(std::min(body.size(), 5 + size));
  }
  return envelopes;
}

// A stream of Connect, read as it comes.
class WatchedPage {
 public:
  // `headers` say who watches.
  explicit WatchedPage(int port, const std::string& machine = "delta",
                       const httplib::Headers& headers = {})
      : client_("127.0.0.1", port) {
    client_.set_read_timeout(20);
    thread_ = std::thread([this, machine, headers] {
      httplib::Request request;
      request.method = "POST";
      request.path = "/cox.v1.ProfileService/WatchProfile";
      request.headers = headers;
      request.set_header("Content-Type", "application/connect+json");
      request.body =
          gateway::Envelope(gateway::kMessageFlags, R"({"parent":"machines/)" + machine + R"("})");
      request.content_receiver = [this](const char* data, size_t size, uint64_t, uint64_t) {
        std::lock_guard lock(mutex_);
        received_.append(data, size);
        return !ending_;
      };
      (void)client_.send(request);
      std::lock_guard lock(mutex_);
      ended_ = true;
    });
  }
  ~WatchedPage() {
    {
      std::lock_guard lock(mutex_);
      ending_ = true;
    }
    client_.stop();
    thread_.join();
  }

  // The envelope at `index`: its flags and message. Waits for it; {-1, null} if it does not come.
  std::pair<int, json> At(int index) {
    for (int i = 0; i < 2'000; ++i) {
      {
        std::lock_guard lock(mutex_);
        size_t at = 0;
        for (int left = index; at + 5 <= received_.size(); --left) {
          size_t size = 0;
          for (int k = 1; k < 5; ++k) size = size << 8 | static_cast<uint8_t>(received_[at + k]);
          if (at + 5 + size > received_.size()) break;
          if (left == 0) return {received_[at], json::parse(received_.substr(at + 5, size))};
          at += 5 + size;
        }
        if (ended_) break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return {-1, nullptr};
  }

 private:
  httplib::Client client_;
  std::mutex mutex_;
  std::string received_;
  bool ending_ = false;
  bool ended_ = false;
  std::thread thread_;
};

TEST_F(GatewayTest, AStreamSendsEachChangeAsItComesAndSaysHowItEnded) {
  AddMachine();
  WatchedPage watch(port_);
  EXPECT_EQ(watch.At(0).second["revision"], "1");
  AddProfile(2e-6);
  EXPECT_EQ(watch.At(1).second["revision"], "2");
  gateway_->Drain();
  auto [flags, end] = watch.At(2);
  EXPECT_EQ(flags, gateway::kEndOfStreamFlag);
  EXPECT_EQ(end["error"]["code"], "unavailable");
  server_->Drain();
  // No client may ask the server anything now.
  EXPECT_EQ(Post("MachineService/ListMachines", "{}")->status, 503);
  EXPECT_EQ(Client().Get("/metrics")->status, 200);
  const auto ready = Client().Get("/readyz");
  EXPECT_EQ(ready->status, 503);
  EXPECT_EQ(Client().Get("/healthz")->status, 200);
}

TEST_F(GatewayTest, StreamsAreBoundedAndGoWithTheirClients) {
  AddMachine();
  const std::string body =
      gateway::Envelope(gateway::kMessageFlags, R"({"parent":"machines/delta"})");
  const auto third = [&] {
    httplib::Client client = Client();
    client.set_read_timeout(1);  // for one that is accepted, and never ends
    const auto result =
        client.Post("/cox.v1.ProfileService/WatchProfile", body, "application/connect+json");
    return result ? result->status : 200;
  };
  {
    WatchedPage first(port_);
    WatchedPage second(port_);
    EXPECT_EQ(first.At(0).first, 0);
    EXPECT_EQ(second.At(0).first, 0);
    EXPECT_EQ(third(), 429);
  }
  int status = 429;
  for (int i = 0; i < 100 && status == 429; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    status = third();
  }
  EXPECT_EQ(status, 200);
}

// With places for eight streams, and viewers only.
class SharedGatewayTest : public GatewayTest {
 protected:
  SharedGatewayTest()
      : GatewayTest({{"anonymous-role", "viewer"},
                     {"published-machines", "true"},
                     {"listen", absl::StrCat("unix-abstract:cox-gateway-", getpid())}},
                    [] {
                      gateway::HttpLimits limits = ShortLimits();
                      limits.connections = 16;
                      return limits;
                    }()) {}

  httplib::Headers NewViewer() const {
    v1::CreateTokenRequest request;
    request.mutable_token()->set_name("tokens/other");
    request.mutable_token()->set_role(v1::ROLE_VIEWER);
    v1::CreateTokenResponse response;
    const auto stub = v1::AccessService::NewStub(
        grpc::CreateChannel(server_->address(), grpc::InsecureChannelCredentials()));
    EXPECT_TRUE(Call(&v1::AccessService::Stub::CreateToken, stub, request, &response).ok());
    return {{"Authorization", "Bearer " + response.text()}};
  }
};

TEST_F(SharedGatewayTest, NobodyTakesAllStreams) {
  std::vector<std::unique_ptr<WatchedPage>> pages;
  for (int i = 0; i < 6; ++i) {
    pages.push_back(std::make_unique<WatchedPage>(port_, "cm5-64"));
    EXPECT_EQ(pages.back()->At(0).first, 0);
  }
  httplib::Client client = Client();
  client.set_read_timeout(1);  // for one that is accepted, and never ends
  const auto refused =
      client.Post("/cox.v1.ProfileService/WatchProfile",
                  gateway::Envelope(gateway::kMessageFlags, R"({"parent":"machines/cm5-64"})"),
                  "application/connect+json");
  ASSERT_TRUE(refused) << "a seventh stream of the same caller";
  EXPECT_EQ(refused->status, 429);
  EXPECT_TRUE(absl::StrContains(refused->body, "6 of anonymous")) << refused->body;
  WatchedPage other(port_, "cm5-64", NewViewer());
  EXPECT_EQ(other.At(0).first, 0);
}

// A question of many seconds, whose answer the test does not await.
std::string LongQuestion() {
  json question = {{"machine", "gcel-64"}, {"collective", "alltoall"}};
  for (int i = 0; i < 200; ++i) question["ranks"].push_back(2'147'483'647 - i);
  for (int i = 0; i < 400; ++i) question["blockBytes"].push_back(1'000 + i);
  const std::string body = question.dump();
  return absl::StrCat(
      "POST /cox.v1.AdviceService/BatchEvaluate HTTP/1.1\r\nHost: localhost\r\n"
      "Content-Type: application/json\r\nConnect-Timeout-Ms: 3600000\r\nContent-Length: ",
      body.size(), "\r\n\r\n", body);
}

TEST_F(SharedGatewayTest, NobodyTakesAllThreadsAndCallsGoWithTheirClients) {
  const std::string question = LongQuestion();
  std::vector<int> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(Connect());
    ASSERT_EQ(write(clients.back(), question.data(), question.size()),
              static_cast<ssize_t>(question.size()));
  }
  // Until its status is this one.
  const auto ask = [&](int awaited) {
    int status = 0;
    for (int i = 0; i < 100 && status != awaited; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      status = Post("AccessService/WhoAmI", "{}")->status;
    }
    return status;
  };
  EXPECT_EQ(ask(429), 429) << "a seventh call of the same caller";
  EXPECT_EQ(Client().Post("/cox.v1.AccessService/WhoAmI", NewViewer(), "{}", kJson)->status, 200);
  EXPECT_EQ(Client().Get("/healthz")->status, 200);
  for (const int client : clients) close(client);
  // One of them runs at a time, for seconds.
  bool are_gone = false;
  for (int i = 0; i < 100 && !are_gone; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    are_gone = absl::StrContains(Client().Get("/metrics")->body, "\ncoxd_rpc_in_flight 0\n");
  }
  EXPECT_TRUE(are_gone);
}

TEST_F(GatewayTest, AStreamOfRequestsIsAnsweredAfterItsLast) {
  AddMachine();
  const auto message = [](const char* text) {
    return gateway::Envelope(gateway::kMessageFlags, text);
  };
  const std::string body =
      message(R"({"header":{"machine":"delta","ranks":4,"ppn":1,"routes":["direct"]}})") +
      message(R"({"sources":[0,1],"destinations":[1,0],"blockBytes":[64,64]})") +
      message(R"({"sources":[2],"destinations":[3],"blockBytes":[100]})");
  const auto result = Post("AdviceService/EvaluatePattern", body, "application/connect+json");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 200);
  const auto envelopes = Envelopes(result->body);
  ASSERT_EQ(envelopes.size(), 2u) << result->body;
  EXPECT_EQ(envelopes[0].second["messageCount"], "3") << envelopes[0].second;
  EXPECT_EQ(envelopes[0].second["volumeBytes"], 228) << envelopes[0].second;
  EXPECT_EQ(envelopes[1].first, gateway::kEndOfStreamFlag);
  EXPECT_EQ(envelopes[1].second, json::object());

  const auto wrong = Post("AdviceService/EvaluatePattern",
                          message(R"({"header":{"machine":"delta","ranks":4}})") +
                              message(R"({"sources":[0],"destinations":[9],"blockBytes":[1]})"),
                          "application/connect+json");
  const auto ended = Envelopes(wrong->body);
  ASSERT_EQ(ended.size(), 1u) << wrong->body;
  EXPECT_EQ(ended[0].second["error"]["code"], "invalid_argument") << ended[0].second;
}

TEST_F(GatewayTest, AStreamOfNothingEndsWithTheError) {
  const std::string body =
      gateway::Envelope(gateway::kMessageFlags, R"({"parent":"machines/nowhere"})");
  const auto result = Post("ProfileService/WatchProfile", body, "application/connect+json");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 200);
  ASSERT_GT(result->body.size(), 5u);
  EXPECT_EQ(result->body[0], gateway::kEndOfStreamFlag);
  EXPECT_EQ(json::parse(result->body.substr(5))["error"]["code"], "not_found");
}

// The value of a line of metrics; -1 without it.
double ValueOf(const std::string& metrics, const std::string& series) {
  for (const absl::string_view line : absl::StrSplit(metrics, '\n')) {
    double value = 0;
    if (absl::StartsWith(line, series + " ") &&
        absl::SimpleAtod(line.substr(series.size() + 1), &value)) {
      return value;
    }
  }
  return -1;
}

// Nobody without a token has a role over HTTP.
class GatewayWithTokensTest : public GatewayTest {
 protected:
  GatewayWithTokensTest()
      : GatewayTest({{"anonymous-role", "none"},
                     {"listen", absl::StrCat("unix-abstract:cox-gateway-", getpid())}}) {
    v1::CreateTokenRequest request;
    request.mutable_token()->set_name("tokens/prometheus");
    request.mutable_token()->set_role(v1::ROLE_VIEWER);
    v1::CreateTokenResponse response;
    const auto stub = v1::AccessService::NewStub(
        grpc::CreateChannel(server_->address(), grpc::InsecureChannelCredentials()));
    EXPECT_TRUE(Call(&v1::AccessService::Stub::CreateToken, stub, request, &response).ok());
    headers_ = {{"Authorization", "Bearer " + response.text()}};
  }
  httplib::Headers headers_;
};

TEST_F(GatewayWithTokensTest, HttpNeedsTheSameRoles) {
  constexpr const char* kList = "/cox.v1.MachineService/ListMachines";
  constexpr const char* kDelete = "/cox.v1.MachineService/DeleteMachine";
  EXPECT_EQ(Client().Post(kList, "{}", kJson)->status, 403);
  EXPECT_EQ(Client().Post(kList, headers_, "{}", kJson)->status, 200);
  EXPECT_EQ(Client().Post(kDelete, headers_, "{}", kJson)->status, 403);
  EXPECT_EQ(Client().Post(kList, {{"Authorization", "Bearer x"}}, "{}", kJson)->status, 401);
  // Who calls is asked before the request is parsed.
  for (const char* nonsense : {"{", R"({"nonsense":1})"}) {
    EXPECT_EQ(Client().Post(kList, nonsense, kJson)->status, 403);
    EXPECT_EQ(Client().Post(kList, {{"Authorization", "Bearer x"}}, nonsense, kJson)->status, 401);
    EXPECT_EQ(Client().Post(kDelete, headers_, nonsense, kJson)->status, 403);
    EXPECT_EQ(Client().Post(kList, headers_, nonsense, kJson)->status, 400);
  }
  // The gateway's own way to say who calls is not for clients.
  grpc::ClientContext context;
  context.AddMetadata("cox-ticket", "x");
  v1::ListMachinesResponse machines;
  const auto stub = v1::MachineService::NewStub(
      grpc::CreateChannel(server_->address(), grpc::InsecureChannelCredentials()));
  EXPECT_EQ(stub->ListMachines(&context, v1::ListMachinesRequest(), &machines).error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(Client().Get("/metrics")->status, 403);
  EXPECT_EQ(Client().Get("/metrics", headers_)->status, 200);
  for (const char* open : {"/", "/healthz", "/readyz"}) {
    EXPECT_EQ(Client().Get(open)->status, 200) << open;
  }
}

TEST_F(GatewayTest, MetricsSayWhatHappened) {
  AddMachine();
  for (int i = 0; i < 3; ++i) Post("AdviceService/Recommend", kQuestion);
  Post("MachineService/GetMachine", R"({"name":"machines/nowhere"})");
  // The other door counts, too.
  const auto stub = v1::MachineService::NewStub(
      grpc::CreateChannel(server_->address(), grpc::InsecureChannelCredentials()));
  v1::ListMachinesResponse machines;
  ASSERT_TRUE(
      Call(&v1::MachineService::Stub::ListMachines, stub, v1::ListMachinesRequest(), &machines)
          .ok());
  // A call is counted when the server is done with it, which may be after its answer came.
  std::string text;
  const std::string listed =
      R"(coxd_rpc_calls_total{code="ok",method="cox.v1.MachineService/ListMachines"})";
  for (int i = 0; i < 200 && ValueOf(text, listed) < 1; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    text = Client().Get("/metrics")->body;
  }
  EXPECT_EQ(ValueOf(text, listed), 1) << text;
  EXPECT_EQ(
      ValueOf(text, R"(coxd_rpc_calls_total{code="ok",method="cox.v1.AdviceService/Recommend"})"),
      3)
      << text;
  EXPECT_EQ(ValueOf(text, R"(coxd_rpc_calls_total{code="not_found",)"
                          R"(method="cox.v1.MachineService/GetMachine"})"),
            1);
  EXPECT_EQ(ValueOf(text, R"(coxd_rpc_duration_seconds_count{)"
                          R"(method="cox.v1.AdviceService/Recommend"})"),
            3);
  EXPECT_EQ(ValueOf(text, R"(coxd_machine_revision{machine="delta"})"), 1);
  EXPECT_GE(ValueOf(text, R"(coxd_machine_profile_age_seconds{machine="delta"})"), 0);
  EXPECT_EQ(ValueOf(text, R"(coxd_machine_drifts{machine="delta"})"), 0);
  // Nothing was observed: there is no error, not one of 0.
  EXPECT_EQ(ValueOf(text, R"(coxd_machine_prediction_error_ratio{machine="delta"})"), -1);
  // A new machine without a timing: nothing predicts one of the three; and nobody tuned anything.
  EXPECT_EQ(ValueOf(text, R"(coxd_decisions_total{outcome="changed"})") +
                ValueOf(text, R"(coxd_decisions_total{outcome="default"})") +
                ValueOf(text, R"(coxd_decisions_total{outcome="unknown"})"),
            3)
      << text;
  EXPECT_EQ(ValueOf(text, R"(coxd_decisions_total{outcome="trial"})"), 0);
  EXPECT_EQ(ValueOf(text, R"(coxd_machine_saved_seconds{machine="delta"})"), -1);
  EXPECT_EQ(ValueOf(text, "coxd_rpc_in_flight"), 0);
  EXPECT_EQ(ValueOf(text, "coxd_observations_stored"), 0);
  EXPECT_EQ(ValueOf(text, "coxd_timings_dropped_total"), 0);
  EXPECT_EQ(ValueOf(text, "coxd_observations_refused_total"), 0);
  EXPECT_GT(ValueOf(text, "coxd_database_bytes"), 0);
  EXPECT_EQ(ValueOf(text, "coxd_backups_failed_total"), 0);
  EXPECT_EQ(ValueOf(text, "coxd_database_readable"), 1);
  EXPECT_EQ(ValueOf(text, "coxd_database_writable"), 1);
  EXPECT_EQ(ValueOf(text, R"(coxd_http_responses_total{status="404"})"), 1);
  EXPECT_GE(ValueOf(text, "coxd_http_connections"), 1);
}

// docs/http.md is the one table of all metrics.
TEST_F(GatewayTest, EveryMetricIsInTheDocs) {
  AddMachine();
  Post("AdviceService/Recommend", kQuestion);
  Client().Get("/healthz");
  std::ifstream file(COX_SOURCE_DIR "/docs/http.md");
  const std::string docs((std::istreambuf_iterator<char>(file)), {});
  const std::string text = Client().Get("/metrics")->body;
  int count = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::StartsWith(line, "# TYPE ")) continue;
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    EXPECT_NE(docs.find("`" + words[2]), std::string::npos) << words[2];
    ++count;
  }
  EXPECT_GE(count, 10) << text;
}

TEST_F(GatewayTest, ServesHealthAndAPage) {
  EXPECT_EQ(Client().Get("/healthz")->body, "ok\n");
  EXPECT_EQ(Client().Get("/readyz")->status, 200);
  const auto page = Client().Get("/");
  EXPECT_EQ(page->status, 200);
  EXPECT_NE(page->get_header_value("Content-Security-Policy").find("default-src 'none'"),
            std::string::npos);
  EXPECT_EQ(Client()
                .Get("/", httplib::Headers{{"If-None-Match", page->get_header_value("ETag")}})
                ->status,
            304);
  EXPECT_EQ(Client().Head("/")->status, 200);
}

TEST_F(GatewayTest, AnswersAreNotCompressedOnTheWay) {
  const auto answer = Client().Post("/cox.v1.ModelService/ListModels",
                                    httplib::Headers{{"Accept-Encoding", "br, gzip"}}, "{}", kJson);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->get_header_value("Content-Encoding"), "");
}

TEST_F(GatewayTest, ASecondOneOnTheSamePortSaysWhatToDo) {
  const auto second = gateway::Gateway::Start(gateway_->address(), {}, server_.get(), metrics_);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(std::string(second.status().message()).find("--http"), std::string::npos);
}

// The files of a daemon with a certificate. Before the daemon that reads them.
class CertificateFiles {
 protected:
  void Write(const std::string& name, const std::string& text) const {
    const std::string path = Path(name);
    std::ofstream(path + ".new") << text;
    chmod((path + ".new").c_str(), 0600);
    std::filesystem::rename(path + ".new", path);
  }
  std::string Path(const std::string& name) const { return files_.path() + "/" + name; }
  void Install(const CertificateAuthority& ca) const {
    const PemPair server = ca.Issue("IP:127.0.0.1");
    Write("server.key", server.key);
    Write("server.pem", server.certificate);
    Write("ca.pem", ca.certificate());
  }
  // Whoever has no token is an administrator: where there is no TLS.
  daemon::ConfigValues Settings() const {
    Install(ca_);
    return {{"anonymous-role", "admin"},
            {"tls-certificate", Path("server.pem")},
            {"tls-key", Path("server.key")}};
  }

  const TemporaryDirectory files_;
  const CertificateAuthority ca_{"ca"};
};

class GatewayTlsTest : private CertificateFiles, public GatewayTest {
 protected:
  GatewayTlsTest() : GatewayTest(Settings(), Limits()) {
    v1::CreateTokenRequest request;
    request.mutable_token()->set_name("tokens/ci");
    request.mutable_token()->set_role(v1::ROLE_OPERATOR);
    v1::CreateTokenResponse response;
    // As the gateway does for a caller without TLS.
    const auto ticket = server_->Identify({.peer = access::kOverHttp},
                                          *access::FindRule("cox.v1.AccessService/CreateToken"));
    EXPECT_TRUE(ticket.ok()) << ticket.status();
    grpc::ClientContext context;
    context.AddMetadata(service::kTicketHeader, (*ticket)->text());
    const auto stub = v1::AccessService::NewStub(server_->InProcessChannel());
    EXPECT_TRUE(stub->CreateToken(&context, request, &response).ok());
    headers_ = {{"Authorization", "Bearer " + response.text()}};
  }
  // Agreeing on TLS takes two computations and two turns, on a busy computer.
  static gateway::HttpLimits Limits() {
    gateway::HttpLimits limits = ShortLimits();
    limits.head_time = std::chrono::milliseconds(2'000);
    limits.body_time = std::chrono::milliseconds(20'000);
    return limits;
  }
  std::unique_ptr<httplib::SSLClient> Trusting(const char* ca_file = "ca.pem") const {
    auto client = std::make_unique<httplib::SSLClient>("127.0.0.1", port_);
    client->set_ca_cert_path(Path(ca_file).c_str());
    client->enable_server_certificate_verification(true);
    return client;
  }
  using CertificateFiles::Install;
  using CertificateFiles::Write;

  httplib::Headers headers_;
};

TEST_F(GatewayTlsTest, AnswersOverTlsAndNotWithoutIt) {
  const auto healthy = Trusting()->Get("/healthz");
  ASSERT_TRUE(healthy) << httplib::to_string(healthy.error());
  EXPECT_EQ(healthy->status, 200);
  EXPECT_FALSE(Client().Get("/healthz")) << "no TLS";
  const CertificateAuthority stranger("stranger");
  Write("stranger.pem", stranger.certificate());
  EXPECT_FALSE(Trusting("stranger.pem")->Get("/healthz")) << "the client does not trust it";
}

TEST_F(GatewayTlsTest, NobodyWithoutATokenHasARole) {
  const auto client = Trusting();
  constexpr const char* kList = "/cox.v1.MachineService/ListMachines";
  EXPECT_EQ(client->Post(kList, "{}", kJson)->status, 401);
  EXPECT_EQ(client->Get("/metrics")->status, 401);
  EXPECT_EQ(client->Post(kList, headers_, "{}", kJson)->status, 200);
  EXPECT_EQ(client->Get("/metrics", headers_)->status, 200);
  EXPECT_EQ(client->Post("/cox.v1.AccessService/ListTokens", headers_, "{}", kJson)->status, 403);
}

TEST_F(GatewayTlsTest, SendsAndTakesMuch) {
  const auto client = Trusting();
  const auto strategies =
      client->Post("/cox.v1.ModelService/ListStrategies", headers_, "{}", kJson);
  ASSERT_TRUE(strategies);
  EXPECT_EQ(strategies->status, 200);
  EXPECT_GT(strategies->body.size(), 20'000u) << "several records of TLS";
  EXPECT_FALSE(json::parse(strategies->body)["strategies"].empty());
  const std::string large = absl::StrCat("{\"parent\":\"", std::string(90'000, 'x'), "\"}");
  EXPECT_EQ(client->Post("/cox.v1.ProfileService/ListProfiles", headers_, large, kJson)->status,
            400);
}

TEST_F(GatewayTlsTest, AClientThatSaysNothingIsDisconnected) {
  EXPECT_EQ(Raw(""), "");
  EXPECT_EQ(Raw(std::string("\x16\x03\x01", 3)), "") << "the begin of a handshake";
  EXPECT_EQ(Trusting()->Get("/healthz")->status, 200) << "the others go on";
}

TEST_F(GatewayTlsTest, TakesANewCertificate) {
  ASSERT_EQ(Trusting()->Get("/healthz")->status, 200);
  Install(CertificateAuthority("next"));
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!Trusting()->Get("/healthz")) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up);
  }
}

}  // namespace
}  // namespace cox
