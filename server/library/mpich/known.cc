#include "library/mpich/known.h"

#include <algorithm>
#include <utility>

#include "topology/powers_of_two.h"

namespace cox::library {
namespace {

using enum MpichTestKind;

// A test that always holds and may end a row of such tests.
constexpr std::pair<MpichTestKind, MpichTestKind> kLast[] = {
    {kCommSizeAtMost, kCommSizeAny},
    {kCommSizeBelow, kCommSizeAny},
    {kCommSizePowerOfTwo, kCommSizeAny},
    {kCommSizeOfNode, kCommSizeAny},
    {kCommPpnAtMost, kCommSizeAny},
    {kAverageAtMost, kAverageAny},
    {kAverageBelow, kAverageAny},
    {kTotalAtMost, kTotalAny},
    {kTotalBelow, kTotalAny},
    {kCountAtMost, kCountAny},
    {kCountBelowPowerOfTwo, kCountAny},
};

MpichTest AsLast(const MpichTest& test) {
  for (const auto& [kind, last] : kLast) {
    if (kind == test.kind) return {last, 0};
  }
  return test;
}

unsigned HierarchyBits(int32_t value) {
  const auto hierarchy = static_cast<MpichHierarchy>(value);
  return hierarchy == MpichHierarchy::kAny ? 0b1111U : 1U << static_cast<unsigned>(value);
}

}  // namespace

std::optional<MpichKnown::Bounded> MpichKnown::BoundOf(const MpichTest& test) const {
  const int64_t bound = test.value;
  switch (test.kind) {
    case kCommSizeAtMost:
      return Bounded{&MpichKnown::comm_size_, bound};
    case kCommSizeBelow:
      return Bounded{&MpichKnown::comm_size_, at_creation_ ? bound - 1 : bound};
    case kCommPpnAtMost:
      return Bounded{&MpichKnown::ppn_, bound};
    case kAverageAtMost:
      return Bounded{&MpichKnown::average_, bound};
    case kAverageBelow:
      return Bounded{&MpichKnown::average_, bound - 1};
    case kTotalAtMost:
      return Bounded{&MpichKnown::total_, bound};
    case kTotalBelow:
      return Bounded{&MpichKnown::total_, bound - 1};
    case kCountAtMost:
      return Bounded{&MpichKnown::count_, bound};
    default:
      return std::nullopt;
  }
}

std::optional<bool> MpichKnown::Decide(const MpichTest& test) const {
  if (const auto bounded = BoundOf(test)) {
    const Range& range = this->*(bounded->range);
    if (range.most <= bounded->most) return true;
    if (range.least > bounded->most) return false;
    return std::nullopt;
  }
  const std::optional<bool>& answer = answers_[static_cast<size_t>(test.kind)];
  switch (test.kind) {
    case kCommSizeAny:
    case kAverageAny:
    case kTotalAny:
    case kCountAny:
      return true;
    case kCollective:
      if (collective_ < 0) return std::nullopt;
      return collective_ == test.value;
    case kCommIntra:
    case kCommInter:
      if (!inter_.has_value()) return std::nullopt;
      return *inter_ == (test.kind == kCommInter);
    case kCommHierarchy:
      if ((hierarchies_ & ~HierarchyBits(test.value)) == 0) return true;
      if ((hierarchies_ & HierarchyBits(test.value)) == 0) return false;
      return std::nullopt;
    case kCommSizePowerOfTwo:
      if (comm_size_.least == comm_size_.most) {
        return topology::IsPowerOfTwo(comm_size_.least);
      }
      return answer;
    case kCommSizeOfNode:
    case kCountBelowPowerOfTwo:
      return answer;
    default:
      if (!answer.has_value()) return std::nullopt;
      return *answer == (test.value != 0);
  }
}

void MpichKnown::Assume(const MpichTest& test, bool holds) {
  if (const auto bounded = BoundOf(test)) {
    Range& range = this->*(bounded->range);
    if (holds) {
      range.most = std::min(range.most, bounded->most);
    } else {
      range.least = std::max(range.least, bounded->most + 1);
    }
    return;
  }
  switch (test.kind) {
    case kCommSizeAny:
    case kAverageAny:
    case kTotalAny:
    case kCountAny:
      return;
    case kCollective:
      if (holds) collective_ = test.value;
      return;
    case kCommIntra:
    case kCommInter:
      inter_ = (test.kind == kCommInter) == holds;
      return;
    case kCommHierarchy:
      hierarchies_ &= holds ? HierarchyBits(test.value) : ~HierarchyBits(test.value);
      return;
    case kCommSizePowerOfTwo:
    case kCommSizeOfNode:
    case kCountBelowPowerOfTwo:
      AnswerOf(test.kind) = holds;
      return;
    default:
      AnswerOf(test.kind) = (test.value != 0) == holds;
      // All predefined operations of MPI commute.
      if (AnswerOf(kOpBuiltIn) == true) AnswerOf(kCommutative) = true;
      return;
  }
}

void MpichKnown::Meet(MpichTestKind kind) {
  if (kind != kCollective && !IsOfCommunicator(kind)) at_creation_ = false;
}

MpichNode PruneMpichTree(const MpichNode& node, MpichKnown known) {
  MpichNode pruned;
  pruned.algorithm = node.algorithm;
  pruned.parameters = node.parameters;
  for (const MpichNode& child : node.children) {
    known.Meet(child.test.kind);
    const std::optional<bool> decided = known.Decide(child.test);
    if (decided == false) continue;
    MpichKnown inner = known;
    inner.Assume(child.test, true);
    MpichNode kept = PruneMpichTree(child, inner);
    if (decided == true && pruned.children.empty()) return kept;
    kept.test = child.test;
    if (decided == true) {
      kept.test = AsLast(child.test);
    } else if (child.test.kind == kCommSizeBelow) {
      kept.test = {kCommSizeAtMost, child.test.value - (known.at_creation() ? 1 : 0)};
    }
    pruned.children.push_back(std::move(kept));
    if (decided == true) break;
    known.Assume(child.test, false);
  }
  return pruned;
}

}  // namespace cox::library
