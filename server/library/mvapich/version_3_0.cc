#include "library/inherited_rows.h"
#include "library/rows.h"

namespace cox::library {
namespace {

constexpr absl::string_view kLibrary = "mvapich-3.0";
constexpr absl::string_view kSource =
    "MVAPICH 3.0 user guide: the names of MPICH 4.0 hold; documented, not run";

}  // namespace

// MVAPICH adds names (osu_..., recexch, k_dissemination) whose structure is not documented. The
// checker accepts them; cox does not recommend them.
absl::Span<const Algorithm> Mvapich30Algorithms() {
  static const auto* const kRows =
      new std::vector<Algorithm>(InheritRows(Mpich40Algorithms(), kLibrary, kSource, {}));
  return *kRows;
}

}  // namespace cox::library
