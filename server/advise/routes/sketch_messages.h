// Messages with the counts of a sketch: destinations, sizes and distances occur in the shares in
// which the agent saw them. Pure functions, any thread; the same result on every machine.
#ifndef COX_ADVISE_ROUTES_SKETCH_MESSAGES_H_
#define COX_ADVISE_ROUTES_SKETCH_MESSAGES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "domain/pattern/sketch.h"
#include "model/transfer.h"

namespace cox::advise {

// Of one phase; also the most ranks. Routing 300,000 messages through a hypercube takes about a
// second.
inline constexpr int64_t kMostSketchMessages = 300'000;

// What a rank sends in a phase, on average over the sampled phases. 0 without samples.
struct SketchMeans {
  double destinations = 0;
  double messages = 0;
  double bytes = 0;  // of all messages
};
SketchMeans MeansOf(const domain::PatternSketch& sketch);

// About how many messages all ranks send in one phase; at least one per rank.
double PhaseMessages(const domain::PatternSketch& sketch);

// One phase among key.ranks ranks, in order of source. Each rank gets a number of destinations from
// the classes of destination_counts; within a class, numbers lie where the sum over all ranks is
// the sketch's. The same holds for bytes. Destinations lie evenly in the sketch's classes of
// distance, on both sides.
//
// Any counts are safe. The time and memory are bounded by kMostSketchMessages.
//
// FAILED_PRECONDITION without a sampled phase that has messages, and for counts of destinations
// that the counts of distances or messages contradict; RESOURCE_EXHAUSTED for more PhaseMessages()
// than kMostSketchMessages.
absl::StatusOr<std::vector<model::Transfer>> MessagesOf(const domain::PatternSketch& sketch);

}  // namespace cox::advise

#endif  // COX_ADVISE_ROUTES_SKETCH_MESSAGES_H_
