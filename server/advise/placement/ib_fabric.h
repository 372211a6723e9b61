// Reads the output of ibnetdiscover: the switches of an InfiniBand fabric, their nodes and links.
// Pure function, any thread.
#ifndef COX_ADVISE_PLACEMENT_IB_FABRIC_H_
#define COX_ADVISE_PLACEMENT_IB_FABRIC_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::advise {

// The fabric as a tree, in the text form of SwitchTree. A switch's height is its distance to the
// nearest switch with nodes. For each height, switches up to this height that are connected make
// one switch of the tree, so parallel spines and the leaves of a pod are one. Its taper is the
// nodes below by the links that lead up. A node is named by the first word of its adapter's
// description; of several adapters the first one counts, and switches that no such adapter reaches
// are left out. Aggregation nodes of SHARP are no nodes. INVALID_ARGUMENT (field "text") for text
// without switches or nodes, a fabric in several parts, and switches with nodes that are linked to
// each other, as in a torus or dragonfly, which is no tree. O(n log n) for n links.
absl::StatusOr<std::string> TreeOfIbFabric(absl::string_view text);

}  // namespace cox::advise

#endif  // COX_ADVISE_PLACEMENT_IB_FABRIC_H_
