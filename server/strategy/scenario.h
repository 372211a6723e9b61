// A scenario: the call that is priced. Its ranks, their placement, and its bytes.
#ifndef COX_STRATEGY_SCENARIO_H_
#define COX_STRATEGY_SCENARIO_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/collective.h"
#include "domain/shape.h"
#include "model/extent.h"

namespace cox::strategy {

// How ranks are placed on nodes. Block: ranks 0 .. ppn - 1 on node 0, and so on; the last node may
// be partly filled. Cyclic: rank r on node r mod node_count().
enum class Placement { kBlock, kCyclic };

struct Scenario {
  domain::Collective collective = domain::Collective::kAlltoall;
  int64_t ranks = 1;        // p >= 1
  int64_t ppn = 1;          // ranks per node >= 1
  int64_t block_bytes = 0;  // the call's count times its datatype's size; >= 0
  int64_t type_bytes = 4;   // one element, for reductions and element counts; >= 1
  int64_t root = 0;         // 0 <= root < ranks
  Placement placement = Placement::kBlock;
  const domain::Shape* shape = nullptr;  // of the machine; null: a crossbar

  int64_t node_count() const { return (ranks + ppn - 1) / ppn; }
  // Elements of the call: block_bytes / type_bytes, rounded down.
  int64_t element_count() const { return block_bytes / type_bytes; }
  int64_t NodeOf(int64_t rank) const {
    return placement == Placement::kBlock ? rank / ppn : rank % node_count();
  }
};

// INVALID_ARGUMENT with the API's field name for a value out of range. Ranges (domain/limits.h):
// ranks and ppn 1 .. kMaxRanks, block_bytes 0 .. kMaxBlockBytes, type_bytes >= 1, root 0 .. ranks
// - 1.
absl::Status Validate(const Scenario& scenario);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_SCENARIO_H_
