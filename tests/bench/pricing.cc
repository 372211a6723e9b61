// How long it takes to price one strategy under one model: building the schedule and pricing it, at
// many rank counts up to 2^20. The target is 200 ns and no allocation, for every strategy, model
// and rank count. The floor is the time to copy as many phases as the schedule has, and to price
// them: no way to work out a phase can be faster.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
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

enum class What { kPrice, kCopyAndPrice, kBuildAndPrice };

void Copy(const model::Schedule& from, model::Schedule* to) {
  to->Clear(from.whole());
  for (const model::Phase& phase : from) to->AddUnset() = phase;
}

Answer Measure(What what, const Question& question, model::Schedule* schedule) {
  std::array<double, model::kMaxParameters> values;
  values.fill(1e-9);
  const absl::Span<const double> used(values.data(), question.model->parameters().size());
  strategy::Scenario scenario = question.scenario;
  double sum_s = 0;
  Answer answer{1e9, 0};
  static model::Schedule original;
  strategy::Build(question.strategy, scenario, &original);
  Copy(original, schedule);
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
        } else if (what == What::kCopyAndPrice) {
          Copy(original, schedule);
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
  Question question{};
  std::string where;

  void Add(const Answer& other, const Question& other_question, const std::string& other_where) {
    answer.allocations += other.allocations;
    if (other.time_ns < answer.time_ns) return;
    answer.time_ns = other.time_ns;
    question = other_question;
    where = other_where;
  }
};

// floor_ns 0: there is none.
void Print(const std::string& name, const Worst& worst, double floor_ns) {
  const bool passed = worst.answer.time_ns <= kTargetNs && worst.answer.allocations == 0;
  const std::string floor =
      floor_ns > 0 ? absl::StrFormat("%.0f ns\t%.2f", floor_ns, worst.answer.time_ns / floor_ns)
                   : "-\t-";
  std::printf("BENCH\t%s, worst: %s\t%.0f ns, %lld allocations\t%s\t<= %.0f ns, none\t%s\n",
              name.c_str(), worst.where.c_str(), worst.answer.time_ns,
              static_cast<long long>(worst.answer.allocations), floor.c_str(), kTargetNs,
              passed ? "ok" : "MISSED");
}

Worst WorstOf(What what, const strategy::Algorithm& algorithm) {
  static model::Schedule schedule;
  Worst worst;
  for (const strategy::Scenario& scenario : ScenariosOf(algorithm)) {
    for (const model::Model* model : model::Models()) {
      const Question question{{&algorithm, {}}, model, scenario};
      Answer answer = Measure(what, question, &schedule);
      // Among thousands of cases other work disturbs some: the worst one must be so twice.
      if (answer.time_ns > worst.answer.time_ns) {
        const Answer again = Measure(what, question, &schedule);
        answer.time_ns = std::min(answer.time_ns, again.time_ns);
        answer.allocations += again.allocations;
      }
      worst.Add(answer, question,
                absl::StrCat(model->id(), " p=", scenario.ranks, " ppn=", scenario.ppn));
    }
  }
  return worst;
}

int Run() {
  static model::Schedule schedule;
  Worst price;
  for (const strategy::Algorithm& algorithm : strategy::Catalogue()) {
    const std::string name = strategy::FormatStrategy({&algorithm, {}});
    const Worst priced = WorstOf(What::kPrice, algorithm);
    price.Add(priced.answer, priced.question, absl::StrCat(name, " ", priced.where));
    const Worst built = WorstOf(What::kBuildAndPrice, algorithm);
    const Answer floor = Measure(What::kCopyAndPrice, built.question, &schedule);
    Print(absl::StrCat("build and price ", name), built, floor.time_ns);
  }
  Print("price any schedule", price, 0);
  return 0;
}

}  // namespace
}  // namespace cox

int main() { return cox::Run(); }
