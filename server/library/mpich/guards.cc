#include "library/mpich/guards.h"

namespace cox::library {
namespace {

using enum MpichTestKind;

constexpr MpichTest kIsParent = {kCommHierarchy, static_cast<int32_t>(MpichHierarchy::kParent)};
constexpr MpichTest kAnyHierarchy = {kCommHierarchy, static_cast<int32_t>(MpichHierarchy::kAny)};

constexpr MpichGuard kGuards[] = {
    {kMpichInPlace, {kInPlace, 1}, {kInPlace, 0}, true, "calls in place"},
    {kMpichNotInPlace, {kInPlace, 1}, {kInPlace, 0}, false, "calls that are not in place"},
    {kMpichPowerOfTwo,
     {kCommSizePowerOfTwo, 0},
     {kCommSizeAny, 0},
     true,
     "a power of two of ranks"},
    {kMpichParent, kIsParent, kAnyHierarchy, true, "comm_hierarchy=parent"},
    {kMpichNodeConsecutive,
     {kNodeConsecutive, 1},
     {kNodeConsecutive, 0},
     true,
     "ranks that are consecutive on nodes"},
    {kMpichOpBuiltIn, {kOpBuiltIn, 0}, {kOpBuiltIn, 1}, false, "an operation of MPI's own"},
    {kMpichCommutative, {kCommutative, 0}, {kCommutative, 1}, false, "a commutative operation"},
    {kMpichBlockRegular, {kBlockRegular, 0}, {kBlockRegular, 1}, false, "equal blocks"},
    {kMpichCountOfPowerOfTwo,
     {kCountBelowPowerOfTwo, 0},
     {kCountAny, 0},
     false,
     "elements >= the largest power of two <= ranks"},
};

}  // namespace

absl::Span<const MpichGuard> MpichGuards() { return kGuards; }

}  // namespace cox::library
