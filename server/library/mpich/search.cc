#include <cstdint>

#include "library/mpich/tree.h"
#include "topology/powers_of_two.h"

namespace cox::library {
namespace {

using enum MpichTestKind;

enum class Answer : uint8_t { kNo, kYes, kAbort };

Answer ToAnswer(bool holds) { return holds ? Answer::kYes : Answer::kNo; }

Answer AtMost(std::optional<int64_t> value, int64_t bound) {
  return value.has_value() ? ToAnswer(*value <= bound) : Answer::kAbort;
}

Answer IsYes(bool defined, bool is, int32_t value) {
  return defined ? ToAnswer(is == (value != 0)) : Answer::kAbort;
}

bool IsHierarchy(const MpichCall& call, int32_t value) {
  const auto asked = static_cast<MpichHierarchy>(value);
  return asked == MpichHierarchy::kAny || asked == call.hierarchy;
}

// `at_creation`: the test is decided when the communicator is created.
Answer Holds(const MpichTest& test, const MpichCall& call, bool at_creation) {
  const MpichCollective& collective = MpichCollectives()[static_cast<size_t>(call.collective)];
  const int64_t bound = test.value;
  switch (test.kind) {
    case kCollective:
      return ToAnswer(test.value == call.collective);
    case kCommIntra:
      return ToAnswer(!call.inter);
    case kCommInter:
      return ToAnswer(call.inter);
    case kCommSizeAtMost:
      return ToAnswer(call.comm_size <= bound);
    case kCommSizeBelow:
      return ToAnswer(at_creation ? call.comm_size < bound : call.comm_size <= bound);
    case kCommSizePowerOfTwo:
      return ToAnswer(topology::IsPowerOfTwo(call.comm_size));
    case kCommSizeOfNode:
      return ToAnswer(call.node_comm_size == call.comm_size);
    case kCommSizeAny:
    case kAverageAny:
    case kTotalAny:
    case kCountAny:
      return Answer::kYes;
    case kCommHierarchy:
      return ToAnswer(IsHierarchy(call, test.value));
    case kNodeConsecutive:
      return IsYes(true, call.node_consecutive, test.value);
    case kCommPpnAtMost:
      return ToAnswer(call.comm_size <= bound * call.node_count);
    case kMultiThreaded:
      return IsYes(true, call.multi_threaded, test.value);
    case kAverageAtMost:
      return AtMost(call.AverageBytes(), bound);
    case kAverageBelow:
      return AtMost(call.AverageBytes(), bound - 1);
    case kTotalAtMost:
      return AtMost(call.TotalSize(), bound);
    case kTotalBelow:
      return AtMost(call.TotalSize(), bound - 1);
    case kCountAtMost:
      return AtMost(call.Count(), bound);
    case kCountBelowPowerOfTwo:
      return AtMost(call.Count(), topology::LargestPowerOfTwo(call.comm_size) - 1);
    case kInPlace:
      return IsYes(collective.has_in_place, call.in_place, test.value);
    case kBlockRegular:
      return IsYes(collective.has_block_regular, call.block_regular, test.value);
    case kCommutative:
      return IsYes(collective.has_commutative, call.commutative, test.value);
    case kOpBuiltIn:
      return IsYes(collective.has_op_built_in, call.op_built_in, test.value);
  }
  return Answer::kAbort;
}

}  // namespace

const MpichNode* SearchMpichTree(const MpichTree& tree, const MpichCall& call) {
  const std::vector<MpichNode>* siblings = &tree;
  bool at_creation = true;
  bool below_collective = false;
  while (true) {
    const MpichNode* met = nullptr;
    for (const MpichNode& node : *siblings) {
      const bool is_collective = node.test.kind == kCollective;
      if (!is_collective && !IsOfCommunicator(node.test.kind)) {
        // A test of the message needs the collective first.
        if (!below_collective) return nullptr;
        at_creation = false;
      }
      const Answer answer = Holds(node.test, call, at_creation);
      if (answer == Answer::kAbort) return nullptr;
      if (answer == Answer::kNo) continue;
      below_collective = below_collective || is_collective;
      met = &node;
      break;
    }
    if (met == nullptr) return nullptr;
    if (!met->algorithm.empty()) return met;
    siblings = &met->children;
  }
}

}  // namespace cox::library
