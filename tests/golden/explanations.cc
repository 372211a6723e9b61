#include <map>
#include <string>

#include "report.h"

namespace cox::golden {
namespace {

const std::map<absl::string_view, absl::string_view>& Explanations() {
  static const std::map<absl::string_view, absl::string_view> kExplanations = {
      {"C3-9",
       "The figure gives no distances for the stages. Its number comes out if h is halved with "
       "every "
       "second cut, from the truncated 10, with 2.5 rounded up: 10 10 5 5 3 3 1 1. That is a fit. "
       "Coxswain uses C3-9b's distances."},
      {"C3-10", "The line of 16 has h = 16/3, which the figure truncates to 5."},
      {"C3-11", "Levels two and three run on lines of 4, with h = 4/3 truncated to 1."},
      {"C3-12", "The same distances as in C3-9. Coxswain uses C3-12b's."},
      {"C3-13.1-lev-our-br", "The figure's fraction is illegible; 256/512 fits the algorithm."},
      {"C3-13.logp-lev-sq",
       "The figure's fraction is illegible; 255/512 fits the algorithm, and rounds to 1/2."},
      {"C3-14",
       "The figures that the paper gives for the set-up make 35 us of 40.96 us each. Ten times the "
       "cycles would make 8.5 units. The paper's 8 stays as published for its own machine; for any "
       "other, units follow from the set-up time."},
      {"C3-15",
       "The paper says that three levels are best up to 6 Kbytes. Its own units cross at 4884 "
       "bytes, "
       "whole packets move that to 4993 .. 5280."},
      {"K-16",
       "With everybody a destination, many-to-many through a hypercube should cost what all-to-all "
       "costs. The printed bound takes every byte through all dimensions, while it crosses half of "
       "them; the paper calls it a weak upper bound. Coxswain prices the actual messages."},
      {"K-17",
       "The alpha and beta of the paper's example are not those of the machine that was measured, "
       "which are not given."},
      {"K-19", "The same: the example's parameters, not the machine's."},
      {"J-1.maspar",
       "The other four ratios of the table follow from its parameters; this one does not."},
      {"J-6",
       "The local work was measured, and is not printed; this is what the reported rate leaves for "
       "it."},
      {"J-12.256",
       "Both quoted predictions are 1.219 times the formula, as if there were 117 steps in the "
       "place "
       "of 2 sqrt(p) log p = 96. No reading of the text gives 117."},
      {"J-12.1024", "As J-12.256."},
      {"J-17",
       "The scatter's L on this machine is not printed. With the L of the full relation the two "
       "models differ by 1.11 only; the reported gap needs an L near 0, which the published "
       "profile "
       "has."},
      {"J-19",
       "The oversampling ratio and the time to sort the samples are not printed; 32 samples of a "
       "processor come near without the sort."},
      {"J-20",
       "Measured with another primitive of the library than the one whose times are printed."},
      {"H-9",
       "The literature's values add up to 85 .. 115 us; the paper calls that consistent with its "
       "own 124 us. Both are kept, apart."},
      {"H-16",
       "The paper stops at eight workstations by its rule of 5 %. With its own parameters the "
       "estimate still changes by 7.9 % there, and meets the rule at eleven. Coxswain uses both "
       "measurements together, which has no such bias."},
      {"H-18", "\"About 10 % slower\" than 0.8 us per byte; the printed 0.95 is 18.8 % more time."},
  };
  return kExplanations;
}

}  // namespace

absl::string_view ExplanationOf(absl::string_view id) {
  const auto found = Explanations().find(id);
  return found == Explanations().end() ? absl::string_view() : found->second;
}

}  // namespace cox::golden
