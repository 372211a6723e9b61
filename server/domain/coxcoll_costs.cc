#include "domain/coxcoll_costs.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include "domain/coxcoll_lines.h"

namespace cox::domain {
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

// With a decimal point in any locale: this runs in programs that have set their own.
bool ParseCost(const std::string& text, double* value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && stop == end && std::isfinite(*value) && *value >= 0;
}

}  // namespace

std::string ReadCostLine(const std::vector<std::string>& words, CostProfile* profile) {
  for (const auto& field : kFields) {
    if (field.name != words[0]) continue;
    double parsed = 0;
    if (words.size() != 2 || !ParseCost(words[1], &parsed)) {
      return words[0] + " needs one number that is not negative";
    }
    profile->*field.value = parsed;
  }
  return "";
}

std::string ParseCostProfile(std::string_view text, CostProfile* profile) {
  return FirstRefused(text, [profile](const std::vector<std::string>& words) {
    return ReadCostLine(words, profile);
  });
}

}  // namespace cox::domain
