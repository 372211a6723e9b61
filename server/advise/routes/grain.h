// Computation grain: into how many blocks each rank should divide its work, so that the messages of
// one block travel while the rank computes the others. Pure functions, any thread.
//
// Source: L. V. Kale, S. Kumar, K. Varadarajan, A framework for collective personalized
// communication, 2003, sections 1 and 4 (Figure 8: most of the time of a collective the processor
// is free for other work); the paper gives no formula. Ours, for a phase of W seconds of work and a
// communication of C seconds, O of them on the processor:
//
//   blocks b send b times as many messages of a b-th of the bytes: C(b) and O(b) are priced anew;
//   D = C(b) - O(b) can be hidden, but not before the first block is computed, and not that of the
//   last block: exposed = max(D / b, D - (b - 1) / b * (W + O(b)));
//   the phase takes W + O(b) + exposed.
#ifndef COX_ADVISE_ROUTES_GRAIN_H_
#define COX_ADVISE_ROUTES_GRAIN_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "advise/candidates.h"
#include "advise/machine_view.h"
#include "model/transfer.h"
#include "strategy/scenario.h"

namespace cox::advise {

// Beyond, pricing takes longer than the answer is worth.
inline constexpr int64_t kMostGrainMessages = 1'000'000;

struct Grain {
  int64_t block_count = 1;     // per rank
  double phase_s = 0;          // work and communication of a phase
  double communication_s = 0;  // C(b)
  double hidden_share = 0;     // of the communication, 0..1
};

// 1, 2, 4, 8, 16, 32 blocks, as far as there are at most kMostGrainMessages messages; if one block
// is priced from the list of its messages (PriceDirect()), as far as all are. Empty for a model
// that counts units and has no stated unit time: work takes seconds. `work_s`: W, >= 0. `messages`:
// of a phase with one block, sent directly. The processor's part is the model's processor time, or
// the start-ups of a model that has none. Fails as TrafficOf().
absl::StatusOr<std::vector<Grain>> GrainsOf(const PricedBy& priced_by,
                                            absl::Span<const model::Transfer> messages,
                                            const strategy::Scenario& scenario, double work_s);

// The fewest blocks whose phase is at most 3 % longer than the shortest one. grains: not empty.
const Grain& BestGrain(absl::Span<const Grain> grains);

}  // namespace cox::advise

#endif  // COX_ADVISE_ROUTES_GRAIN_H_
