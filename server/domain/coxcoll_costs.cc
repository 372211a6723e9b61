#include "collectives/choice/cost_profile.h"

#include <cmath>
#include <cstdlib>
#include <vector>

#include "collectives/choice/text_lines.h"

namespace cox::collectives {
namespace {

constexpr struct {
  std::string_view name;
  double CostProfile::*value;
} kFields[] = {
    {"alpha_s", &CostProfile::alpha_s},
    {"beta_s_per_byte", &CostProfile::beta_s_per_byte},
    {"gap_s", &CostProfile::gap_s},
    {"alpha_cpu_s", &CostProfile::alpha_cpu_s},
    {"beta_cpu_s_per_byte", &CostProfile::beta_cpu_s_per_byte},
    {"packet_bytes", &CostProfile::packet_bytes},
    {"buffer_packets", &CostProfile::buffer_packets},
    {"send_gap_s", &CostProfile::send_gap_s},
    {"receive_gap_s", &CostProfile::receive_gap_s},
};

bool ParseCost(const std::string& text, double* value) {
  char* end = nullptr;
  *value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(*value) && *value >= 0;
}

}  // namespace

std::string ParseCostProfile(std::string_view text, CostProfile* profile) {
  return ReadLines(text, [&](const std::vector<std::string>& words) -> std::string {
    for (const auto& field : kFields) {
      if (field.name != words[0]) continue;
      double parsed = 0;
      if (words.size() != 2 || !ParseCost(words[1], &parsed)) {
        return words[0] + " needs one number that is not negative";
      }
      profile->*field.value = parsed;
    }
    return "";
  });
}

}  // namespace cox::collectives
