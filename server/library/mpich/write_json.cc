#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "domain/parse_collective.h"
#include "library/formats.h"
#include "library/mpich/guards.h"
#include "library/mpich/known.h"
#include "library/mpich/leaves.h"
#include "library/mpich/split.h"
#include "library/mpich/tree.h"
#include "strategy/scenario.h"

namespace cox::library {
namespace {

using enum MpichTestKind;

constexpr int64_t kMaxNumber = std::numeric_limits<int32_t>::max();  // the library reads no more
constexpr size_t kPage = 4096;

// The library maps the file and reads it as a string: whole pages would leave no final zero.
bool FillsPages(const std::string& text) { return text.size() % kPage == 0; }

// The library's meaning of a size, for the collectives in which all ranks see the same one.
enum class SizeTest : uint8_t { kNone, kAverage, kTotal };

SizeTest SizeTestOf(const MpichCollective& collective) {
  if (collective.has_average) return SizeTest::kAverage;
  // alltoallv and alltoallw count what each rank sends, so ranks would disagree. gather and scatter
  // count elements.
  const bool is_shared = collective.total == MpichCollective::Total::kBytes &&
                         collective.count != MpichCollective::Count::kNone;
  return is_shared ? SizeTest::kTotal : SizeTest::kNone;
}

bool IsDefault(const DecisionRow& row) { return row.native_id == 0; }

const MpichLeaf* LeafOf(const MpichCollective& collective, absl::string_view algorithm) {
  for (absl::string_view kind : {"intra_", "allcomm_"}) {
    const MpichLeaf* leaf = FindMpichLeaf(absl::StrCat(collective.prefix, kind, algorithm));
    if (leaf != nullptr) return leaf;
  }
  return nullptr;
}

MpichNode Under(const MpichTest& test, MpichNode node) {
  node.test = test;
  return node;
}

MpichNode Fork(MpichNode first, MpichNode second) {
  MpichNode node;
  node.children.push_back(std::move(first));
  node.children.push_back(std::move(second));
  return node;
}

// Writes one table's rows into the library's own tree of that collective.
class Grafting {
 public:
  Grafting(const DecisionTable& table, int64_t ranks, const MpichNode& own)
      : table_(table),
        ranks_(ranks),
        own_(own),
        collective_(MpichCollectives()[static_cast<size_t>(own.test.value)]) {}

  // The tests and leaves below "collective=...", with ours for communicators of the job's size
  // only.
  MpichNode Whole() const {
    MpichKnown known;
    known.Assume(own_.test, true);
    MpichKnown intra = known;
    intra.Assume({kCommIntra, 0}, true);
    MpichKnown inter = known;
    inter.Assume({kCommInter, 0}, true);
    const MpichTest below = {kCommSizeAtMost, static_cast<int32_t>(ranks_ - 1)};
    const MpichTest here = {kCommSizeAtMost, static_cast<int32_t>(ranks_)};
    MpichKnown smaller = intra;
    smaller.Assume(below, true);
    MpichKnown same = intra;
    same.Assume(below, false);
    same.Assume(here, true);
    MpichKnown larger = intra;
    larger.Assume(here, false);
    MpichNode sizes = Fork(Under(below, Own(smaller)), Under(here, Ours(same)));
    sizes.children.push_back(Under({kCommSizeAny, 0}, Own(larger)));
    return Fork(Under({kCommIntra, 0}, std::move(sizes)), Under({kCommInter, 0}, Own(inter)));
  }

 private:
  MpichNode Own(const MpichKnown& known) const { return PruneMpichTree(own_, known); }

  // A call in place has no size on the sending side, so no test may ask for one.
  MpichNode Ours(const MpichKnown& known) const {
    if (!collective_.has_in_place) return Rows(known);
    MpichKnown in_place = known;
    in_place.Assume({kInPlace, 1}, true);
    MpichKnown apart = known;
    apart.Assume({kInPlace, 1}, false);
    return Fork(Under({kInPlace, 1}, Own(in_place)), Under({kInPlace, 0}, Rows(apart)));
  }

  // The last size of `row` in the library's unit; nullopt for the last row that the library can
  // tell from the next.
  std::optional<MpichTest> UpTo(size_t row) const {
    const SizeTest size = SizeTestOf(collective_);
    if (row + 1 >= table_.rows.size() || size == SizeTest::kNone) return std::nullopt;
    int64_t bytes = table_.rows[row + 1].block_bytes;
    if (size == SizeTest::kTotal && __builtin_mul_overflow(bytes, ranks_, &bytes)) {
      return std::nullopt;
    }
    if (bytes - 1 > kMaxNumber) return std::nullopt;
    return MpichTest{size == SizeTest::kAverage ? kAverageAtMost : kTotalAtMost,
                     static_cast<int32_t>(bytes - 1)};
  }

  MpichNode Rows(MpichKnown known) const {
    MpichNode node;
    for (size_t i = 0; i < table_.rows.size(); ++i) {
      const std::optional<MpichTest> up_to = UpTo(i);
      if (!up_to.has_value() && node.children.empty()) return Choice(table_.rows[i], known);
      if (!up_to.has_value()) {
        const bool is_average = node.children.back().test.kind == kAverageAtMost;
        node.children.push_back(
            Under({is_average ? kAverageAny : kTotalAny, 0}, Choice(table_.rows[i], known)));
        break;
      }
      MpichKnown inner = known;
      inner.Assume(*up_to, true);
      node.children.push_back(Under(*up_to, Choice(table_.rows[i], inner)));
      known.Assume(*up_to, false);
    }
    return node;
  }

  MpichNode Choice(const DecisionRow& row, const MpichKnown& known) const {
    const MpichLeaf* leaf = IsDefault(row) ? nullptr : LeafOf(collective_, row.algorithm);
    return leaf == nullptr ? Own(known) : Guarded(*leaf, MpichGuards(), known);
  }

  // The leaf with the tests that guarantee its needs; the library's own choice where these fail.
  MpichNode Guarded(const MpichLeaf& leaf, absl::Span<const MpichGuard> guards,
                    const MpichKnown& known) const {
    while (!guards.empty() && (guards.front().need & leaf.needs) == 0) guards.remove_prefix(1);
    if (guards.empty()) {
      MpichNode node;
      node.algorithm = std::string(leaf.name);
      return node;
    }
    const MpichGuard& guard = guards.front();
    guards.remove_prefix(1);
    const std::optional<bool> decided = known.Decide(guard.first);
    const auto branch = [&](bool first) {
      MpichKnown inner = known;
      inner.Assume(guard.first, first);
      return first == guard.first_guarantees ? Guarded(leaf, guards, inner) : Own(inner);
    };
    if (decided.has_value()) return branch(*decided);
    return Fork(Under(guard.first, branch(true)), Under(guard.second, branch(false)));
  }

  const DecisionTable& table_;
  const int64_t ranks_;
  const MpichNode& own_;
  const MpichCollective& collective_;
};

// Why the table, or a part of it, is not in the file; "" if all of it is.
std::string WhyLeftOut(const DecisionTable& table, const TunedJob& job,
                       const MpichCollective& collective) {
  if (IsSplitByMpich(*domain::ParseCollective(table.collective), job)) {
    return std::string(kWhyMpichSplits);
  }
  if (table.rows.size() > 1 && SizeTestOf(collective) == SizeTest::kNone) {
    return absl::StrCat(table.rows.size(),
                        " choices by size; the library has no size that all ranks agree on");
  }
  return "";
}

// The first algorithm of the table that the library lacks; null if it has all.
const DecisionRow* FindUnknown(const DecisionTable& table, const MpichCollective& collective) {
  const auto found =
      std::find_if(table.rows.begin(), table.rows.end(), [&collective](const DecisionRow& row) {
        return !IsDefault(row) && LeafOf(collective, row.algorithm) == nullptr;
      });
  return found == table.rows.end() ? nullptr : &*found;
}

// json-c reads the rest of a line after // as a comment.
std::string JsonComment(absl::string_view line) {
  return absl::StrCat("//", Comment(line).substr(1));
}

}  // namespace

bool MpichJsonTellsSizesApart(domain::Collective collective) {
  const int index = FindMpichCollective(domain::CollectiveName(collective));
  return index >= 0 &&
         SizeTestOf(MpichCollectives()[static_cast<size_t>(index)]) != SizeTest::kNone;
}

absl::StatusOr<std::string> WriteMpichJson(absl::Span<const DecisionTable> tables,
                                           const TunedJob& job,
                                           absl::Span<const std::string> header_lines) {
  std::string text;
  for (const std::string& line : header_lines) text += JsonComment(line);
  text += JsonComment("use: MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=FILE, on every node");
  MpichNode own;
  own.children = Mpich40Tree();
  MpichNode tree = PruneMpichTree(own, MpichKnown());
  for (const DecisionTable& table : tables) {
    const int index = FindMpichCollective(table.collective);
    if (index < 0 || job.ranks() < 2 || job.ranks() >= kMaxNumber || LeavesAllToTheLibrary(table)) {
      continue;
    }
    const MpichCollective& collective = MpichCollectives()[static_cast<size_t>(index)];
    if (const DecisionRow* row = FindUnknown(table, collective)) {
      return absl::InternalError(
          absl::StrCat("MPICH 4.0 has no ", table.collective, " \"", row->algorithm, "\""));
    }
    const std::string why = WhyLeftOut(table, job, collective);
    if (!why.empty()) {
      text += JsonComment(absl::StrCat(table.collective, ": ", why));
      continue;
    }
    const auto is_it = [index](const MpichNode& node) { return node.test.value == index; };
    const auto source = std::find_if(own.children.begin(), own.children.end(), is_it);
    const auto target = std::find_if(tree.children.begin(), tree.children.end(), is_it);
    if (source == own.children.end() || target == tree.children.end()) {
      return absl::InternalError(absl::StrCat("the built-in tree has no ", table.collective));
    }
    *target = Under(target->test, Grafting(table, job.ranks(), *source).Whole());
  }
  text += MpichTreeText(tree.children);
  if (FillsPages(text)) text += "\n";
  return text;
}

}  // namespace cox::library
