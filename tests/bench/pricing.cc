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
  double time_ns = 0;  // the fastest round's mean: the time on an idle machine
  int64_t allocations = 0;
};

enum class What { kPrice, kBuildAndPrice };

Answer Measure(What what, const Question& question, model::Schedule* schedule) {
  std::array<double, model::kMaxParameters> values;
  values.fill(1e-9);
  const absl::Span<const double> used(values.data(), question.model->parameters().size());
  strategy::Scenario scenario = question.scenario;
  double sum_s = 0;
  Answer answer{1e9, 0};
  strategy::Build(question.strategy, scenario, schedule);
  for (int round = 0; round < kRounds; ++round) {
    const int64_t before = allocations;
    const auto start = std::chrono::steady_clock::now();
    auto now = start;
    int count = 0;
    while (now - start < kRoundTime) {
      for (int i = 0; i < 64; ++i, ++count) {
        if (what == What::kBuildAndPrice) {
          scenario.block_bytes += 8;  // another question every time
          strategy::Build(question.strategy, scenario, schedule);
        }
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

struct Worst {
  Answer answer;  // the longest time, all allocations
  std::string where;

  void Add(const Answer& other, const std::string& other_where) {
    answer.allocations += other.allocations;
    if (other.time_ns < answer.time_ns) return;
    answer.time_ns = other.time_ns;
    where = other_where;
  }
};

void Print(const std::string& name, const Worst& worst) {
  const bool passed = worst.answer.time_ns <= kTargetNs && worst.answer.allocations == 0;
  std::printf("BENCH\t%s, worst: %s\t%.0f ns, %lld allocations\t-\t-\t<= %.0f ns, none\t%s\n",
              name.c_str(), worst.where.c_str(), worst.answer.time_ns,
              static_cast<long long>(worst.answer.allocations), kTargetNs,
              passed ? "ok" : "MISSED");
}

Worst WorstOf(What what, const strategy::Algorithm& algorithm) {
  static model::Schedule schedule;
  Worst worst;
  for (const strategy::Scenario& scenario : ScenariosOf(algorithm)) {
    for (const model::Model* model : model::Models()) {
      const Question question{{&algorithm, {}}, model, scenario};
      worst.Add(Measure(what, question, &schedule),
                absl::StrCat(model->id(), " p=", scenario.ranks, " ppn=", scenario.ppn));
    }
  }
  return worst;
}

int Run() {
  Worst price;
  for (const strategy::Algorithm& algorithm : strategy::Catalogue()) {
    const std::string name = strategy::FormatStrategy({&algorithm, {}});
    const Worst priced = WorstOf(What::kPrice, algorithm);
    price.Add(priced.answer, absl::StrCat(name, " ", priced.where));
    Print(absl::StrCat("build and price ", name), WorstOf(What::kBuildAndPrice, algorithm));
  }
  Print("price any schedule", price);
  return 0;
}

}  // namespace
}  // namespace cox

int main() { return cox::Run(); }
