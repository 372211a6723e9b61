#include "library/run_time_number.h"

#include <algorithm>
#include <iterator>

#include "domain/collective.h"
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
constexpr Told kOwn = {kOwnLibrary, Numbering::kPlaces};

const Told* FindTold(absl::string_view library) {
  const Told* found = std::find_if(std::begin(kTold), std::end(kTold),
                                   [library](const Told& told) { return told.library == library; });
  return found == std::end(kTold) ? nullptr : found;
}

// Calls `visit(row, number)` for each row of a collective until it returns true. Returns that row,
// or null.
template <typename Visit>
const Algorithm* FindRow(const Told& told, domain::Collective collective, Visit visit) {
  int place = 0;
  for (const Algorithm& row : AlgorithmsOf(told.library)) {
    if (row.collective != collective) continue;
    ++place;
    if (visit(row, told.numbering == Numbering::kIds ? row.native_id : place)) return &row;
  }
  return nullptr;
}

// 0 for an unknown name.
int NumberOf(const Told& told, domain::Collective collective, absl::string_view native_name) {
  int found = 0;
  FindRow(told, collective, [&](const Algorithm& row, int number) {
    if (row.native_name != native_name) return false;
    found = number;
    return true;
  });
  return found > 0 && found <= kMostRunTimeNumber ? found : 0;
}

}  // namespace

bool TakesRunTimeNumbers(absl::string_view library) { return FindTold(library) != nullptr; }

int RunTimeNumber(absl::string_view library, domain::Collective collective,
                  absl::string_view native_name) {
  const Told* told = FindTold(library);
  return told == nullptr ? 0 : NumberOf(*told, collective, native_name);
}

int OwnNumber(domain::Collective collective, absl::string_view native_name) {
  const int place = NumberOf(kOwn, collective, native_name);
  return place > 0 ? kMostRunTimeNumber + place : 0;
}

const Algorithm* FindRunTimeNumber(absl::string_view library, domain::Collective collective,
                                   int wanted) {
  const bool is_own = wanted > kMostRunTimeNumber;
  const Told* told = is_own ? &kOwn : FindTold(library);
  if (told == nullptr) return nullptr;
  if (is_own) wanted -= kMostRunTimeNumber;
  return FindRow(*told, collective,
                 [&](const Algorithm& /*row*/, int number) { return number == wanted; });
}

}  // namespace cox::library
