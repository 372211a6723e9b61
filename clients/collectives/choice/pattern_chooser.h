// Chooses the algorithm that a persistent pattern runs: the lowest price, until measured times say
// otherwise. One rank decides for all. Pure: no clock, no MPI. One thread at a time.
//
// Source: L. V. Kale, S. Kumar, K. Varadarajan, A framework for collective personalized
// communication, 2003, section 6, which proposes it.
#ifndef COX_COLLECTIVES_CHOICE_PATTERN_CHOOSER_H_
#define COX_COLLECTIVES_CHOICE_PATTERN_CHOOSER_H_

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "collectives/choice/cost.h"
#include "collectives/choice/route.h"
#include "domain/coxcoll_costs.h"

namespace cox::collectives {

// An algorithm that a pattern may run; names are those of cox_imany.
struct PatternCandidate {
  std::string_view name;
  std::optional<Routing> routing;  // none: direct
};
// Direct, mesh2d, grid3d and hypercube.
std::span<const PatternCandidate> PatternCandidates();

class PatternChooser {
 public:
  // Iterations between decisions: kSoon after a change, then twice as many each time nothing
  // changes, up to kLatest.
  static constexpr int kSoon = 4;
  static constexpr int kLatest = 32;
  // A price that differs by kPatternDrift from the price at the last change means another pattern.
  // A time that differs by kTimeDrift from the algorithm's last time means another machine state.
  static constexpr double kPatternDrift = 1.5;
  static constexpr double kTimeDrift = 2;
  // A switch needs a time or price below this share of the present algorithm's time.
  static constexpr double kWorthIt = 0.95;

  // ranks >= 1. Computes the loads of each routing once: O(ranks^2) time. Above kMostRanksToRoute
  // ranks, direct is the only candidate.
  explicit PatternChooser(int ranks);

  struct Decision {
    int candidate = 0;       // index in PatternCandidates()
    double predicted_s = 0;  // its price
    double measured_s = 0;   // its last measured time; 0: none for this pattern
    int next_in = 1;         // iterations until the next decision
  };

  // transfers: of one iteration. measured_s: the slowest rank's time of an iteration since the last
  // decision; 0 if there is none. Measured times take precedence over prices. A change of the
  // pattern discards all times, a change of the present algorithm's time those of the other
  // algorithms.
  Decision Decide(std::span<const Transfer> transfers, double measured_s,
                  const domain::CostProfile& costs);

 private:
  static constexpr size_t kCount = 4;
  using PerCandidate = std::array<double, kCount>;

  PerCandidate Prices(std::span<const Transfer> transfers, const domain::CostProfile& costs) const;
  void Learn(const PerCandidate& prices, double measured_s);

  int ranks_;
  std::vector<RouteLoads> loads_;  // by candidate; empty for direct
  bool has_decided_ = false;
  PerCandidate priced_{};    // at the last change of the pattern
  PerCandidate measured_{};  // 0: not tried
  size_t present_ = 0;
  int next_in_ = kSoon;
};

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_PATTERN_CHOOSER_H_
