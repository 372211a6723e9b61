// MPICH 4.0's selection tree: which algorithm a call meets. As a file for
// MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE it replaces all of the library's own tree. Pure, any
// thread.
#ifndef COX_LIBRARY_MPICH_TREE_H_
#define COX_LIBRARY_MPICH_TREE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "library/mpich/collectives.h"
#include "library/mpich/json.h"
#include "library/mpich/test.h"

namespace cox::library {

// A test and what is done where it holds: the children are tried in order, or, at a leaf, an
// algorithm runs. Where no child's test holds, the library aborts; it never turns back.
struct MpichNode {
  MpichTest test;
  std::vector<MpichNode> children;      // empty at a leaf
  std::string algorithm;                // "MPIR_Bcast_intra_binomial"; empty but at a leaf
  std::vector<std::string> parameters;  // further keys of a leaf: "k=2"
  friend bool operator==(const MpichNode&, const MpichNode&) = default;
};
using MpichTree = std::vector<MpichNode>;

// The leaf that a call meets; null where the library aborts. Allocates nothing. As the library
// does, it decides tests of the communicator when that is created, but only above the first other
// test; below that, "comm_size<N" means at most N.
const MpichNode* SearchMpichTree(const MpichTree& tree, const MpichCall& call);

// The tree in the objects of a file. An object with an algorithm in it is a leaf, whatever else is
// in it; of two equal keys the first place and the last object count. INVALID_ARGUMENT with the
// line for an unknown key or algorithm, or an object without anything.
absl::StatusOr<MpichTree> ToMpichTree(absl::Span<const JsonMember> members);
absl::StatusOr<MpichTree> ParseMpichTree(absl::string_view text);

// The tree as the text of a file, a line per leaf; ParseMpichTree() gives the same tree.
std::string MpichTreeText(const MpichTree& tree);

// A leaf and the tests on the way to it: "collective=bcast/comm_type=intra/comm_size<8".
struct MpichPath {
  absl::string_view tests;
  absl::string_view algorithm;
};

// The tree with these leaves, in that order; neighbours share the nodes of their common beginning.
// The paths have known tests only: a table of ours, not somebody's input.
MpichTree GrowMpichTree(absl::Span<const MpichPath> paths);

// What MPICH 4.0.2 is built with.
const MpichTree& Mpich40Tree();

}  // namespace cox::library

#endif  // COX_LIBRARY_MPICH_TREE_H_
