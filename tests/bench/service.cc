// Questions over the wire: what an answer costs beyond the call itself, and how many decisions a
// batch makes in a second. The floor is the same server answering a method that does nothing, with
// messages of the same size.
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bench_line.h"
#include "cox/v1/advice.grpc.pb.h"
#include "floor.grpc.pb.h"
#include "measured_machine.h"
#include "measured_server.h"
#include "service/arena_allocator.h"

namespace cox::bench {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Floor : public FloorService::CallbackService {
 public:
  Floor() { SetMessageAllocatorFor_Answer(&allocator_); }
  void set_answer(v1::RecommendResponse answer) { answer_ = std::move(answer); }

  grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context,
                                   const v1::RecommendRequest* /*request*/,
                                   v1::RecommendResponse* response) override {
    *response = answer_;
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

 private:
  service::ArenaAllocator<v1::RecommendRequest, v1::RecommendResponse> allocator_;
  v1::RecommendResponse answer_;
};

// Calls one after another; the median of their times.
using BlockingCall = std::function<grpc::Status(grpc::ClientContext*, const v1::RecommendRequest&,
                                                v1::RecommendResponse*)>;
double MedianSeconds(const BlockingCall& call, int count) {
  std::vector<double> times_s;
  for (int i = 0; i < count; ++i) {
    const v1::RecommendRequest question = MakeQuestion(i);
    v1::RecommendResponse response;
    grpc::ClientContext context;
    const auto start = Clock::now();
    const grpc::Status status = call(&context, question, &response);
    times_s.push_back(SecondsSince(start));
    if (!status.ok()) {
      std::fprintf(stderr, "a call failed: %s\n", status.error_message().c_str());
      std::exit(1);
    }
  }
  return Median(times_s);
}

// `in_flight` calls open at any time until `count` are answered; calls per second.
using AsyncCall = std::function<void(grpc::ClientContext*, const v1::RecommendRequest*,
                                     v1::RecommendResponse*, std::function<void(grpc::Status)>)>;
class Flight {
 public:
  static double Rate(const AsyncCall& call, int count, int in_flight) {
    Flight flight(call, count);
    const auto start = Clock::now();
    for (int i = 0; i < in_flight; ++i) flight.Next();
    std::unique_lock lock(flight.mutex_);
    flight.done_.wait(lock, [&] { return flight.answered_ == count; });
    return count / SecondsSince(start);
  }

 private:
  Flight(const AsyncCall& call, int count) : call_(call), count_(count) {}

  struct Open {
    grpc::ClientContext context;
    v1::RecommendRequest question;
    v1::RecommendResponse response;
  };
  void Next() {
    const int index = started_++;
    if (index >= count_) return;
    auto open = std::make_shared<Open>();
    open->question = MakeQuestion(index);
    call_(&open->context, &open->question, &open->response, [this, open](grpc::Status status) {
      if (!status.ok()) {
        std::fprintf(stderr, "a call failed: %s\n", status.error_message().c_str());
        std::exit(1);
      }
      Next();
      std::lock_guard lock(mutex_);
      if (++answered_ == count_) done_.notify_one();
    });
  }

  const AsyncCall& call_;
  const int count_;
  std::atomic<int> started_ = 0;
  std::mutex mutex_;
  std::condition_variable done_;
  int answered_ = 0;
};

int Main() {
  Floor floor_service;
  const MeasuredServer server(&floor_service);
  const auto advice = v1::AdviceService::NewStub(server.channel());
  const auto floor = FloorService::NewStub(server.channel());
  {
    grpc::ClientContext context;
    v1::RecommendResponse answer;
    if (!advice->Recommend(&context, MakeQuestion(7), &answer).ok()) return 1;
    floor_service.set_answer(std::move(answer));
  }

  // Turn by turn, so that both meet the same disturbances.
  constexpr int kRounds = 11;
  constexpr int kCallsPerRound = 1'000;
  constexpr int kInFlight = 64;
  std::vector<double> times_s[2];
  std::vector<double> rates_hz[2];
  const BlockingCall blocking[2] = {[&](auto* context, const auto& question, auto* response) {
                                      return floor->Answer(context, question, response);
                                    },
                                    [&](auto* context, const auto& question, auto* response) {
                                      return advice->Recommend(context, question, response);
                                    }};
  const AsyncCall async[2] = {
      [&](auto* context, const auto* question, auto* response, auto done) {
        floor->async()->Answer(context, question, response, std::move(done));
      },
      [&](auto* context, const auto* question, auto* response, auto done) {
        advice->async()->Recommend(context, question, response, std::move(done));
      }};
  for (int round = 0; round < kRounds; ++round) {
    for (int which : {0, 1}) {
      times_s[which].push_back(MedianSeconds(blocking[which], kCallsPerRound));
      rates_hz[which].push_back(Flight::Rate(async[which], 10 * kCallsPerRound, kInFlight));
    }
  }
  PrintAtMost("Recommend, one at a time, p50 (us)", 1e6 * Median(times_s[1]),
              1e6 * Median(times_s[0]), 1.1);
  PrintAtLeast("Recommend, 64 in flight (calls/s)", Median(rates_hz[1]), Median(rates_hz[0]), 0.9);

  v1::BatchRecommendRequest batch;
  constexpr int kQuestions = 10'000;
  for (int i = 0; i < kQuestions; ++i) *batch.add_requests() = MakeQuestion(i);
  std::vector<double> decisions_hz;
  for (int round = 0; round < kRounds; ++round) {
    v1::BatchRecommendResponse response;
    grpc::ClientContext context;
    const auto start = Clock::now();
    const grpc::Status status = advice->BatchRecommend(&context, batch, &response);
    decisions_hz.push_back(kQuestions / SecondsSince(start));
    if (!status.ok() || response.responses_size() != kQuestions) {
      std::fprintf(stderr, "the batch failed: %s\n", status.error_message().c_str());
      return 1;
    }
  }
  PrintRateAtLeast("BatchRecommend (decisions/s)", Median(decisions_hz), 500'000);
  return 0;
}

}  // namespace
}  // namespace cox::bench

int main() { return cox::bench::Main(); }
