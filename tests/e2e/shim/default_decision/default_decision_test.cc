// Proves server/library's table of Open MPI's fixed decision: asks the installed library itself,
// many thousand times, and compares. Prints the questions, and where the two differ; exits with 1
// where they do. Start it as a job of one rank.
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decision.h"
#include "domain/parse_collective.h"
#include "library/default_choice.h"

namespace cox::default_decision {
namespace {

constexpr char kLibrary[] = "openmpi-4.1";
constexpr int kShownDifferences = 20;
constexpr int kMostRanks = 16385;
constexpr int kMostCount = (1 << 25) + 1;

// The path of a library that is loaded; empty where it is not.
std::string LoadedPath(std::string_view name) {
  std::pair<std::string_view, std::string> wanted(name, "");
  const auto visit = [](dl_phdr_info* info, size_t /*bytes*/, void* data) {
    auto* sought = static_cast<decltype(wanted)*>(data);
    const std::string_view path = info->dlpi_name;
    if (path.ends_with(sought->first)) sought->second = path;
    return 0;
  };
  dl_iterate_phdr(visit, &wanted);
  return wanted.second;
}

// Every small number, each power of two with its neighbours, and some from anywhere: a boundary
// that is at no power of two would show between them.
std::vector<int> Sample(int first, int every_to, int last, int random_count, std::mt19937& random) {
  std::set<int> sample;
  for (int value = first; value <= every_to; ++value) sample.insert(value);
  for (int64_t power = 1; power - 1 <= last; power *= 2) {
    for (int64_t value : {power - 1, power, power + 1, power + power / 2}) {
      if (value >= first && value <= last) sample.insert(static_cast<int>(value));
    }
  }
  std::uniform_int_distribution<int> exponent(0, 24);
  for (int i = 0; i < random_count; ++i) {
    const int within = static_cast<int>(std::min<int64_t>(last, int64_t{2} << exponent(random)));
    sample.insert(std::uniform_int_distribution<int>(first, std::max(first, within))(random));
  }
  return {sample.begin(), sample.end()};
}

class Comparison {
 public:
  explicit Comparison(Decision& decision) : decision_(decision) {}

  // Whether the table says what the library does.
  bool Agree(const Question& question) {
    ++asked_;
    int type_bytes = 0;
    MPI_Type_size(question.type, &type_bytes);
    strategy::Scenario scenario;
    scenario.collective = *domain::ParseCollective(std::string(question.collective));
    scenario.ranks = question.ranks;
    scenario.type_bytes = type_bytes;
    scenario.block_bytes = int64_t{question.count} * type_bytes;
    const library::Algorithm* row = library::DefaultChoice(
        kLibrary, scenario, library::Assumptions{.commutative = question.commutative});
    const Function called = decision_.Ask(question);
    const int expected = row == nullptr ? 0 : row->native_id;
    if (called.collective == question.collective) seen_.insert(called.native_id);
    if (called.native_id == expected && called.collective == question.collective) return true;
    if (++different_ <= kShownDifferences) {
      std::printf("%s: %d ranks, %lld bytes%s: the table says %d, the library ran %s %d\n",
                  std::string(question.collective).c_str(), question.ranks,
                  static_cast<long long>(scenario.block_bytes),
                  question.commutative ? "" : ", not commutative", expected,
                  std::string(called.collective).c_str(), called.native_id);
    }
    return false;
  }

  int64_t asked() const { return asked_; }
  int64_t different() const { return different_; }
  // The numbers of the functions that the library ran.
  const std::set<int>& seen() const { return seen_; }

 private:
  Decision& decision_;
  std::set<int> seen_;
  int64_t asked_ = 0;
  int64_t different_ = 0;
};

bool IsReduction(std::string_view collective) {
  return collective.find("reduce") != std::string_view::npos;
}

// Of a collective whose decision looks at all ranks' counts, fewer sizes: each costs time.
bool SumsCounts(std::string_view collective) {
  return collective == "allgatherv" || collective == "reduce_scatter";
}

void CompareCollective(std::string_view collective, Comparison& comparison) {
  std::mt19937 random(20220526);  // any fixed number: a failure can be seen again
  for (int ranks : Sample(2, 70, kMostRanks, 40, random)) {
    const int random_count = SumsCounts(collective) ? 10 : 60;
    for (int count : Sample(0, 10, kMostCount, random_count, random)) {
      Question question{.collective = collective, .ranks = ranks, .count = count};
      comparison.Agree(question);
      question.at_root = false;
      comparison.Agree(question);
      question.type = MPI_DOUBLE;
      if (count < kMostCount / 8) comparison.Agree(question);
      question.commutative = false;
      if (IsReduction(collective)) comparison.Agree(question);
    }
  }
}

// The number of collectives in which table and library differ, or -1: the test cannot work here.
int CompareAll() {
  const auto communicator = FakeCommunicator::Create();
  const std::string component = LoadedPath("/mca_coll_tuned.so");
  if (communicator == nullptr || component.empty()) {
    std::printf("%s\n", component.empty() ? "coll/tuned is not loaded"
                                          : "communicators are not built as expected");
    return -1;
  }
  Decision decision(component, *communicator);
  if (!decision.error().empty()) {
    std::printf("%s\n", decision.error().c_str());
    return -1;
  }
  int64_t asked = 0;
  int differing = 0;
  for (std::string_view collective : Decision::Collectives()) {
    Comparison comparison(decision);
    CompareCollective(collective, comparison);
    std::printf("%-20s %7lld questions, %lld differences, %zu algorithms ran\n",
                std::string(collective).c_str(), static_cast<long long>(comparison.asked()),
                static_cast<long long>(comparison.different()), comparison.seen().size());
    asked += comparison.asked();
    // A decision that always says the same was not really asked.
    if (comparison.different() > 0 || comparison.seen().size() < 2) ++differing;
  }
  std::printf("all: %lld questions\n", static_cast<long long>(asked));
  return differing;
}

}  // namespace
}  // namespace cox::default_decision

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int differing = cox::default_decision::CompareAll();
  MPI_Finalize();
  return differing == 0 ? 0 : 1;
}
