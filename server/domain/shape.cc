#include "domain/shape.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"

namespace cox::domain {
namespace {

constexpr absl::string_view kNames[kTopologyCount] = {"crossbar",  "bus",  "mesh",     "torus",
                                                      "hypercube", "tree", "fat-tree", "dragonfly"};

}  // namespace

absl::string_view TopologyName(Topology topology) { return kNames[static_cast<size_t>(topology)]; }

absl::StatusOr<Topology> ParseTopology(absl::string_view name) {
  std::string known;
  for (int i = 0; i < kTopologyCount; ++i) {
    if (kNames[i] == name) return static_cast<Topology>(i);
    absl::StrAppend(&known, known.empty() ? "" : ", ", kNames[i]);
  }
  return InvalidField("topology.kind",
                      absl::StrCat("\"", name.substr(0, 40), "\" is not one of ", known));
}

}  // namespace cox::domain
