#include "cli/measure/bench_plan.h"

#include <cox/v1/model.pb.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "library/run_time_number.h"
#include "topology/powers_of_two.h"
#include "topology/roots.h"

namespace cox::cli {
namespace {

// How a library of a family is forced to use an algorithm: by variables, or, where these have
// no prefix, by cox-bench, which runs what it calls the rows.
struct Forcing {
  absl::string_view family;     // what the library's name starts with
  absl::string_view switch_on;  // a variable that has to be 1 as well; empty: none
  absl::string_view prefix;     // of the variable; the collective's name follows
  absl::string_view suffix;
  bool upper_case;  // the collective's name in the variable
  bool by_number;   // the value is native_id, else native_name
};

constexpr Forcing kForcings[] = {
    {"openmpi-", "OMPI_MCA_coll_tuned_use_dynamic_rules", "OMPI_MCA_coll_tuned_", "_algorithm",
     false, true},
    {"mpich-", "", "MPIR_CVAR_", "_INTRA_ALGORITHM", true, false},
    {library::kCoxcoll, "", "", "", false, false},
};

// Needs that depend on nothing but the ranks, in the words of ListStrategies.
struct RankNeed {
  absl::string_view words;
  bool (*holds)(int64_t ranks);
};

constexpr RankNeed kRankNeeds[] = {
    {"two ranks", [](int64_t ranks) { return ranks == 2; }},
    {"even ranks", [](int64_t ranks) { return ranks % 2 == 0; }},
    {"ranks a power of two", topology::IsPowerOfTwo},
    {"a square number of ranks", topology::IsSquare},
    {"a fourth power of ranks", topology::IsFourthPower},
};

// Of "more than 5 ranks" the number; else 0.
int64_t FewerRanks(absl::string_view need) {
  int64_t ranks = 0;
  const bool is_one = absl::ConsumePrefix(&need, "more than ") &&
                      absl::ConsumeSuffix(&need, " ranks") && absl::SimpleAtoi(need, &ranks);
  return is_one ? ranks : 0;
}

const Forcing* FindForcing(absl::string_view library) {
  const auto* found = std::find_if(
      std::begin(kForcings), std::end(kForcings),
      [&](const Forcing& forcing) { return absl::StartsWith(library, forcing.family); });
  return found == std::end(kForcings) ? nullptr : found;
}

void AddSizes(const std::string& sizes, std::vector<std::string>& words) {
  if (sizes.empty()) return;
  words.insert(words.end(), {"--sizes", sizes});
}

}  // namespace

bool RunsAsItself(const v1::Strategy& strategy, int64_t ranks) {
  for (absl::string_view need : absl::StrSplit(strategy.needs(), ", ", absl::SkipEmpty())) {
    if (ranks <= FewerRanks(need)) return false;
    for (const RankNeed& known : kRankNeeds) {
      if (need == known.words && !known.holds(ranks)) return false;
    }
  }
  return true;
}

absl::StatusOr<std::vector<const v1::Strategy*>> ForceableAlgorithms(
    absl::string_view library, const v1::ListStrategiesResponse& strategies,
    const std::set<std::string>& collectives, int64_t ranks) {
  const Forcing* forcing = FindForcing(library);
  if (forcing == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("cox cannot tell ", library, " which algorithm to use"));
  }
  std::vector<const v1::Strategy*> forceable;
  for (const v1::Strategy& strategy : strategies.strategies()) {
    if (collectives.count(strategy.collective()) == 0 || !RunsAsItself(strategy, ranks)) continue;
    if (forcing->by_number && strategy.native_id() < 0) continue;
    forceable.push_back(&strategy);
  }
  return forceable;
}

void Force(absl::string_view library, const v1::Strategy& strategy, ForcedRun& run) {
  const Forcing& forcing = *FindForcing(library);
  run.algorithms[strategy.collective()] = strategy.native_name();
  if (forcing.prefix.empty()) {
    run.library = std::string(forcing.family);
    return;
  }
  if (!forcing.switch_on.empty()) run.environment.emplace(forcing.switch_on, "1");
  const std::string collective =
      forcing.upper_case ? absl::AsciiStrToUpper(strategy.collective()) : strategy.collective();
  run.environment[absl::StrCat(forcing.prefix, collective, forcing.suffix)] =
      forcing.by_number ? absl::StrCat(strategy.native_id()) : strategy.native_name();
}

absl::StatusOr<std::vector<ForcedRun>> PlanForcedRuns(absl::string_view library,
                                                      const v1::ListStrategiesResponse& strategies,
                                                      const std::set<std::string>& collectives,
                                                      int64_t ranks) {
  const auto forceable = ForceableAlgorithms(library, strategies, collectives, ranks);
  if (!forceable.ok()) return forceable.status();
  std::vector<ForcedRun> runs;
  std::map<std::string, size_t> planned;  // algorithms of each collective so far
  for (const v1::Strategy* strategy : *forceable) {
    const size_t index = planned[strategy->collective()]++;
    if (index == runs.size()) runs.emplace_back();
    Force(library, *strategy, runs[index]);
  }
  return runs;
}

BenchEffort EffortOf(bool quick, size_t rank_counts) {
  if (!quick) return {"", "", "", 50, 10};
  constexpr double kQuickRun_s = 2.5;
  return {"1..1M:*2", "8,1k,16k", "4..1M:*8", 8,
          kQuickRun_s / static_cast<double>(std::max<size_t>(1, rank_counts))};
}

void LimitTime(double budget_s, size_t rank_counts, BenchEffort& effort) {
  constexpr double kPairShare = 0.25;
  constexpr double kLeastPairs_s = 1;
  constexpr double kLeastCollectives_s = 0.2;
  constexpr double kEveryKind_s = 60;
  const auto runs = static_cast<double>(std::max<size_t>(1, rank_counts) * (1 + kUsualForcedRuns));
  effort.pair_budget_s = std::max(kLeastPairs_s, kPairShare * budget_s - kJobStart_s);
  effort.collective_budget_s =
      std::max(kLeastCollectives_s, (1 - kPairShare) * budget_s / runs - kJobStart_s);
  if (budget_s < kEveryKind_s) effort.pair_kinds = "pingpong";
}

void AddCoxcollCollectives(BenchEffort& effort) {
  // cox-bench's own, and those of libcoxcoll that it can time.
  effort.collectives = {"allgather", "allreduce", "alltoall", "bcast", "gather", "scatter"};
}

std::vector<std::string> PairArguments(const BenchEffort& effort, const std::string& machine) {
  std::vector<std::string> words = {"p2p",
                                    "--kinds",
                                    effort.pair_kinds,
                                    "--machine",
                                    machine,
                                    "--budget-s",
                                    absl::StrCat(effort.pair_budget_s),
                                    "--progress"};
  AddSizes(effort.pair_sizes, words);
  if (!effort.pattern_sizes.empty() && effort.pair_kinds != "pingpong") {
    words.insert(words.end(), {"--pattern-sizes", effort.pattern_sizes});
  }
  return words;
}

std::vector<std::string> CellArguments(const std::vector<BenchCell>& cells, double budget_s,
                                       const std::string& machine, const std::string& run,
                                       const ForcedRun& forced) {
  std::vector<std::string> words = {
      "collectives",          "--machine", machine, "--run", run, "--budget-s",
      absl::StrCat(budget_s), "--progress"};
  for (const BenchCell& cell : cells) {
    words.insert(words.end(), {"--cells", absl::StrCat(cell.collective, "=", cell.block_bytes)});
  }
  for (const auto& [collective, name] : forced.algorithms) {
    words.insert(words.end(), {"--label", absl::StrCat(collective, "=", name)});
  }
  return words;
}

std::vector<std::string> CollectiveArguments(const BenchEffort& effort, const std::string& machine,
                                             const std::string& run, const ForcedRun& forced) {
  std::vector<std::string> words = {"collectives",
                                    "--machine",
                                    machine,
                                    "--run",
                                    run,
                                    "--budget-s",
                                    absl::StrCat(effort.collective_budget_s),
                                    "--progress"};
  AddSizes(effort.collective_sizes, words);
  std::vector<std::string> collectives;
  for (const auto& [collective, name] : forced.algorithms) collectives.push_back(collective);
  if (collectives.empty()) collectives = effort.collectives;
  if (!collectives.empty()) {
    words.insert(words.end(), {"--collectives", absl::StrJoin(collectives, ",")});
  }
  if (!forced.library.empty()) words.insert(words.end(), {"--library", forced.library});
  for (const auto& [collective, name] : forced.algorithms) {
    words.insert(words.end(), {"--label", absl::StrCat(collective, "=", name)});
  }
  return words;
}

bool ParseBenchProgress(absl::string_view line, BenchProgress& progress) {
  // progress 3/12 41 s left: alltoall 4 KiB
  if (!absl::ConsumePrefix(&line, "progress ")) return false;
  const std::vector<absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits(' ', 1));
  const std::vector<absl::string_view> counts = absl::StrSplit(parts[0], '/');
  if (parts.size() != 2 || counts.size() != 2) return false;
  const std::vector<absl::string_view> rest =
      absl::StrSplit(parts[1], absl::MaxSplits(" s left: ", 1));
  int64_t done = 0;
  int64_t total = 0;
  double left_s = 0;
  if (rest.size() != 2 || !absl::SimpleAtoi(counts[0], &done) ||
      !absl::SimpleAtoi(counts[1], &total) || !absl::SimpleAtod(rest[0], &left_s)) {
    return false;
  }
  if (total <= 0 || done < 0 || done > total || !(left_s >= 0)) return false;
  progress.done_share = static_cast<double>(done) / static_cast<double>(total);
  progress.left_s = left_s;
  progress.what = std::string(rest[1]);
  return true;
}

}  // namespace cox::cli
