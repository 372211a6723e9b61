#include "library/openmpi_values.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>

namespace cox::library {
namespace {

constexpr absl::string_view kOn[] = {"true", "t", "enabled", "yes", "y"};

// As the library reads numbers: blanks and a sign may come first, and nothing else behind.
std::optional<long> WholeNumber(absl::string_view value, int base) {
  const std::string text(value);
  char* end = nullptr;
  const long number = std::strtol(text.c_str(), &end, base);
  if (end == text.c_str() || *end != '\0') return std::nullopt;
  return number;
}

}  // namespace

bool IsOpenMpiSwitchOn(absl::string_view value) {
  return std::find(std::begin(kOn), std::end(kOn), value) != std::end(kOn) ||
         WholeNumber(value, 10).value_or(0) != 0;
}

}  // namespace cox::library
