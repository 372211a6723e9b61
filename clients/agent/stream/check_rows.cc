#include "agent/stream/check_rows.h"

#include "agent/timing/collectives.h"
#include "domain/collective.h"
#include "domain/limits.h"
#include "domain/parse_collective.h"
#include "library/algorithms.h"
#include "library/run_time_number.h"
#include "strategy/scenario.h"

namespace cox::agent {
namespace {

constexpr char kDefaultRow[] = "default";

// -1 for a collective that the agent does not time.
int32_t IndexOf(const std::string& collective) {
  for (int32_t i = 0; i < domain::kCollectiveCount; ++i) {
    if (collective == domain::kCollectiveNames[i]) return i;
  }
  return -1;
}

// Whether the algorithm runs, or falls back to one that does, in calls of any size. What depends on
// the number of elements holds only under a promise; in reductions the library checks it itself.
bool RunsInEveryCall(const library::Algorithm& row, const SteeredJob& job, bool is_reduction) {
  constexpr uint32_t kNeedsElements =
      library::kElementsAtLeastRanks | library::kElementsAtLeastPowerOfTwo | library::kTwoElements;
  const bool needs_same_counts =
      library::CutsByOwnCount(row) || (row.needs & library::kOneType) != 0;
  if (needs_same_counts && !job.assume.same_counts) return false;
  if (!row.safe_for_any_operation && !job.assume.commutative) return false;
  if ((row.needs & kNeedsElements) != 0 && !is_reduction && !job.assume.elements_at_least_ranks) {
    return false;
  }
  strategy::Scenario scenario;
  scenario.collective = row.collective;
  scenario.ranks = job.ranks;
  scenario.ppn = job.ppn;
  scenario.block_bytes = domain::kMaxBlockBytes;
  scenario.type_bytes = 1;
  return library::Effective(row, scenario, job.assume) != nullptr;
}

bool IsReduction(domain::Collective collective) {
  using enum domain::Collective;
  return collective == kAllreduce || collective == kReduce || collective == kReduceScatter ||
         collective == kReduceScatterBlock || collective == kScan || collective == kExscan;
}

// 0 when the row must not be applied.
int NumberOf(const SteeredJob& job, domain::Collective collective, const DecisionRow& row) {
  int number = 0;
  if (row.library == library::kCoxcoll) {
    const bool fits = row.algorithm.size() < sizeof(CoxStreamDecision::name);
    if (!job.use_coxcoll || !CanBeReplaced(collective) || !fits) return 0;
    number = library::CoxcollNumber(collective, row.algorithm);
  } else if (row.library.empty()) {
    number = library::RunTimeNumber(job.library, collective, row.algorithm);
  }
  const library::Algorithm* algorithm = library::FindRunTimeNumber(job.library, collective, number);
  if (algorithm == nullptr || !RunsInEveryCall(*algorithm, job, IsReduction(collective))) return 0;
  return number;
}

}  // namespace

CheckedRows CheckRows(const SteeredJob& job, const std::vector<DecisionRow>& rows) {
  CheckedRows checked;
  for (const DecisionRow& row : rows) {
    const int32_t index = IndexOf(row.collective);
    const auto collective = domain::ParseCollective(row.collective);
    if (index < 0 || !collective.ok() || row.from_block_bytes < 0) {
      ++checked.refused_count;
      continue;
    }
    CoxStreamDecision& decision =
        checked.decisions.emplace_back(CoxStreamDecision{index, 0, row.from_block_bytes, ""});
    decision.number = NumberOf(job, *collective, row);
    if (decision.number == 0) {
      if (row.algorithm != kDefaultRow) ++checked.refused_count;
    } else if (row.library == library::kCoxcoll) {
      row.algorithm.copy(decision.name, sizeof(decision.name) - 1);
    }
  }
  return checked;
}

}  // namespace cox::agent
