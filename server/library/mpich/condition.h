// The tests of MPICH 4.0's selection tree: the keys "name op value" of a selection file. Data and
// pure functions, any thread.
#ifndef COX_LIBRARY_MPICH_CONDITION_H_
#define COX_LIBRARY_MPICH_CONDITION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace cox::library {

// The kind of a communicator. An application's is kParent if ranks share a node, else kFlat. MPICH
// makes those of the first ranks of all nodes and of the ranks of one node.
enum class MpichHierarchy : uint8_t { kParent, kNodeRoots, kNode, kFlat, kAny };

enum class MpichTestKind : uint8_t {
  kCollective,  // value: index of MpichCollectives()
  // Of the communicator: decided when it is created, unless another kind precedes it.
  kCommIntra,
  kCommInter,
  kCommSizeAtMost,
  kCommSizeBelow,
  kCommSizePowerOfTwo,
  kCommSizeOfNode,
  kCommSizeAny,
  kCommHierarchy,    // value: MpichHierarchy
  kNodeConsecutive,  // value: 1 yes, 0 no, as of all yes-or-no tests
  kCommPpnAtMost,
  // Of the call and of the process.
  kMultiThreaded,
  kAverageAtMost,
  kAverageBelow,
  kAverageAny,
  kTotalAtMost,
  kTotalBelow,
  kTotalAny,
  kCountAtMost,
  kCountBelowPowerOfTwo,
  kCountAny,
  kInPlace,
  kBlockRegular,
  kCommutative,
  kOpBuiltIn,
};

struct MpichTest {
  MpichTestKind kind = MpichTestKind::kCommSizeAny;
  int32_t value = 0;
  friend bool operator==(const MpichTest&, const MpichTest&) = default;
};

// nullopt for an unknown key, at which the library aborts. Reads numbers as atoi does.
std::optional<MpichTest> ParseMpichTest(absl::string_view key);

// The key in the library's words.
std::string MpichTestKey(const MpichTest& test);

// What atoi returns for the text after the operator of `key`: the low 32 bits of strtol's result.
int32_t AsAtoi(absl::string_view text);

// The text after the operator, where the test has a number; nullopt otherwise.
std::optional<absl::string_view> MpichNumberIn(absl::string_view key);

// Whether the test is decided when a communicator is created.
bool IsOfCommunicator(MpichTestKind kind);

}  // namespace cox::library

#endif  // COX_LIBRARY_MPICH_CONDITION_H_
