// What the API costs over HTTP: a recommendation against an empty request to the same server, over
// connections that stay open. Empty requests are a call of a method that does
// nothing, in the same encoding, and a page without a call.
#include "gateway/gateway.h"

#include <google/protobuf/util/json_util.h>
#include <httplib.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "bench_line.h"
#include "floor.grpc.pb.h"
#include "measured_machine.h"
#include "measured_server.h"

namespace cox::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 11;
constexpr int kCallsPerRound = 500;

// Answers nothing at once.
class Floor : public FloorService::CallbackService {
  grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context,
                                   const v1::RecommendRequest* /*request*/,
                                   v1::RecommendResponse* /*response*/) override {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
};

template <typename Ask>
double MedianSeconds(const Ask& ask) {
  std::vector<double> times_s;
  for (int i = 0; i < kCallsPerRound; ++i) {
    const auto start = Clock::now();
    const httplib::Result result = ask(i);
    times_s.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    if (!result || result->status != 200) {
      std::fprintf(stderr, "a request failed: %s\n", result ? result->body.c_str() : "no answer");
      std::exit(1);
    }
  }
  return Median(times_s);
}

int Main() {
  const auto metrics = std::make_shared<gateway::Metrics>();
  Floor floor;
  const MeasuredServer server(&floor, gateway::MakeInterceptor(metrics));
  auto gateway = gateway::Gateway::Start("127.0.0.1:0", {}, &server.server(), metrics);
  if (!gateway.ok()) return 1;
  const std::string address = (*gateway)->address();
  int port = 0;
  if (!absl::SimpleAtoi(address.substr(address.rfind(':') + 1), &port)) return 1;
  httplib::Client client("127.0.0.1", port);
  client.set_keep_alive(true);
  client.set_tcp_nodelay(true);

  std::vector<std::string> protos;
  std::vector<std::string> jsons;
  for (int i = 0; i < kCallsPerRound; ++i) {
    const v1::RecommendRequest question = MakeQuestion(i);
    protos.push_back(question.SerializeAsString());
    std::string& text = jsons.emplace_back();
    if (!google::protobuf::util::MessageToJsonString(question, &text).ok()) return 1;
  }
  constexpr const char* kEmpty = "/cox.bench.FloorService/Answer";
  constexpr const char* kRecommend = "/cox.v1.AdviceService/Recommend";
  // Turn by turn, so that all meet the same disturbances.
  std::vector<double> page_s;
  std::vector<double> empty_proto_s;
  std::vector<double> empty_json_s;
  std::vector<double> proto_s;
  std::vector<double> json_s;
  for (int round = 0; round < kRounds; ++round) {
    page_s.push_back(MedianSeconds([&](int) { return client.Get("/healthz"); }));
    empty_proto_s.push_back(
        MedianSeconds([&](int) { return client.Post(kEmpty, "", "application/proto"); }));
    empty_json_s.push_back(
        MedianSeconds([&](int) { return client.Post(kEmpty, "{}", "application/json"); }));
    proto_s.push_back(MedianSeconds(
        [&](int i) { return client.Post(kRecommend, protos[i], "application/proto"); }));
    json_s.push_back(MedianSeconds(
        [&](int i) { return client.Post(kRecommend, jsons[i], "application/json"); }));
  }
  const double page_us = 1e6 * Median(page_s);
  const double proto_us = 1e6 * Median(proto_s);
  const double json_us = 1e6 * Median(json_s);
  PrintAtMost("Recommend over HTTP, protobuf, against an empty call, p50 (us)", proto_us,
              1e6 * Median(empty_proto_s), 2);
  PrintAtMost("Recommend over HTTP, JSON, against an empty call, p50 (us)", json_us,
              1e6 * Median(empty_json_s), 2);
  PrintAtMost("Recommend over HTTP, protobuf, against /healthz, p50 (us)", proto_us, page_us, 2);
  PrintAtMost("Recommend over HTTP, JSON, against /healthz, p50 (us)", json_us, page_us, 2);
  return 0;
}

}  // namespace
}  // namespace cox::bench

int main() { return cox::bench::Main(); }
