// Decisions per second of advise::Recommend on one core, without the wire: a machine that was
// calibrated and has seen as many timings as are kept, questions as they come in a batch. The floor
// is the same candidates built and priced, without anything learned and without a decision.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "advise/machine_view.h"
#include "advise/recommend.h"
#include "domain/collective.h"
#include "domain/parameter.h"
#include "domain/parse_collective.h"
#include "domain/profile.h"
#include "learn/structure.h"
#include "library/algorithms.h"

namespace {

int64_t allocation_count = 0;

}  // namespace

// Not inlined: the compiler would else see memory of malloc freed by delete.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocation_count;
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace cox::advise {
namespace {

constexpr char kLibrary[] = "openmpi-4.1";
constexpr double kTargetRatio = 0.3;  // of the rate of pricing alone
constexpr double kViewTargetS = 0.5;  // for 20,000 cells
constexpr int kRounds = 101;

domain::Profile MakeProfile() {
  domain::Profile profile;
  for (const model::Model* model : model::Models()) {
    for (const model::ParameterSpec& spec : model->parameters()) {
      domain::Parameter parameter;
      parameter.model = std::string(model->id());
      parameter.level = spec.level;
      parameter.name = std::string(spec.name);
      parameter.value = spec.unit == "s" ? 1e-6 : 1e-10;
      profile.Set(std::move(parameter));
    }
  }
  return profile;
}

// Every algorithm of the library and its default, at more places than the learning keeps.
std::vector<learn::Cell> MakeCells() {
  std::vector<learn::Cell> cells;
  for (const library::Algorithm& row : library::AlgorithmsOf(kLibrary)) {
    for (const absl::string_view algorithm : {row.native_name, absl::string_view("default")}) {
      for (int64_t nodes : {1, 2, 4, 8, 16, 32, 64}) {
        for (int64_t bytes = 1; bytes <= 1 << 22; bytes *= 2) {
          learn::Cell cell;
          cell.library = kLibrary;
          cell.collective = std::string(domain::CollectiveName(row.collective));
          cell.algorithm = std::string(algorithm);
          cell.nodes = nodes;
          cell.ppn = 16;
          cell.ranks = nodes * cell.ppn;
          cell.block_bytes = bytes;
          const double steps =
              row.native_id % 2 == 0 ? std::log2(cell.ranks) : static_cast<double>(cell.ranks);
          cell.mean_log_time = std::log(steps * (1e-6 + 1e-10 * static_cast<double>(bytes)));
          cells.push_back(std::move(cell));
        }
      }
    }
  }
  return cells;
}

std::vector<Question> MakeQuestions() {
  std::vector<Question> questions;
  for (const char* collective : {"alltoall", "allreduce", "allgather", "bcast"}) {
    for (int64_t nodes : {2, 3, 8, 21, 64, 500}) {
      for (int64_t bytes = 1; bytes <= 1 << 22; bytes *= 3) {
        Question question;
        question.library = kLibrary;
        question.collective = collective;
        question.nodes = nodes;
        question.ppn = 16;
        question.ranks = nodes * question.ppn;
        question.block_bytes = bytes;
        questions.push_back(std::move(question));
      }
    }
  }
  return questions;
}

// Builds and prices the rows that a question's library has for its collective.
double PriceAll(const MachineView& machine, const Question& question, model::Schedule* schedule) {
  strategy::Scenario scenario;
  scenario.collective = *domain::ParseCollective(question.collective);
  scenario.ranks = question.ranks;
  scenario.ppn = question.ppn;
  scenario.block_bytes = question.block_bytes;
  double sum_s = 0;
  for (const library::Algorithm& row : library::AlgorithmsOf(question.library)) {
    if (row.collective != scenario.collective) continue;
    const learn::Structure structure = learn::ResolveRow(row, scenario, library::kUsualCalls);
    sum_s += learn::StructuralTime(structure.strategy, scenario, *machine.model,
                                   *machine.model_values, schedule);
  }
  return sum_s;
}

double SecondsPerQuestion(const std::vector<Question>& questions, const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  for (const Question& question : questions) work(question);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / static_cast<double>(questions.size());
}

int Run() {
  const auto fit_start = std::chrono::steady_clock::now();
  const std::vector<learn::Cell> cells = MakeCells();
  const auto machine = BuildMachineView("bench", 512, 16, 1, MakeProfile(), cells);
  const std::chrono::duration<double> fit = std::chrono::steady_clock::now() - fit_start;
  std::printf("%zu cells learned in %.2f s; model %s\n", cells.size(), fit.count(),
              std::string(machine->model->id()).c_str());

  const std::vector<Question> questions = MakeQuestions();
  double guard = 0;  // keeps the compiler from removing the work
  auto schedule = std::make_unique<model::Schedule>();
  // Both take turns; the least time of each counts: a busy machine adds to the others.
  double floor_s = HUGE_VAL;
  double answer_s = HUGE_VAL;
  for (int round = 0; round < kRounds; ++round) {
    floor_s = std::min(floor_s, SecondsPerQuestion(questions, [&](const Question& question) {
                         guard += PriceAll(*machine, question, schedule.get());
                       }));
    answer_s = std::min(answer_s, SecondsPerQuestion(questions, [&](const Question& question) {
                          guard += Recommend(*machine, question, false).chosen.predicted_time_s;
                        }));
  }
  const int64_t before = allocation_count;
  for (const Question& question : questions) {
    guard += Recommend(*machine, question, false).default_time_s;
  }
  const double allocations =
      static_cast<double>(allocation_count - before) / static_cast<double>(questions.size());

  const double rate = 1 / answer_s;
  std::printf("BENCH\tdecisions per second on one core, in process\t%.0f\t%.0f\t%.3f\t>= %g\t%s\n",
              rate, 1 / floor_s, rate * floor_s, kTargetRatio,
              rate * floor_s >= kTargetRatio ? "ok" : "MISSED");
  std::printf("BENCH\tbuilding a view of %zu cells\t%.2f s\t-\t-\t<= %g s\t%s\n", cells.size(),
              fit.count(), kViewTargetS, fit.count() <= kViewTargetS ? "ok" : "MISSED");
  std::printf("BENCH\tallocations per decision\t%.1f\t-\t-\t<= 4\t%s\n", allocations,
              allocations <= 4 ? "ok" : "MISSED");
  return std::isfinite(guard) ? 0 : 1;
}

}  // namespace
}  // namespace cox::advise

int main() { return cox::advise::Run(); }
