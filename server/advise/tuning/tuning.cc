#include "advise/tuning/tuning.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "advise/recommend.h"
#include "advise/tuning/job_advice.h"
#include "domain/collective.h"
#include "domain/errors.h"
#include "domain/limits.h"
#include "domain/parse_collective.h"
#include "domain/words/counted.h"
#include "learn/structure.h"
#include "library/algorithms.h"
#include "library/libraries.h"
#include "library/run_time_number.h"
#include "library/size_changes.h"
#include "strategy/scenario.h"

namespace cox::advise {
namespace {

// A decision takes tens of microseconds.
constexpr int kSizesPerQuestion = 16;
constexpr int64_t kLargestDecided_bytes = int64_t{4} << 20;
// The largest common element. A rule counts bytes, but some algorithms run as themselves only with
// as many elements as ranks. Smaller elements than this are then the easier case.
constexpr int64_t kTypeBytes = 8;
// No table row is about more data per rank: no job sends it, and no benchmark measured it.
constexpr double kMaxTotalBytes = 1 << 30;

bool IsReduction(domain::Collective collective) {
  using enum domain::Collective;
  return collective == kAllreduce || collective == kReduce || collective == kReduceScatter ||
         collective == kReduceScatterBlock || collective == kScan || collective == kExscan;
}

// Whether an algorithm is right and runs as itself for every call of a size.
bool IsAllowed(const library::Algorithm& row, const TuningQuestion& question) {
  const library::Assumptions& assume = question.job.assume;
  if (question.by_call && library::CutsByOwnCount(row) && !assume.same_counts) return false;
  return MissingPromise(row, assume).empty();
}

// Decides for one collective at one size after another.
class TableBuilder {
 public:
  TableBuilder(const MachineView& machine, const TuningQuestion& question,
               domain::Collective collective, domain::CallerWatch* watch)
      : question_(question),
        collective_(collective),
        advice_(machine, question, collective),
        watch_(watch) {}

  // Incomplete if the caller has gone.
  library::DecisionTable Build() {
    const auto row_at = [this](int64_t block_bytes) { return DecideAt(block_bytes); };
    const auto is_same = [](const library::DecisionRow& a, const library::DecisionRow& b) {
      return a.algorithm == b.algorithm && a.library == b.library;
    };
    library::DecisionTable table;
    table.collective = std::string(domain::CollectiveName(collective_));
    table.rows = library::FollowSizes<library::DecisionRow>(LargestBlock(), row_at, is_same);
    table.leaves_links_out = leaves_links_out_;
    return table;
  }

 private:
  int64_t LargestBlock() const {
    if (collective_ == domain::Collective::kBarrier) return 0;
    if (domain::IsOneVector(collective_)) return kLargestDecided_bytes;
    const double largest = kMaxTotalBytes / static_cast<double>(question_.job.ranks());
    return std::clamp(static_cast<int64_t>(largest), int64_t{1}, kLargestDecided_bytes);
  }

  library::DecisionRow DecideAt(int64_t block_bytes) {
    library::DecisionRow row;
    row.block_bytes = block_bytes;  // by which the search between two sizes ends
    if (watch_->IsGone()) return row;
    const Answer answer = advice_.At(block_bytes, /*with_ranked=*/false);
    leaves_links_out_ = leaves_links_out_ || answer.leaves_links_out;
    row = RowFor(question_, collective_, answer.chosen);
    row.block_bytes = block_bytes;
    row.predicted_time_s = answer.chosen.predicted_time_s;
    row.default_time_s = answer.default_time_s;
    return row;
  }

  const TuningQuestion& question_;
  domain::Collective collective_;
  JobAdvice advice_;
  domain::CallerWatch* const watch_;
  bool leaves_links_out_ = false;
};

absl::Status ValidateShape(const TuningQuestion& question) {
  if (library::FindLibrary(question.job.library) == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("library \"", question.job.library,
                     "\" has no table of algorithms to tune; known are ", library::LibraryNames()));
  }
  if (!question.second_library.empty() && question.second_library != library::kCoxcoll) {
    return domain::InvalidField(
        "second_library",
        absl::StrCat("\"", question.second_library, "\" cannot replace another library; only ",
                     library::kCoxcoll, " can"));
  }
  for (const auto& [field, value] :
       {std::pair("nodes", question.job.nodes), std::pair("ppn", question.job.ppn)}) {
    if (value < 1 || value > domain::kMaxRanks) {
      return domain::InvalidField(
          field, absl::StrCat("must be 1 to ", domain::kMaxRanks, ", not ", value));
    }
  }
  if (question.job.nodes * question.job.ppn > domain::kMaxRanks) {
    return domain::InvalidField(
        "ppn", absl::StrCat(domain::Counted(question.job.nodes, "node"), " of ",
                            domain::Counted(question.job.ppn, "rank"), " are more than ",
                            domain::kMaxRanks, " ranks"));
  }
  return absl::OkStatus();
}

// The collectives asked about, or all that the library has rows for, in the catalogue's order.
absl::StatusOr<std::vector<domain::Collective>> CollectivesOf(const TuningQuestion& question) {
  std::vector<domain::Collective> collectives;
  for (size_t i = 0; i < question.collectives.size(); ++i) {
    const auto collective = domain::ParseCollective(question.collectives[i]);
    const std::string field = absl::StrCat("collectives[", i, "]");
    if (!collective.ok()) return domain::InvalidField(field, collective.status().message());
    if (std::find(collectives.begin(), collectives.end(), *collective) != collectives.end()) {
      return domain::InvalidField(field,
                                  absl::StrCat("\"", question.collectives[i], "\" is given twice"));
    }
    collectives.push_back(*collective);
  }
  if (!collectives.empty()) return collectives;
  for (int i = 0; i < domain::kCollectiveCount; ++i) {
    const auto collective = static_cast<domain::Collective>(i);
    if (library::Lists(question.job.library, collective)) collectives.push_back(collective);
  }
  return collectives;
}

}  // namespace

absl::string_view MissingPromise(const library::Algorithm& row,
                                 const library::Assumptions& assume) {
  constexpr uint32_t kNeedsElements =
      library::kElementsAtLeastRanks | library::kElementsAtLeastPowerOfTwo | library::kTwoElements;
  // A fallback would silently replace it, usually a much slower one. (MPICH chooses itself
  // instead.)
  const bool needs_to_commute = (row.needs & library::kCommutative) != 0 && !row.fallback.empty();
  if (!assume.commutative && (needs_to_commute || !row.safe_for_any_operation)) {
    return "commutative";
  }
  if ((row.needs & library::kOneType) != 0 && !assume.same_counts) return "same-counts";
  // A reduction's elements have a predefined type, so the size tells their least number. In other
  // collectives one element of a derived type may be the whole message.
  const bool needs_elements = (row.needs & kNeedsElements) != 0 && !IsReduction(row.collective);
  return needs_elements && !assume.elements_at_least_ranks ? "elements>=ranks" : "";
}

Question QuestionFor(const TuningQuestion& question, domain::Collective collective) {
  Question asked;
  asked.library = question.job.library;
  asked.collective = std::string(domain::CollectiveName(collective));
  asked.nodes = question.job.nodes;
  asked.ppn = question.job.ppn;
  asked.ranks = question.job.nodes * question.job.ppn;
  asked.nodes_in_use = question.nodes_in_use;
  asked.assume = question.job.assume;
  asked.type_bytes = kTypeBytes;
  asked.candidates.emplace_back(learn::kDefaultAlgorithm);
  for (const library::Algorithm& row : library::AlgorithmsOf(question.job.library)) {
    if (row.collective == collective && IsAllowed(row, question)) {
      asked.candidates.emplace_back(row.native_name);
    }
  }
  return asked;
}

library::DecisionRow RowFor(const TuningQuestion& question, domain::Collective collective,
                            const Candidate& candidate) {
  library::DecisionRow row;
  row.algorithm = candidate.algorithm;
  row.library = std::string(candidate.library);
  const library::Algorithm* listed = library::FindAlgorithm(
      row.library.empty() ? question.job.library : row.library, collective, row.algorithm);
  if (listed == nullptr) return row;
  row.native_id = listed->native_id;
  // Times and prices are those with the row's own knobs.
  if (const strategy::Strategy* strategy = learn::StrategyOf(*listed)) {
    row.segment_bytes = strategy->knobs.segment_bytes;
    row.fanout = strategy->knobs.fanout;
  }
  return row;
}

absl::StatusOr<std::vector<library::DecisionTable>> BuildDecisionTables(
    const MachineView& machine, const TuningQuestion& question,
    const domain::IsCancelled& is_cancelled, const domain::InParts& in_parts) {
  if (absl::Status status = ValidateShape(question); !status.ok()) return status;
  const auto collectives = CollectivesOf(question);
  if (!collectives.ok()) return collectives.status();
  const size_t count = collectives->size();
  std::vector<library::DecisionTable> tables(count);
  std::atomic<bool> is_gone = false;
  const auto build = [&](size_t begin, size_t end) {
    domain::CallerWatch watch(is_cancelled, kSizesPerQuestion);
    for (size_t i = begin; i < end && !is_gone; ++i) {
      tables[i] = TableBuilder(machine, question, (*collectives)[i], &watch).Build();
      if (!watch.status().ok()) is_gone = true;
    }
  };
  if (in_parts) {
    in_parts(count, 1, build);
  } else {
    build(0, count);
  }
  if (is_gone) return domain::CallerGone();
  return tables;
}

}  // namespace cox::advise
