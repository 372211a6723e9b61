// How long it takes to price one strategy under one model: building the schedule and pricing it, at
// many rank counts up to 2^20. The target is 200 ns and no allocation, for every strategy, model
// and rank count.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/model.h"
#include "strategy/catalogue.h"

namespace {

int64_t allocations = 0;

}  // namespace

// Every allocation of the program goes through here.
void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace cox {
namespace {

constexpr double kTargetNs = 200;
constexpr int kRounds = 7;
constexpr auto kRoundTime = std::chrono::microseconds(150);

constexpr std::array<int64_t, 6> kRanks = {8, 1000, 4096, 65536, 1'000'000, 1 << 20};
constexpr std::array<int64_t, 4> kPpn = {1, 36, 64, 128};

struct Question {
  strategy::Strategy strategy;
  const model::Model* model;
  strategy::Scenario scenario;
};

struct Answer {
  double time_ns = 0;  // the fastest round's mean: what it takes when nothing else runs
  int64_t allocations = 0;
};

Answer Measure(const Question& question, model::Schedule* schedule) {
  std::array<double, model::kMaxParameters> values;
  values.fill(1e-9);
  const absl::Span<const double> used(values.data(), question.model->parameters().size());
  strategy::Scenario scenario = question.scenario;
  double sum_s = 0;
  Answer answer{1e9, 0};
  for (int round = 0; round < kRounds; ++round) {
    const int64_t before = allocations;
    const auto start = std::chrono::steady_clock::now();
    auto now = start;
    int count = 0;
    while (now - start < kRoundTime) {
      for (int i = 0; i < 64; ++i, ++count) {
        scenario.block_bytes += 8;  // another question every time
        schedule->Clear();
        question.strategy.algorithm->build(scenario, question.strategy.knobs, schedule);
        sum_s += question.model->Price(used, *schedule).TotalSeconds();
      }
      now = std::chrono::steady_clock::now();
    }
    const std::chrono::duration<double, std::nano> took = now - start;
    answer.time_ns = std::min(answer.time_ns, took.count() / count);
    answer.allocations += allocations - before;
  }
  if (sum_s < 0) std::abort();  // keeps the result used
  return answer;
}

std::vector<strategy::Scenario> ScenariosOf(const strategy::Algorithm& algorithm) {
  std::vector<strategy::Scenario> scenarios;
  for (int64_t ranks : kRanks) {
    for (int64_t ppn : kPpn) {
      strategy::Scenario scenario;
      scenario.collective = algorithm.collective;
      scenario.ranks = ranks;
      scenario.ppn = ppn;
      scenario.block_bytes = 1 << 20;
      if (algorithm.applies(scenario, {}).ok()) scenarios.push_back(scenario);
    }
  }
  return scenarios;
}

void Print(absl::string_view name, const Answer& worst, absl::string_view where) {
  const bool passed = worst.time_ns <= kTargetNs && worst.allocations == 0;
  std::printf("BENCH\tprice %s%s\t%.0f ns, %lld allocations\t-\t-\t<= %.0f ns, none\t%s\n",
              std::string(name).c_str(), std::string(where).c_str(), worst.time_ns,
              static_cast<long long>(worst.allocations), kTargetNs, passed ? "ok" : "MISSED");
}

int Run() {
  static model::Schedule schedule;
  Answer worst;
  std::string worst_where;
  for (const strategy::Algorithm& algorithm : strategy::Catalogue()) {
    const strategy::Strategy strategy{&algorithm, {}};
    const std::string name = strategy::FormatStrategy(strategy);
    Answer worst_here;
    std::string where;
    for (const strategy::Scenario& scenario : ScenariosOf(algorithm)) {
      for (const model::Model* model : model::Models()) {
        const Answer answer = Measure({strategy, model, scenario}, &schedule);
        worst_here.allocations += answer.allocations;
        if (answer.time_ns < worst_here.time_ns) continue;
        worst_here.time_ns = answer.time_ns;
        where = absl::StrCat(", ", model->id(), ", p=", scenario.ranks, " ppn=", scenario.ppn);
      }
    }
    Print(name, worst_here, where);
    worst.allocations += worst_here.allocations;
    if (worst_here.time_ns > worst.time_ns) {
      worst.time_ns = worst_here.time_ns;
      worst_where = absl::StrCat(": ", name, where);
    }
  }
  Print("the worst of all", worst, worst_where);
  return 0;
}

}  // namespace
}  // namespace cox

int main() { return cox::Run(); }
