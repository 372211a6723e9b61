#include "library/run_time_number.h"

#include "domain/collective.h"
#include "library/algorithms.h"

namespace cox::library {
namespace {

enum class Numbering {
  kIds,     // native_id
  kPlaces,  // the place among the collective's rows, from 1
};

struct NumberedLibrary {
  absl::string_view library;
  Numbering numbering;
};

constexpr NumberedLibrary kNumberedLibraries[] = {
    {"openmpi-4.1", Numbering::kIds},
    {"mpich-4.0", Numbering::kPlaces},
};
constexpr NumberedLibrary kNumberedCoxcoll = {kCoxcoll, Numbering::kPlaces};

// Null for a library whose algorithms have no numbers at run time.
const NumberedLibrary* FindNumbered(absl::string_view library) {
  for (const NumberedLibrary& one : kNumberedLibraries) {
    if (one.library == library) return &one;
  }
  return nullptr;
}

// Calls `visit(row, number)` for each row of a collective until it returns true. Returns that row,
// or null.
template <typename Visit>
const Algorithm* FindRow(const NumberedLibrary& numbered, domain::Collective collective,
                         Visit visit) {
  int place = 0;
  for (const Algorithm& row : AlgorithmsOf(numbered.library)) {
    if (row.collective != collective) continue;
    ++place;
    if (visit(row, numbered.numbering == Numbering::kIds ? row.native_id : place)) return &row;
  }
  return nullptr;
}

// 0 for an unknown name.
int NumberOf(const NumberedLibrary& numbered, domain::Collective collective,
             absl::string_view native_name) {
  int found = 0;
  FindRow(numbered, collective, [&](const Algorithm& row, int number) {
    if (row.native_name != native_name) return false;
    found = number;
    return true;
  });
  return found > 0 && found <= kMostRunTimeNumber ? found : 0;
}

}  // namespace

bool TakesRunTimeNumbers(absl::string_view library) { return FindNumbered(library) != nullptr; }

int RunTimeNumber(absl::string_view library, domain::Collective collective,
                  absl::string_view native_name) {
  const NumberedLibrary* numbered = FindNumbered(library);
  return numbered == nullptr ? 0 : NumberOf(*numbered, collective, native_name);
}

int CoxcollNumber(domain::Collective collective, absl::string_view native_name) {
  const int place = NumberOf(kNumberedCoxcoll, collective, native_name);
  return place > 0 ? kMostRunTimeNumber + place : 0;
}

const Algorithm* FindRunTimeNumber(absl::string_view library, domain::Collective collective,
                                   int wanted) {
  const bool is_coxcoll = wanted > kMostRunTimeNumber;
  const NumberedLibrary* numbered = is_coxcoll ? &kNumberedCoxcoll : FindNumbered(library);
  if (numbered == nullptr) return nullptr;
  if (is_coxcoll) wanted -= kMostRunTimeNumber;
  return FindRow(*numbered, collective,
                 [&](const Algorithm& /*row*/, int number) { return number == wanted; });
}

}  // namespace cox::library
