// What the tests above a place in MPICH's selection tree tell about the calls that reach it. Pure,
// any thread.
#ifndef COX_LIBRARY_MPICH_KNOWN_H_
#define COX_LIBRARY_MPICH_KNOWN_H_

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "library/mpich/condition.h"
#include "library/mpich/tree.h"

namespace cox::library {

class MpichKnown {
 public:
  // At the top of a tree nothing is known.
  MpichKnown() = default;

  // true: the test holds for all of the calls; false: for none; nullopt: for some.
  std::optional<bool> Decide(const MpichTest& test) const;

  // Keeps only the calls for which the test holds, or does not hold.
  void Assume(const MpichTest& test, bool holds);

  // The library evaluates a test of this kind here. Below or after it, "comm_size<N" may mean
  // something else. Call it besides Assume().
  void Meet(MpichTestKind kind);

  // Whether tests of the communicator are decided when it is created.
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
    int64_t most;  // that the test allows
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
  std::array<std::optional<bool>, kKinds> answers_;  // of the yes-or-no tests
};

// The tree below `node` for calls with this knowledge, `node`'s in its tree: without decided tests,
// and with "comm_size<=" for each "comm_size<", so that it means the same everywhere. The result's
// own test is not set.
MpichNode PruneMpichTree(const MpichNode& node, MpichKnown known);

}  // namespace cox::library

#endif  // COX_LIBRARY_MPICH_KNOWN_H_
