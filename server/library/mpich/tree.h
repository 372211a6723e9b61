// MPICH 4.0's selection tree, which finds the algorithm of a call. A file for
// MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE replaces the library's complete own tree. Pure, any
// thread.
#ifndef COX_LIBRARY_MPICH_TREE_H_
#define COX_LIBRARY_MPICH_TREE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "library/mpich/collectives.h"
#include "library/mpich/condition.h"
#include "library/mpich/json.h"

namespace cox::library {

// A test and what follows if it holds: the library tries the children in order or, at a leaf, runs
// an algorithm. If no child's test holds, the library aborts; it never goes back.
struct MpichNode {
  MpichTest test;
  std::vector<MpichNode> children;      // empty at a leaf
  std::string algorithm;                // "MPIR_Bcast_intra_binomial" at a leaf; else empty
  std::vector<std::string> parameters;  // further keys of a leaf: "k=2"
  friend bool operator==(const MpichNode&, const MpichNode&) = default;
};
using MpichTree = std::vector<MpichNode>;

// The leaf of a call; null where the library aborts. Allocates nothing. Like the library, it
// decides tests of a communicator at its creation, but only above the first other test. Below that,
// "comm_size<N" means at most N.
const MpichNode* SearchMpichTree(const MpichTree& tree, const MpichCall& call);

// The tree in the objects of a file. An object with an algorithm in it is a leaf, even if it has
// other members. Equal keys have the place of the first and the object of the last.
// INVALID_ARGUMENT with the line for an unknown key or algorithm, or an empty object.
absl::StatusOr<MpichTree> ToMpichTree(absl::Span<const JsonMember> members);
absl::StatusOr<MpichTree> ParseMpichTree(absl::string_view text);

// The tree as the text of a file, a line per leaf; ParseMpichTree() gives the same tree.
std::string MpichTreeText(const MpichTree& tree);

// A leaf and the tests on the way to it: "collective=bcast/comm_type=intra/comm_size<8".
struct MpichPath {
  absl::string_view tests;
  absl::string_view algorithm;
};

// The tree with these leaves in this order; neighbours share the nodes of their common prefix. The
// paths are a table in this folder and have known tests only.
MpichTree GrowMpichTree(absl::Span<const MpichPath> paths);

// The tree that MPICH 4.0.2 is built with.
const MpichTree& Mpich40Tree();

}  // namespace cox::library

#endif  // COX_LIBRARY_MPICH_TREE_H_
