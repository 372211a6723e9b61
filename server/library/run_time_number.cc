#include "library/run_time_number.h"

#include <algorithm>
#include <iterator>

#include "library/algorithms.h"

namespace cox::library {
namespace {

enum class Numbering {
  kIds,     // native_id
  kPlaces,  // the place among the collective's rows, from 1
};

struct Told {
  absl::string_view library;
  Numbering numbering;
};

constexpr Told kTold[] = {
    {"openmpi-4.1", Numbering::kIds},
    {"mpich-4.0", Numbering::kPlaces},
};

// Calls `visit(row, number)` for each row of a collective until it says true: that row, or null.
template <typename Visit>
const Algorithm* FindRow(absl::string_view library, strategy::Collective collective, Visit visit) {
  for (const Told& told : kTold) {
    if (told.library != library) continue;
    int place = 0;
    for (const Algorithm& row : AlgorithmsOf(library)) {
      if (row.collective != collective) continue;
      ++place;
      if (visit(row, told.numbering == Numbering::kIds ? row.native_id : place)) return &row;
    }
  }
  return nullptr;
}

}  // namespace

bool TakesRunTimeNumbers(absl::string_view library) {
  return std::any_of(std::begin(kTold), std::end(kTold),
                     [library](const Told& told) { return told.library == library; });
}

int RunTimeNumber(absl::string_view library, strategy::Collective collective,
                  absl::string_view native_name) {
  int found = 0;
  FindRow(library, collective, [&](const Algorithm& row, int number) {
    if (row.native_name != native_name) return false;
    found = number;
    return true;
  });
  return found > 0 && found <= kMostRunTimeNumber ? found : 0;
}

const Algorithm* FindRunTimeNumber(absl::string_view library, strategy::Collective collective,
                                   int wanted) {
  return FindRow(library, collective,
                 [&](const Algorithm& /*row*/, int number) { return number == wanted; });
}

}  // namespace cox::library
