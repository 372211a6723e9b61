#include "advise/tuning.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "advise/recommend.h"
#include "model/errors.h"
#include "strategy/library_map.h"
#include "strategy/scenario.h"

namespace cox::advise {
namespace {

constexpr absl::string_view kDefault = "default";

constexpr int64_t kMaxBlockBytes = int64_t{4} << 20;
// The largest element that is ordinary. A rule is about bytes, but some algorithms run as
// themselves only with as many elements as ranks: with smaller elements than these they then do so
// all the more.
constexpr int64_t kTypeBytes = 8;
// No table row is about more than this much data per rank: nobody sends it, and nobody measured it.
constexpr double kMaxTotalBytes = 1 << 30;

// Decides at one size after another for one collective.
class TableBuilder {
 public:
  TableBuilder(const MachineView& machine, const TuningQuestion& question,
               strategy::Collective collective)
      : machine_(machine), collective_(collective) {
    asked_.library = question.library;
    asked_.collective = std::string(strategy::CollectiveName(collective));
    asked_.nodes = question.nodes;
    asked_.ppn = question.ppn;
    asked_.ranks = question.nodes * question.ppn;
    asked_.commutative_only = question.allow_commutative_only;
    asked_.type_bytes = kTypeBytes;
    asked_.candidates.emplace_back(kDefault);
    for (const strategy::LibraryAlgorithm& row : strategy::LibraryAlgorithms(question.library)) {
      const bool allowed = question.allow_commutative_only || row.safe_for_any_operation;
      if (row.collective == collective && allowed) {
        asked_.candidates.emplace_back(row.native_name);
      }
    }
  }

  DecisionTable Build() {
    DecisionTable table;
    table.collective = asked_.collective;
    DecisionRow previous = DecideAt(0);
    table.rows.push_back(previous);
    for (int64_t block_bytes = 1; block_bytes <= LargestBlock(); block_bytes *= 2) {
      DecisionRow next = DecideAt(block_bytes);
      Between(previous, next, &table.rows);
      previous = std::move(next);
    }
    return table;
  }

 private:
  int64_t LargestBlock() const {
    if (collective_ == strategy::Collective::kBarrier) return 0;
    if (strategy::IsOneVector(collective_)) return kMaxBlockBytes;
    const double largest = kMaxTotalBytes / static_cast<double>(asked_.ranks);
    return std::clamp(static_cast<int64_t>(largest), int64_t{1}, kMaxBlockBytes);
  }

  DecisionRow DecideAt(int64_t block_bytes) {
    asked_.block_bytes = block_bytes;
    const Answer answer = Recommend(machine_, asked_, /*with_ranked=*/false);
    DecisionRow row;
    row.block_bytes = block_bytes;
    row.algorithm = answer.chosen.algorithm;
    row.predicted_time_s = answer.chosen.predicted_time_s;
    row.default_time_s = answer.default_time_s;
    const strategy::LibraryAlgorithm* listed =
        strategy::FindLibraryAlgorithm(asked_.library, collective_, row.algorithm);
    if (listed == nullptr) return row;
    row.native_id = listed->native_id;
    // Times were learned, and prices are, with the row's own knobs.
    if (const auto parsed = strategy::ParseStrategy(listed->strategy); parsed.ok()) {
      row.segment_bytes = parsed->knobs.segment_bytes;
      row.fanout = parsed->knobs.fanout;
    }
    return row;
  }

  // Appends a row at every size in (low, high] where the choice changes, to the byte.
  void Between(const DecisionRow& low, const DecisionRow& high, std::vector<DecisionRow>* rows) {
    if (low.algorithm == high.algorithm) return;
    if (high.block_bytes - low.block_bytes == 1) {
      rows->push_back(high);
      return;
    }
    const DecisionRow middle = DecideAt(low.block_bytes + (high.block_bytes - low.block_bytes) / 2);
    Between(low, middle, rows);
    Between(middle, high, rows);
  }

  const MachineView& machine_;
  strategy::Collective collective_;
  Question asked_;
};

absl::Status ValidateShape(const TuningQuestion& question) {
  if (strategy::LibraryAlgorithms(question.library).empty()) {
    return absl::UnimplementedError(absl::StrCat(
        "library \"", question.library, "\" has no table of algorithms to tune; there are ",
        absl::StrJoin(strategy::Libraries(), ", ")));
  }
  for (const auto& [field, value] :
       {std::pair("nodes", question.nodes), std::pair("ppn", question.ppn)}) {
    if (value < 1 || value > strategy::kMaxRanks) {
      return model::InvalidField(
          field, absl::StrCat("must be 1 to ", strategy::kMaxRanks, ", not ", value));
    }
  }
  if (question.nodes * question.ppn > strategy::kMaxRanks) {
    return model::InvalidField(
        "ppn", absl::StrCat(question.nodes, " nodes of ", question.ppn, " ranks are more than ",
                            strategy::kMaxRanks, " ranks"));
  }
  return absl::OkStatus();
}

// The collectives asked about, or all that the library has rows for, in the catalogue's order.
absl::StatusOr<std::vector<strategy::Collective>> CollectivesOf(const TuningQuestion& question) {
  std::vector<strategy::Collective> collectives;
  for (size_t i = 0; i < question.collectives.size(); ++i) {
    const auto collective = strategy::ParseCollective(question.collectives[i]);
    const std::string field = absl::StrCat("collectives[", i, "]");
    if (!collective.ok()) return model::InvalidField(field, collective.status().message());
    if (std::find(collectives.begin(), collectives.end(), *collective) != collectives.end()) {
      return model::InvalidField(field,
                                 absl::StrCat("\"", question.collectives[i], "\" is given twice"));
    }
    collectives.push_back(*collective);
  }
  if (!collectives.empty()) return collectives;
  for (int i = 0; i < strategy::kCollectiveCount; ++i) {
    const auto collective = static_cast<strategy::Collective>(i);
    for (const strategy::LibraryAlgorithm& row : strategy::LibraryAlgorithms(question.library)) {
      if (row.collective != collective) continue;
      collectives.push_back(collective);
      break;
    }
  }
  return collectives;
}

}  // namespace

absl::StatusOr<std::vector<DecisionTable>> BuildDecisionTables(const MachineView& machine,
                                                               const TuningQuestion& question) {
  if (absl::Status status = ValidateShape(question); !status.ok()) return status;
  const auto collectives = CollectivesOf(question);
  if (!collectives.ok()) return collectives.status();
  std::vector<DecisionTable> tables;
  for (strategy::Collective collective : *collectives) {
    tables.push_back(TableBuilder(machine, question, collective).Build());
  }
  return tables;
}

}  // namespace cox::advise
