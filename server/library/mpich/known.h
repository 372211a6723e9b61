// What is known of the calls that come to a place in MPICH's selection tree, from the tests above
// it. Pure, any thread.
#ifndef COX_LIBRARY_MPICH_KNOWN_H_
#define COX_LIBRARY_MPICH_KNOWN_H_

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "library/mpich/test.h"
#include "library/mpich/tree.h"

namespace cox::library {

class MpichKnown {
 public:
  // Nothing is known, and the place is the top of a tree.
  MpichKnown() = default;

  // Whether the test holds for all (true) or none (false) of the calls; nullopt: for some.
  std::optional<bool> Decide(const MpichTest& test) const;

  // Only those calls for which the test holds, or does not, go on.
  void Assume(const MpichTest& test, bool holds);

  // The library looks at a test of this kind here: below it, or behind it, "comm_size<N" may mean
  // something else. Assume() does not say so.
  void Meet(MpichTestKind kind);

  // Whether the tests of the communicator are decided when it is created.
  bool at_creation() const { return at_creation_; }

  // The collective, an index of MpichCollectives(); -1 above it.
  int collective() const { return collective_; }
  std::optional<bool> inter() const { return inter_; }
  bool has_no_bytes() const { return average_.most <= 0; }

 private:
  struct Range {
    int64_t least = 0;
    int64_t most = std::numeric_limits<int64_t>::max();
  };
  struct Bounded {
    Range MpichKnown::*range;
    int64_t most;  // what the test allows
  };
  static constexpr size_t kKinds = static_cast<size_t>(MpichTestKind::kOpBuiltIn) + 1;
  static constexpr unsigned kAllHierarchies = 0b1111;

  std::optional<Bounded> BoundOf(const MpichTest& test) const;
  std::optional<bool>& AnswerOf(MpichTestKind kind) { return answers_[static_cast<size_t>(kind)]; }

  bool at_creation_ = true;
  int collective_ = -1;
  std::optional<bool> inter_;
  unsigned hierarchies_ = kAllHierarchies;
  Range comm_size_{1, std::numeric_limits<int64_t>::max()};
  Range ppn_;
  Range average_;
  Range total_;
  Range count_;
  std::array<std::optional<bool>, kKinds> answers_;  // to the questions of yes and no
};

// The tree below `node` for calls of which `known` is known: without tests that are decided, and
// with "comm_size<=" for each "comm_size<", so that it means the same wherever it stands. The
// result's own test is not set. `known` is that of the place of `node` in its tree.
MpichNode PruneMpichTree(const MpichNode& node, MpichKnown known);

}  // namespace cox::library

#endif  // COX_LIBRARY_MPICH_KNOWN_H_
