#include <map>
#include <string>

#include "report.h"

namespace cox::golden {
namespace {

const std::map<absl::string_view, absl::string_view>& Explanations() {
  static const std::map<absl::string_view, absl::string_view> kExplanations = {
      {"C3-13.1-lev-our-br",
       "The fraction in the figure is illegible. 256/512 fits the algorithm."},
      {"C3-13.logp-lev-sq",
       "The fraction in the figure is illegible. 255/512 fits the algorithm and rounds to 1/2."},
      {"C3-15",
       "The paper says that three levels are best up to 6 Kbytes. The units of the actual "
       "messages, "
       "in whole packets, cross at 5473 bytes; the units that the paper prints cross at 4884."},
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
      {"H-9",
       "The values from the literature add up to 85 to 115 us. The paper calls this consistent "
       "with its own 124 us. Coxswain keeps both values."},
      {"H-16",
       "The paper stops at eight workstations by its 5 % rule. With its own parameters the "
       "estimate still changes by 7.9 % there. It meets the rule at eleven workstations. Coxswain "
       "uses both measurements together, which removes this bias."},
  };
  return kExplanations;
}

}  // namespace

absl::string_view ExplanationOf(absl::string_view id) {
  const auto found = Explanations().find(id);
  return found == Explanations().end() ? absl::string_view() : found->second;
}

}  // namespace cox::golden
