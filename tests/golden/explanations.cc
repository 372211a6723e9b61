#include <map>
#include <string>

#include "report.h"

namespace cox::golden {
namespace {

const std::map<absl::string_view, absl::string_view>& Explanations() {
  static const std::map<absl::string_view, absl::string_view> kExplanations = {
      {"C3-9",
       "The figure gives no distances for the stages. These reproduce its number: begin at the "
       "truncated 10, halve h after every second cut, and round 2.5 up (10 10 5 5 3 3 1 1). This "
       "is a fit. Coxswain uses the distances of C3-9b."},
      {"C3-10", "The line of 16 has h = 16/3. The figure truncates it to 5."},
      {"C3-11", "Levels two and three run on lines of 4. Their h = 4/3 is truncated to 1."},
      {"C3-12", "The distances are those of C3-9. Coxswain uses those of C3-12b."},
      {"C3-13.1-lev-our-br",
       "The fraction in the figure is illegible. 256/512 fits the algorithm."},
      {"C3-13.logp-lev-sq",
       "The fraction in the figure is illegible. 255/512 fits the algorithm and rounds to 1/2."},
      {"C3-14",
       "From the paper's cycles and clock, a set-up takes 35 us, and a unit 40.96 us. Ten times "
       "the cycles would give 8.5 units. Coxswain keeps the published 8 for the paper's machine. "
       "For other machines it computes the units from the set-up time."},
      {"C3-15",
       "The paper says that three levels are best up to 6 Kbytes. Its own units cross at 4884 "
       "bytes. With whole packets they cross between 4993 and 5280 bytes."},
      {"K-16",
       "If every rank is a destination, many-to-many through a hypercube costs as much as "
       "all-to-all. The printed bound takes every byte through all dimensions; a byte crosses half "
       "of them. The paper calls the bound weak. Coxswain prices the actual messages."},
      {"K-17",
       "The paper's example has its own alpha and beta. The paper does not print those of the "
       "measured machine."},
      {"K-19", "As K-17: the parameters are those of the example."},
      {"J-1.maspar",
       "The other four ratios of the table follow from its parameters. This ratio does not."},
      {"J-6",
       "The paper does not print the measured local work. Our number is the work that the printed "
       "rate implies."},
      {"J-12.256",
       "Both printed predictions are 1.219 times the formula, as if there were 117 steps instead "
       "of 2 sqrt(p) log p = 96. The text does not explain 117 steps."},
      {"J-12.1024", "As J-12.256."},
      {"J-17",
       "The paper does not print L of a scatter on this machine. With L of the full relation, the "
       "two models differ by a factor of 1.11. The printed gap needs L near 0, as in the published "
       "profile."},
      {"J-19",
       "The paper does not print the oversampling ratio and the time to sort the samples. With 32 "
       "samples per processor and without the sort, the result is near the printed one."},
      {"J-20",
       "The paper measured this with bsp_send. It prints the times of another primitive, "
       "bsp_store."},
      {"H-9",
       "The values from the literature add up to 85 to 115 us. The paper calls this consistent "
       "with its own 124 us. Coxswain keeps both values."},
      {"H-16",
       "The paper stops at eight workstations by its 5 % rule. With its own parameters the "
       "estimate still changes by 7.9 % there. It meets the rule at eleven workstations. Coxswain "
       "uses both measurements together, which removes this bias."},
      {"H-18",
       "The paper says \"about 10 % slower\" than 0.8 us per byte. The printed 0.95 takes 18.8 % "
       "more time."},
  };
  return kExplanations;
}

}  // namespace

absl::string_view ExplanationOf(absl::string_view id) {
  const auto found = Explanations().find(id);
  return found == Explanations().end() ? absl::string_view() : found->second;
}

}  // namespace cox::golden
