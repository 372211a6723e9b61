#include "strategy/catalogue.h"

#include <limits>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "domain/collective.h"
#include "domain/errors.h"
#include "domain/parse_collective.h"
#include "strategy/collectives/algorithms.h"
#include "strategy/traffic/part.h"

namespace cox::strategy {
namespace {

struct KnobName {
  absl::string_view name;
  int64_t Knobs::*value;
};
constexpr KnobName kKnobNames[] = {
    {"segment", &Knobs::segment_bytes}, {"fanout", &Knobs::fanout},
    {"window", &Knobs::window},         {"radix", &Knobs::radix},
    {"columns", &Knobs::columns},       {"gamma", &Knobs::gamma_permille},
    {"unit", &Knobs::unit_ranks},
};

// C3 (S. E. Hambrusch, A. A. Khokhar, section 4) names algorithms by their number of levels.
constexpr Alias kAliases[] = {
    {domain::Collective::kAlltoall, "1-lev-dir", "linear"},
    {domain::Collective::kAlltoall, "1-lev-perm", "pairwise"},
    {domain::Collective::kAlltoall, "2-lev-cr", "2-lev-rc"},
    {domain::Collective::kBcast, "1-lev-sys-br", "binomial"},
    {domain::Collective::kScatter, "1-lev-dir", "linear"},
    {domain::Collective::kGather, "1-lev-dir", "linear"},
};

// Collectives with different block sizes are priced with the mean block. They have these algorithms
// of the collective with equal blocks.
struct WithMeanBlocks {
  domain::Collective collective;
  domain::Collective namesake;
  absl::string_view algorithm;
};
constexpr WithMeanBlocks kWithMeanBlocks[] = {
    {domain::Collective::kAlltoallv, domain::Collective::kAlltoall, "linear"},
    {domain::Collective::kAlltoallv, domain::Collective::kAlltoall, "windowed"},
    {domain::Collective::kAlltoallv, domain::Collective::kAlltoall, "pairwise"},
    {domain::Collective::kAlltoallw, domain::Collective::kAlltoall, "linear"},
    {domain::Collective::kAlltoallw, domain::Collective::kAlltoall, "windowed"},
    {domain::Collective::kAlltoallw, domain::Collective::kAlltoall, "pairwise"},
    {domain::Collective::kAllgatherv, domain::Collective::kAllgather, "gather-bcast"},
    {domain::Collective::kAllgatherv, domain::Collective::kAllgather, "bruck"},
    {domain::Collective::kAllgatherv, domain::Collective::kAllgather, "recursive-doubling"},
    {domain::Collective::kAllgatherv, domain::Collective::kAllgather, "ring"},
    {domain::Collective::kAllgatherv, domain::Collective::kAllgather, "neighbor-exchange"},
    {domain::Collective::kScatterv, domain::Collective::kScatter, "linear"},
    {domain::Collective::kGatherv, domain::Collective::kGather, "linear"},
};

const Algorithm* FindByAnyName(domain::Collective collective, absl::string_view name) {
  for (const Alias& alias : kAliases) {
    if (alias.collective == collective && alias.alias == name) name = alias.name;
  }
  return FindAlgorithm(collective, name);
}

std::vector<Algorithm> AllAlgorithms() {
  std::vector<Algorithm> all;
  for (absl::Span<const Algorithm> family :
       {AlltoallAlgorithms(), BcastAlgorithms(), AllreduceAlgorithms(), AllgatherAlgorithms(),
        ScatterAlgorithms(), GatherAlgorithms(), ReduceAlgorithms(), BarrierAlgorithms(),
        ReduceScatterAlgorithms(), ReduceScatterBlockAlgorithms(), ScanAlgorithms(),
        ExscanAlgorithms()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  const size_t with_equal_blocks = all.size();
  for (const WithMeanBlocks& row : kWithMeanBlocks) {
    for (size_t i = 0; i < with_equal_blocks; ++i) {
      if (all[i].collective != row.namesake || all[i].name != row.algorithm) continue;
      Algorithm algorithm = all[i];
      algorithm.collective = row.collective;
      all.push_back(algorithm);
    }
  }
  return all;
}

bool Takes(const Algorithm& algorithm, absl::string_view knob) {
  for (absl::string_view name : absl::StrSplit(algorithm.knobs, ',', absl::SkipEmpty())) {
    if (name == knob) return true;
  }
  return false;
}

absl::Status SetKnob(const Algorithm& algorithm, absl::string_view text, Knobs* knobs) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  if (!Takes(algorithm, parts.first)) {
    return domain::InvalidField(
        "strategy", absl::StrCat("\"", algorithm.name, "\" has no knob \"", parts.first, "\", ",
                                 algorithm.knobs.empty() ? "it takes none"
                                                         : absl::StrCat("only ", algorithm.knobs)));
  }
  for (const KnobName& knob : kKnobNames) {
    if (knob.name != parts.first) continue;
    int64_t value = 0;
    if (!absl::SimpleAtoi(parts.second, &value) || value < 0) {
      return domain::InvalidField("strategy", absl::StrCat("knob ", knob.name, ": \"", parts.second,
                                                           "\" is not a whole number >= 0"));
    }
    knobs->*knob.value = value;
  }
  return absl::OkStatus();
}

absl::Status UnknownAlgorithm(domain::Collective collective, absl::string_view name) {
  std::string known;
  for (const Algorithm& algorithm : Catalogue()) {
    if (algorithm.collective != collective) continue;
    absl::StrAppend(&known, known.empty() ? "" : ", ", algorithm.name);
  }
  return absl::NotFoundError(absl::StrCat("algorithm \"", name, "\" of ",
                                          domain::CollectiveName(collective),
                                          " is not known; choose from ", known));
}

}  // namespace

absl::Span<const Algorithm> Catalogue() {
  static const auto& all = *new std::vector<Algorithm>(AllAlgorithms());
  return all;
}

const Algorithm* FindAlgorithm(domain::Collective collective, absl::string_view name) {
  for (const Algorithm& algorithm : Catalogue()) {
    if (algorithm.collective == collective && algorithm.name == name) return &algorithm;
  }
  return nullptr;
}

absl::Span<const Alias> Aliases() { return kAliases; }

void Build(const Strategy& strategy, const Scenario& scenario, model::Schedule* schedule) {
  schedule->Clear(WholeOf(scenario));
  strategy.algorithm->build(scenario, strategy.knobs, schedule);
}

absl::StatusOr<Strategy> ParseStrategy(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('?', 1));
  const std::pair<absl::string_view, absl::string_view> names =
      absl::StrSplit(parts.first, absl::MaxSplits('/', 1));
  const absl::StatusOr<domain::Collective> collective = domain::ParseCollective(names.first);
  if (!collective.ok()) return collective.status();
  Strategy strategy{FindByAnyName(*collective, names.second), {}};
  if (strategy.algorithm == nullptr) return UnknownAlgorithm(*collective, names.second);
  for (absl::string_view knob : absl::StrSplit(parts.second, '&', absl::SkipEmpty())) {
    const absl::Status set = SetKnob(*strategy.algorithm, knob, &strategy.knobs);
    if (!set.ok()) return set;
  }
  return strategy;
}

std::string FormatStrategy(const Strategy& strategy) {
  std::string text = absl::StrCat(domain::CollectiveName(strategy.algorithm->collective), "/",
                                  strategy.algorithm->name);
  char separator = '?';
  for (const KnobName& knob : kKnobNames) {
    const int64_t value = strategy.knobs.*knob.value;
    if (value == 0) continue;
    absl::StrAppend(&text, std::string(1, separator), knob.name, "=", value);
    separator = '&';
  }
  return text;
}

}  // namespace cox::strategy
