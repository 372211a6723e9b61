#include "strategy/algorithms/folded_halves.h"

namespace cox::strategy {

void AddFoldedHalves(const Nodes& nodes, const Fold& fold, double bytes, Steps* steps) {
  if (fold.folded == 0) return;
  steps->Add(NeighborExchange(nodes, 0, fold.folded), bytes / 2, {0, bytes / 2});
  steps->Add(Reversed(NeighborSend(nodes, fold.folded)), bytes / 2);
}

void EnumerateFoldedHalves(const Fold& fold, double bytes, Enumeration* out) {
  for (int64_t pair = 0; pair < fold.folded; ++pair) {
    out->Exchange(2 * pair, 2 * pair + 1, bytes / 2);
  }
  out->EndStep();
  for (int64_t pair = 0; pair < fold.folded; ++pair) out->Send(2 * pair + 1, 2 * pair, bytes / 2);
  out->EndStep();
}

}  // namespace cox::strategy
