// The tests of MPICH 4.0's selection tree: the keys "name op value" of a selection file. Data and
// pure functions, any thread.
#ifndef COX_LIBRARY_MPICH_TEST_H_
#define COX_LIBRARY_MPICH_TEST_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace cox::library {

// Which communicator MPICH made it: one of the application that spans nodes or lies on one (kParent
// when ranks share a node, else kFlat), the first ranks of all nodes, or the ranks of one node.
enum class MpichHierarchy : uint8_t { kParent, kNodeRoots, kNode, kFlat, kAny };

enum class MpichTestKind : uint8_t {
  kCollective,  // value: index of MpichCollectives()
  // Of the communicator: decided when it is created, as long as no other kind stands above.
  kCommIntra,
  kCommInter,
  kCommSizeAtMost,
  kCommSizeBelow,
  kCommSizePowerOfTwo,
  kCommSizeOfNode,
  kCommSizeAny,
  kCommHierarchy,    // value: MpichHierarchy
  kNodeConsecutive,  // value: 1 yes, 0 no; so the other questions
  kCommPpnAtMost,
  // Of the call, and of the process.
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

// nullopt for a key that the library does not know (it aborts). Numbers are read as atoi does.
std::optional<MpichTest> ParseMpichTest(absl::string_view key);

// The key in the library's words.
std::string MpichTestKey(const MpichTest& test);

// What atoi gives for the text behind the operator of `key`: 32 bits of what strtol reads.
int32_t AsAtoi(absl::string_view text);

// The text behind the operator, where the test has a number; nullopt otherwise.
std::optional<absl::string_view> MpichNumberIn(absl::string_view key);

// Whether the test is decided when a communicator is created.
bool IsOfCommunicator(MpichTestKind kind);

}  // namespace cox::library

#endif  // COX_LIBRARY_MPICH_TEST_H_
