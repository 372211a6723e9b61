#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "library/formats.h"
#include "library/mpich/guards.h"
#include "library/mpich/json.h"
#include "library/mpich/known.h"
#include "library/mpich/leaves.h"

namespace cox::library {
namespace {

using enum MpichTestKind;

constexpr size_t kPage = 4096;
constexpr absl::string_view kAlgorithm = "algorithm=";
// The keys that the library reads beside an algorithm that runs by transport ("_tsp_").
constexpr absl::string_view kParameters[] = {
    "k=", "tree_type=", "chunk_size=", "buffer_per_child=", "scatterv_k=", "allgatherv_k="};

// The library asserts that another test follows these.
bool MustBeFollowed(MpichTestKind kind) {
  constexpr MpichTestKind kKinds[] = {kCommSizeAtMost, kCommSizeBelow,       kCommSizePowerOfTwo,
                                      kCommSizeOfNode, kCommPpnAtMost,       kAverageAtMost,
                                      kAverageBelow,   kTotalAtMost,         kTotalBelow,
                                      kCountAtMost,    kCountBelowPowerOfTwo};
  return std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds);
}

// The library asserts that nothing follows these.
bool MustBeLast(MpichTestKind kind) {
  return kind == kCommSizeAny || kind == kAverageAny || kind == kTotalAny || kind == kCountAny;
}

// Whether the library can answer the test for this collective; if not, its first call aborts.
bool IsDefined(MpichTestKind kind, const MpichCollective& collective) {
  switch (kind) {
    case kAverageAtMost:
    case kAverageBelow:
      return collective.has_average;
    case kTotalAtMost:
    case kTotalBelow:
      return collective.total != MpichCollective::Total::kNone;
    case kCountAtMost:
    case kCountBelowPowerOfTwo:
      return collective.count != MpichCollective::Count::kNone;
    case kInPlace:
      return collective.has_in_place;
    case kBlockRegular:
      return collective.has_block_regular;
    case kCommutative:
      return collective.has_commutative;
    case kOpBuiltIn:
      return collective.has_op_built_in;
    default:
      return true;
  }
}

const MpichCollective& CollectiveAt(int index) {
  return MpichCollectives()[static_cast<size_t>(index)];
}

// The collective of an algorithm: the one with the longest matching prefix.
absl::string_view PrefixOf(absl::string_view algorithm) {
  absl::string_view prefix;
  for (const MpichCollective& collective : MpichCollectives()) {
    if (absl::StartsWith(algorithm, collective.prefix) &&
        collective.prefix.size() > prefix.size()) {
      prefix = collective.prefix;
    }
  }
  return prefix;
}

class TreeCheck {
 public:
  TreeCheck(const Assumptions& assume, std::vector<std::string>* findings)
      : assume_(assume), findings_(*findings) {}

  void Object(const std::vector<JsonMember>& members, MpichKnown known, int64_t line) {
    const auto leaf = std::find_if(members.begin(), members.end(), [](const JsonMember& member) {
      return absl::StartsWith(member.key, kAlgorithm);
    });
    if (leaf != members.end()) return Leaf(members, *leaf, known);
    if (members.empty()) return Find(line, "an empty object leads nowhere: the library aborts");
    FindRepeated(members);
    std::optional<MpichTest> last;
    bool reached_end = false;
    std::set<int> collectives;
    for (const JsonMember& member : members) {
      const auto test = ParseMpichTest(member.key);
      if (!test.has_value()) {
        Find(member.line, absl::StrCat("unknown key \"", member.key, "\": the library aborts"));
        continue;
      }
      if (last.has_value() && MustBeLast(last->kind)) {
        Find(member.line, absl::StrCat("\"", member.key, "\" follows \"", MpichTestKey(*last),
                                       "\": the library aborts"));
      }
      if (test->kind == kCollective) collectives.insert(test->value);
      Test(member, *test, !collectives.empty(), known);
      known.Meet(test->kind);
      const std::optional<bool> decided = known.Decide(*test);
      if (decided == false || reached_end) {
        Find(member.line, absl::StrCat("\"", member.key, "\" can never match here"));
      }
      MpichKnown inner = known;
      inner.Assume(*test, true);
      Object(member.members, inner, member.line);
      known.Assume(*test, false);
      reached_end = reached_end || decided == true;
      last = test;
    }
    if (!collectives.empty()) return FindMissing(collectives, line);
    if (last.has_value()) End(*last, reached_end, known, members.back());
  }

 private:
  void Find(int64_t line, absl::string_view what) {
    findings_.push_back(absl::StrCat("line ", line, ": ", what));
  }

  void FindRepeated(const std::vector<JsonMember>& members) {
    std::set<absl::string_view> seen;
    for (const JsonMember& member : members) {
      if (!seen.insert(member.key).second) {
        Find(member.line, absl::StrCat("\"", member.key, "\" a second time: it silently takes the ",
                                       "place of the first"));
      }
    }
  }

  void FindMissing(const std::set<int>& present, int64_t line) {
    int index = 0;
    for (const MpichCollective& collective : MpichCollectives()) {
      if (present.count(index++) == 0) {
        Find(line, absl::StrCat("no collective=", collective.name,
                                ": the file replaces all that is built in, and a program that "
                                "calls it aborts"));
      }
    }
  }

  // The findings about a test at its place.
  void Test(const JsonMember& member, const MpichTest& test, bool beside_collectives,
            const MpichKnown& known) {
    if (const auto number = MpichNumberIn(member.key)) Number(member, *number);
    if (test.kind != kCollective && beside_collectives) {
      Find(member.line, absl::StrCat("\"", member.key, "\" beside collectives: the library takes ",
                                     "it for one of them"));
    }
    if (known.collective() < 0) {
      if (test.kind != kCollective && !IsOfCommunicator(test.kind)) {
        Find(member.line,
             absl::StrCat("\"", member.key, "\" above the collective: the library ", "aborts"));
      }
      return;
    }
    const MpichCollective& collective = CollectiveAt(known.collective());
    if (!IsDefined(test.kind, collective)) {
      Find(member.line, absl::StrCat("\"", member.key, "\" is not defined for ", collective.name,
                                     ": its first call aborts"));
    }
    if (test.kind == kCommSizeBelow && !known.at_creation()) {
      Find(member.line, absl::StrCat("\"", member.key, "\" below a test of the call acts as ",
                                     "\"comm_size<=", test.value, "\""));
    }
    if (test.kind == kTotalAtMost || test.kind == kTotalBelow) Total(member, collective, known);
  }

  void Total(const JsonMember& member, const MpichCollective& collective, const MpichKnown& known) {
    // For ireduce_scatter_block, and between two groups, the library does so itself.
    if (collective.total == MpichCollective::Total::kElements &&
        collective.count == MpichCollective::Count::kNone && known.inter() != true) {
      Find(member.line, absl::StrCat("\"", member.key, "\" compares elements, not bytes, of a ",
                                     collective.name));
    }
    if (collective.total == MpichCollective::Total::kBytes && collective.has_in_place &&
        !collective.has_average) {
      Find(member.line, absl::StrCat("\"", member.key, "\" of ", collective.name, " compares what ",
                                     "a rank sends: ranks may pick different algorithms"));
    }
  }

  void Number(const JsonMember& member, absl::string_view digits) {
    int64_t value = 0;
    const bool plain = absl::SimpleAtoi(digits, &value) && !digits.empty() &&
                       absl::ascii_isdigit(static_cast<unsigned char>(digits[0])) &&
                       value <= std::numeric_limits<int32_t>::max();
    if (!plain) {
      Find(member.line,
           absl::StrCat("\"", member.key, "\": the library reads the number as ", AsAtoi(digits)));
    }
  }

  void End(const MpichTest& last, bool reached_end, const MpichKnown& known,
           const JsonMember& member) {
    if (MustBeFollowed(last.kind)) {
      Find(member.line, absl::StrCat("nothing follows \"", member.key, "\": the library aborts; ",
                                     "end with \"=any\""));
      return;
    }
    const bool never_called = known.collective() >= 0 &&
                              CollectiveAt(known.collective()).intra_only && known.inter() == true;
    if (!reached_end && !never_called) {
      Find(member.line, absl::StrCat("calls for which \"", member.key,
                                     "\" does not hold meet nothing: they abort"));
    }
  }

  void Leaf(const std::vector<JsonMember>& members, const JsonMember& leaf,
            const MpichKnown& known) {
    const absl::string_view name = absl::string_view(leaf.key).substr(kAlgorithm.size());
    for (const JsonMember& member : members) {
      if (&member != &leaf) Beside(member, name);
    }
    const MpichLeaf* row = FindMpichLeaf(name);
    if (row == nullptr) {
      return Find(leaf.line, absl::StrCat("unknown algorithm \"", name, "\": the library aborts"));
    }
    if (known.collective() < 0) {
      return Find(leaf.line, absl::StrCat(name, " above any collective: the library aborts"));
    }
    const MpichCollective& collective = CollectiveAt(known.collective());
    if (PrefixOf(name) != collective.prefix) {
      return Find(leaf.line, absl::StrCat(name, " is not an algorithm of ", collective.name,
                                          ": its first call aborts"));
    }
    if (collective.intra_only && known.inter() == true) return;  // no call gets here
    if (!collective.intra_only) Kind(leaf, name, known);
    Needs(leaf, *row, known);
  }

  void Beside(const JsonMember& member, absl::string_view algorithm) {
    const bool is_parameter = std::any_of(
        std::begin(kParameters), std::end(kParameters),
        [&member](absl::string_view text) { return absl::StartsWith(member.key, text); });
    if (!is_parameter || !absl::StrContains(algorithm, "_tsp_")) {
      Find(member.line, absl::StrCat("\"", member.key, "\" beside an algorithm is ignored"));
    }
  }

  void Kind(const JsonMember& leaf, absl::string_view name, const MpichKnown& known) {
    const bool for_inter = absl::StrContains(name, "_inter_");
    if (!for_inter && !absl::StrContains(name, "_intra_")) return;
    if (known.inter() != for_inter) {
      Find(leaf.line,
           absl::StrCat(name, " needs comm_type=", for_inter ? "inter" : "intra", " above it"));
    }
  }

  void Needs(const JsonMember& leaf, const MpichLeaf& row, const MpichKnown& known) {
    for (const MpichGuard& guard : MpichGuards()) {
      if ((row.needs & guard.need) == 0) continue;
      // A hierarchy without parts does nothing, which is right for calls without bytes.
      if (guard.need == kMpichParent && known.has_no_bytes()) continue;
      if (guard.need == kMpichCommutative && assume_.commutative) continue;
      if (known.Decide(guard.first) != guard.first_guarantees) {
        Find(leaf.line,
             absl::StrCat(row.name, " needs ", guard.words, ", which no test above it guarantees"));
      }
    }
  }

  const Assumptions& assume_;
  std::vector<std::string>& findings_;
};

}  // namespace

std::vector<std::string> CheckMpichJson(absl::string_view text, const Assumptions& assume) {
  if (text.empty()) return {"the file is empty: the library crashes when it starts"};
  std::vector<std::string> findings;
  if (text.size() % kPage == 0) {
    findings.push_back(absl::StrCat("the file has ", text.size(),
                                    " bytes, whole pages: the library reads beyond its end; add a "
                                    "newline"));
  }
  const auto members = ReadJsonObjects(text);
  if (!members.ok()) {
    findings.push_back(
        absl::StrCat(members.status().message(), ": the library aborts when it starts"));
    return findings;
  }
  TreeCheck(assume, &findings).Object(*members, MpichKnown(), 1);
  return findings;
}

}  // namespace cox::library
