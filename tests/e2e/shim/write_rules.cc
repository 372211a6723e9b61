// Writes what `cox tune` would for a job of RANKS ranks on one node, with decisions that go through
// all algorithms of Open MPI that a rule can name.
//
// usage: write_rules rules|env RANKS PASS
// rules: each collective has all its algorithms, one after the other by size, PASS of them later;
// one that can have a single row has its PASS-th. env: each has its PASS-th. Where PASS is odd
// there are segments. Exits with 1 and a message where the text would not be sound.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "domain/collective.h"
#include "library/algorithms.h"
#include "library/openmpi/rules.h"
#include "library/tuning_format.h"

namespace cox::library {
namespace {

constexpr char kLibrary[] = "openmpi-4.1";
// Sizes are small, for many calls in little time, and no powers of two: boundaries of the library's
// own are at those.
constexpr int64_t kFirstBoundary_bytes = 24;
constexpr int64_t kSegment_bytes = 16;

// Whether the library has algorithms in segments for it.
bool HasSegments(domain::Collective collective) {
  return collective == domain::Collective::kBcast || collective == domain::Collective::kReduce ||
         collective == domain::Collective::kAllreduce;
}

std::vector<const Algorithm*> Choices(domain::Collective collective, int64_t ranks) {
  std::vector<const Algorithm*> choices;
  for (const Algorithm& row : AlgorithmsOf(kLibrary)) {
    const bool runs = (row.needs & kTwoRanks) == 0 || ranks == 2;
    if (row.collective == collective && row.native_id > 0 && runs) choices.push_back(&row);
  }
  return choices;
}

std::vector<DecisionTable> Decisions(int64_t ranks, size_t pass, bool one_row) {
  std::vector<DecisionTable> tables;
  for (int c = 0; c < domain::kCollectiveCount; ++c) {
    const auto collective = static_cast<domain::Collective>(c);
    const std::vector<const Algorithm*> choices = Choices(collective, ranks);
    if (choices.empty()) continue;
    const bool single = one_row || !WhyOneOpenMpiRow(collective).empty();
    DecisionTable table{std::string(domain::CollectiveName(collective)), {}};
    int64_t next_bytes = 0;
    for (size_t i = 0; i < (single ? 1 : choices.size()); ++i) {
      const Algorithm& choice = *choices[(i + pass) % choices.size()];
      DecisionRow row;
      row.block_bytes = next_bytes;
      row.algorithm = std::string(choice.native_name);
      row.native_id = choice.native_id;
      row.segment_bytes = pass % 2 == 1 && HasSegments(collective) ? kSegment_bytes : 0;
      row.fanout = choice.native_name == "chain" ? 2 : 0;
      table.rows.push_back(row);
      next_bytes = std::max(kFirstBoundary_bytes, 2 * next_bytes);
    }
    tables.push_back(table);
  }
  return tables;
}

int Write(const std::string& form, int64_t ranks, size_t pass) {
  const TunedJob job = {kLibrary, 1, ranks, {.commutative = true, .elements_at_least_ranks = true}};
  const auto format = FindTuningFormat(kLibrary, form);
  if (!format.ok()) {
    std::fprintf(stderr, "write_rules: %s\n", format.status().ToString().c_str());
    return 1;
  }
  const auto text = WriteTuning(Decisions(ranks, pass, form == "env"), job, **format, {});
  if (!text.ok()) {
    std::fprintf(stderr, "write_rules: %s\n", text.status().ToString().c_str());
    return 1;
  }
  std::fputs(text->c_str(), stdout);
  return 0;
}

}  // namespace
}  // namespace cox::library

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  return cox::library::Write(argv[1], std::atoi(argv[2]), static_cast<size_t>(std::atoi(argv[3])));
}
