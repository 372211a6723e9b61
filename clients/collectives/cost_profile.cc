#include "collectives/cost_profile.h"

#include <cmath>
#include <cstdlib>

namespace cox::collectives {
namespace {

constexpr std::string_view kBlanks = " \t\r";

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

// Takes the next word off the line; "" at its end.
std::string_view TakeWord(std::string_view* line) {
  const size_t begin = line->find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  line->remove_prefix(begin);
  const std::string_view word = line->substr(0, line->find_first_of(kBlanks));
  line->remove_prefix(word.size());
  return word;
}

bool ParseCost(const std::string& text, double* value) {
  char* end = nullptr;
  *value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(*value) && *value >= 0;
}

}  // namespace

std::string ParseCostProfile(std::string_view text, CostProfile* profile) {
  for (int number = 1; !text.empty(); ++number) {
    const size_t length = text.find('\n');
    std::string_view line = text.substr(0, length);
    text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);
    line = line.substr(0, line.find('#'));
    const std::string_view name = TakeWord(&line);
    for (const auto& field : kFields) {
      if (field.name != name) continue;
      const std::string value(TakeWord(&line));
      double parsed = 0;
      if (!ParseCost(value, &parsed) || !TakeWord(&line).empty()) {
        return "line " + std::to_string(number) + ": " + std::string(name) +
               " needs one number that is not negative";
      }
      profile->*field.value = parsed;
    }
  }
  return "";
}

}  // namespace cox::collectives
