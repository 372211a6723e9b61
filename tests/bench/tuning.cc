// Tuning texts over the wire: what the first one costs, what asking again costs beyond the call
// itself, and what a decision table loses against asking for each size. The floor is the same
// server answering a method that does nothing.
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "bench_line.h"
#include "cox/v1/advice.grpc.pb.h"
#include "floor.grpc.pb.h"
#include "measured_machine.h"
#include "measured_server.h"

namespace cox::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Advice = v1::AdviceService::Stub;

constexpr int64_t kPpn = 16;
constexpr int64_t kLargest_bytes = 1 << 22;

class Floor : public FloorService::CallbackService {
  grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context,
                                   const v1::RecommendRequest* /*request*/,
                                   v1::RecommendResponse* /*response*/) override {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
};

void ExitUnlessOk(const grpc::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "a call failed: %s\n", status.error_message().c_str());
  std::exit(1);
}

double MedianSeconds(int count, const std::function<grpc::Status(grpc::ClientContext*)>& call) {
  std::vector<double> times_s;
  for (int i = 0; i < count; ++i) {
    grpc::ClientContext context;
    const auto start = Clock::now();
    ExitUnlessOk(call(&context));
    times_s.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  return Median(times_s);
}

v1::GetTuningRequest Job(int64_t nodes) {
  v1::GetTuningRequest request;
  request.set_machine("site");
  request.set_library("openmpi-4.1");
  request.set_nodes(nodes);
  request.set_ppn(kPpn);
  request.set_assume_commutative(true);
  request.set_assume_elements_at_least_ranks(true);
  return request;
}

v1::GetTuningResponse Tuning(Advice& advice, const v1::GetTuningRequest& request) {
  v1::GetTuningResponse response;
  grpc::ClientContext context;
  ExitUnlessOk(advice.GetTuning(&context, request, &response));
  return response;
}

// All collectives of a shape that was not asked for before.
void BenchFirstText(Advice& advice, FloorService::Stub& floor) {
  int64_t nodes = 1;
  const double first_s = MedianSeconds(25, [&](grpc::ClientContext* context) {
    v1::GetTuningResponse response;
    return advice.GetTuning(context, Job(++nodes), &response);
  });
  const double floor_s = MedianSeconds(200, [&](grpc::ClientContext* context) {
    v1::RecommendResponse response;
    return floor.Answer(context, {}, &response);
  });
  std::printf("BENCH\tGetTuning, all collectives, cold (ms)\t%.3g\t%.3g\t%.1f\t<= 2 ms\t%s\n",
              1e3 * first_s, 1e3 * floor_s, first_s / floor_s, first_s <= 0.002 ? "ok" : "MISSED");
}

// The text that a launch hook has already.
void BenchSameText(Advice& advice, FloorService::Stub& floor) {
  v1::GetTuningRequest request = Job(8);
  request.set_etag(Tuning(advice, request).etag());
  std::vector<double> rates_hz[2];
  for (int round = 0; round < 11; ++round) {
    rates_hz[0].push_back(1 / MedianSeconds(500, [&](grpc::ClientContext* context) {
                            v1::RecommendResponse response;
                            return floor.Answer(context, {}, &response);
                          }));
    rates_hz[1].push_back(1 / MedianSeconds(500, [&](grpc::ClientContext* context) {
                            v1::GetTuningResponse response;
                            const grpc::Status status =
                                advice.GetTuning(context, request, &response);
                            if (!response.not_modified()) std::exit(1);
                            return status;
                          }));
  }
  PrintAtLeast("GetTuning, not modified (calls/s)", Median(rates_hz[1]), Median(rates_hz[0]), 0.8);
}

// The algorithm that the table has for a size.
using Table = std::map<int64_t, std::string>;
const std::string& ChosenAt(const Table& table, int64_t block_bytes) {
  return std::prev(table.upper_bound(block_bytes))->second;
}

double TimeOf(const v1::RecommendResponse& answer, const std::string& algorithm) {
  for (const v1::Alternative& alternative : answer.alternatives()) {
    if (alternative.algorithm() == algorithm) return alternative.predicted_time_s();
  }
  return 0;
}

// The mean loss of what the table chooses, over random sizes of a shape.
struct Loss {
  double sum = 0;
  int count = 0;
};
void AddLosses(Advice& advice, int64_t nodes, std::mt19937_64* random, Loss* loss) {
  std::map<std::string, Table> tables;
  const v1::GetTuningResponse tuning = Tuning(advice, Job(nodes));
  for (const v1::TuningRow& row : tuning.rows()) {
    tables[row.collective()][row.block_bytes()] = row.algorithm();
  }
  std::uniform_real_distribution<double> log_size(0, std::log2(double{kLargest_bytes}));
  v1::BatchRecommendRequest batch;
  for (const auto& [collective, table] : tables) {
    for (int i = 0; i < 50; ++i) {
      v1::RecommendRequest* question = batch.add_requests();
      question->set_machine("site");
      question->set_library("openmpi-4.1");
      question->set_collective(collective);
      question->set_nodes(nodes);
      question->set_ppn(kPpn);
      question->set_block_bytes(static_cast<int64_t>(std::exp2(log_size(*random))));
      question->set_type_bytes(8);
      question->set_assume_commutative(true);
      question->set_assume_elements_at_least_ranks(true);
      question->set_include_alternatives(true);
    }
  }
  v1::BatchRecommendResponse answers;
  grpc::ClientContext context;
  ExitUnlessOk(advice.BatchRecommend(&context, batch, &answers));
  for (int i = 0; i < answers.responses_size(); ++i) {
    const v1::RecommendRequest& question = batch.requests(i);
    const v1::RecommendResponse& answer = answers.responses(i);
    const double asked_s = TimeOf(answer, answer.algorithm());
    const double table_s =
        TimeOf(answer, ChosenAt(tables[question.collective()], question.block_bytes()));
    if (asked_s <= 0 || table_s <= 0) continue;
    loss->sum += table_s / asked_s - 1;
    ++loss->count;
  }
}

void BenchLoss(Advice& advice) {
  std::mt19937_64 random(1);
  Loss loss;
  for (const int64_t nodes : {1, 2, 3, 7, 8, 16, 32, 64}) AddLosses(advice, nodes, &random, &loss);
  const double mean = loss.count > 0 ? loss.sum / loss.count : HUGE_VAL;
  std::printf("BENCH\tdecision tables' loss, %d sizes (%%)\t%.3g\t0\t-\t<= 1 %%\t%s\n", loss.count,
              100 * mean, mean <= 0.01 ? "ok" : "MISSED");
}

int Main() {
  Floor floor_service;
  const MeasuredServer server(&floor_service);
  const auto advice = v1::AdviceService::NewStub(server.channel());
  const auto floor = FloorService::NewStub(server.channel());
  BenchFirstText(*advice, *floor);
  BenchSameText(*advice, *floor);
  BenchLoss(*advice);
  return 0;
}

}  // namespace
}  // namespace cox::bench

int main() { return cox::bench::Main(); }
