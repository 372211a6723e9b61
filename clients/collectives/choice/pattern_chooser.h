// Which algorithm a persistent pattern runs: the cheapest by what it costs on paper, until running
// it says otherwise. One rank decides for all. Pure: no clock, no MPI; by one thread at a time.
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

// What a pattern may run, by the names of cox_imany's algorithms.
struct PatternCandidate {
  std::string_view name;
  std::optional<Routing> routing;  // none: direct
};
// Direct, mesh2d, grid3d and hypercube.
std::span<const PatternCandidate> PatternCandidates();

class PatternChooser {
 public:
  // Iterations from a change to the next decision, and the most between two of them: their number
  // doubles where nothing changes.
  static constexpr int kSoon = 4;
  static constexpr int kLatest = 32;
  // A price that is off the one at the last change of the pattern by this factor is another
  // pattern; a time that is off the last one of the same algorithm by this one is another machine.
  static constexpr double kPatternDrift = 1.5;
  static constexpr double kTimeDrift = 2;
  // Another algorithm has to cost less than this part of the present one's time.
  static constexpr double kWorthIt = 0.95;

  // ranks >= 1. Prices the routings once: O(ranks^2) time. Above kMostRanksToRoute ranks direct is
  // the only candidate.
  explicit PatternChooser(int ranks);

  struct Decision {
    int candidate = 0;       // place in PatternCandidates()
    double predicted_s = 0;  // its price
    double measured_s = 0;   // its last measured time; 0: it has none for this pattern
    int next_in = 1;         // the next decision is due so many iterations after this one's
  };

  // transfers: one iteration's. measured_s: of an iteration since the last decision, the slowest
  // rank's; 0 if there was none. The times of the algorithms that were tried come before prices;
  // both are forgotten when the pattern changes, and the others' times when this one's does.
  Decision Decide(std::span<const Transfer> transfers, double measured_s,
                  const domain::CostProfile& costs);

 private:
  static constexpr size_t kCount = 4;
  using PerCandidate = std::array<double, kCount>;

  PerCandidate Prices(std::span<const Transfer> transfers, const domain::CostProfile& costs) const;
  void Learn(const PerCandidate& prices, double measured_s);

  int ranks_;
  std::vector<RouteLoads> loads_;  // by candidate; direct has none
  bool has_decided_ = false;
  PerCandidate priced_{};    // when the pattern changed last
  PerCandidate measured_{};  // 0: not tried
  size_t present_ = 0;
  int next_in_ = kSoon;
};

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_PATTERN_CHOOSER_H_
