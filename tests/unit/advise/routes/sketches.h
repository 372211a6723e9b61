// Sketches of known patterns, counted as the agent counts them.
#ifndef COX_TESTS_UNIT_ADVISE_ROUTES_SKETCHES_H_
#define COX_TESTS_UNIT_ADVISE_ROUTES_SKETCHES_H_

#include <map>
#include <set>
#include <vector>

#include "domain/pattern/sketch.h"
#include "model/transfer.h"

namespace cox::advise {

// Each of `ranks` ranks has had one phase with its messages of the list.
inline domain::PatternSketch SketchOfMessages(const std::vector<model::Transfer>& messages,
                                              int64_t ranks, int64_t ppn) {
  domain::PatternSketch sketch;
  sketch.key = {.machine = "test",
                .application = "a",
                .kind = domain::PatternKind::kAlltoallv,
                .nodes = (ranks + ppn - 1) / ppn,
                .ppn = ppn,
                .ranks = ranks};
  std::map<int64_t, std::set<int64_t>> destinations;
  for (const model::Transfer& message : messages) {
    const auto bytes = static_cast<int64_t>(message.bytes);
    ++sketch.size_counts[static_cast<size_t>(domain::PatternClassOf(bytes))];
    sketch.total_bytes += message.bytes;
    if (!destinations[message.source].insert(message.destination).second) continue;
    const int64_t distance = domain::RingDistance(message.source, message.destination, ranks);
    ++sketch.distance_counts[static_cast<size_t>(domain::PatternClassOf(distance))];
  }
  for (int64_t rank = 0; rank < ranks; ++rank) {
    const auto count = static_cast<int64_t>(destinations[rank].size());
    ++sketch.destination_counts[static_cast<size_t>(domain::PatternClassOf(count))];
  }
  sketch.phase_count = sketch.sampled_count = ranks;
  return sketch;
}

// Each rank sends `bytes` to the ranks at these offsets, both ways.
inline std::vector<model::Transfer> StencilOf(int64_t ranks, const std::vector<int64_t>& offsets,
                                              double bytes) {
  std::vector<model::Transfer> messages;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    for (const int64_t offset : offsets) {
      messages.push_back({rank, (rank + offset) % ranks, bytes});
      messages.push_back({rank, (rank + ranks - offset) % ranks, bytes});
    }
  }
  return messages;
}

}  // namespace cox::advise

#endif  // COX_TESTS_UNIT_ADVISE_ROUTES_SKETCHES_H_
