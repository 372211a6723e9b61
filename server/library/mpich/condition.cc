#include "library/mpich/condition.h"

#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "library/mpich/collectives.h"

namespace cox::library {
namespace {

using enum MpichTestKind;

struct Form {
  absl::string_view text;  // the key, or its part before the number
  MpichTestKind kind;
  int32_t value;
  bool has_number;
};

constexpr int32_t Of(MpichHierarchy hierarchy) { return static_cast<int32_t>(hierarchy); }

// A longer text comes before its prefix.
constexpr Form kForms[] = {
    {"comm_type=intra", kCommIntra, 0, false},
    {"comm_type=inter", kCommInter, 0, false},
    {"comm_size=pow2", kCommSizePowerOfTwo, 0, false},
    {"comm_size=node_comm_size", kCommSizeOfNode, 0, false},
    {"comm_size=any", kCommSizeAny, 0, false},
    {"comm_size<=", kCommSizeAtMost, 0, true},
    {"comm_size<", kCommSizeBelow, 0, true},
    {"comm_hierarchy=parent", kCommHierarchy, Of(MpichHierarchy::kParent), false},
    {"comm_hierarchy=node_roots", kCommHierarchy, Of(MpichHierarchy::kNodeRoots), false},
    {"comm_hierarchy=node", kCommHierarchy, Of(MpichHierarchy::kNode), false},
    {"comm_hierarchy=flat", kCommHierarchy, Of(MpichHierarchy::kFlat), false},
    {"comm_hierarchy=any", kCommHierarchy, Of(MpichHierarchy::kAny), false},
    {"is_node_consecutive=yes", kNodeConsecutive, 1, false},
    {"is_node_consecutive=no", kNodeConsecutive, 0, false},
    {"comm_avg_ppn<=", kCommPpnAtMost, 0, true},
    {"is_multi_threaded=yes", kMultiThreaded, 1, false},
    {"is_multi_threaded=no", kMultiThreaded, 0, false},
    {"avg_msg_size=any", kAverageAny, 0, false},
    {"avg_msg_size<=", kAverageAtMost, 0, true},
    {"avg_msg_size<", kAverageBelow, 0, true},
    {"total_msg_size=any", kTotalAny, 0, false},
    {"total_msg_size<=", kTotalAtMost, 0, true},
    {"total_msg_size<", kTotalBelow, 0, true},
    {"count=any", kCountAny, 0, false},
    {"count<=", kCountAtMost, 0, true},
    {"count<pow2", kCountBelowPowerOfTwo, 0, false},
    {"is_sendbuf_inplace=yes", kInPlace, 1, false},
    {"is_sendbuf_inplace=no", kInPlace, 0, false},
    {"is_block_regular=yes", kBlockRegular, 1, false},
    {"is_block_regular=no", kBlockRegular, 0, false},
    {"is_commutative=yes", kCommutative, 1, false},
    {"is_commutative=no", kCommutative, 0, false},
    {"is_op_built_in=yes", kOpBuiltIn, 1, false},
    {"is_op_built_in=no", kOpBuiltIn, 0, false},
};

constexpr absl::string_view kCollectiveKey = "collective=";

const Form* FindForm(absl::string_view key) {
  for (const Form& form : kForms) {
    if (form.has_number ? absl::StartsWith(key, form.text) : key == form.text) return &form;
  }
  return nullptr;
}

}  // namespace

int32_t AsAtoi(absl::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  int64_t value = 0;
  for (char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) break;
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, c - '0', &value)) {
      // strtol clamps to 64 bits.
      return static_cast<int32_t>(negative ? std::numeric_limits<int64_t>::min()
                                           : std::numeric_limits<int64_t>::max());
    }
  }
  return static_cast<int32_t>(negative ? -value : value);
}

std::optional<absl::string_view> MpichNumberIn(absl::string_view key) {
  const Form* form = FindForm(key);
  if (form == nullptr || !form->has_number) return std::nullopt;
  return key.substr(form->text.size());
}

std::optional<MpichTest> ParseMpichTest(absl::string_view key) {
  if (absl::StartsWith(key, kCollectiveKey)) {
    const int index = FindMpichCollective(key.substr(kCollectiveKey.size()));
    if (index < 0) return std::nullopt;
    return MpichTest{kCollective, index};
  }
  const Form* form = FindForm(key);
  if (form == nullptr) return std::nullopt;
  return MpichTest{form->kind,
                   form->has_number ? AsAtoi(key.substr(form->text.size())) : form->value};
}

std::string MpichTestKey(const MpichTest& test) {
  if (test.kind == kCollective) {
    return absl::StrCat(kCollectiveKey, MpichCollectives()[static_cast<size_t>(test.value)].name);
  }
  for (const Form& form : kForms) {
    if (form.kind != test.kind) continue;
    if (form.has_number) return absl::StrCat(form.text, test.value);
    if (form.value == test.value) return std::string(form.text);
  }
  return "";
}

bool IsOfCommunicator(MpichTestKind kind) { return kind >= kCommIntra && kind <= kCommPpnAtMost; }

}  // namespace cox::library
