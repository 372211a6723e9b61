#include "domain/collective.h"
#include "library/inherited_rows.h"
#include "library/rows.h"

namespace cox::library {
namespace {

using enum domain::Collective;

constexpr absl::string_view kLibrary = "openmpi-5.0";
constexpr absl::string_view kSource = "Open MPI v5.0.x, ompi/mca/coll/tuned: ids as in v4.1";
constexpr absl::string_view kAddedSource = "Open MPI v5.0.x, ompi/mca/coll/tuned and coll/base";

// What 5.0 adds to 4.1. Sparbit sends blocks as far as Bruck's algorithm, but farthest first and in
// place; the catalogue has no structure for it.
// clang-format off
// Library, collective, native name, id, strategy, needs, fallback, safe for any operation, source.
constexpr Algorithm kAdded[] = {
    {kLibrary, kAllgather, "sparbit", 7, "", kNone, "", true, kAddedSource},
    {kLibrary, kAllgatherv, "sparbit", 6, "", kNone, "", true, kAddedSource},
};
// clang-format on

}  // namespace

absl::Span<const Algorithm> OpenMpi50Algorithms() {
  static const auto* const kRows =
      new std::vector<Algorithm>(InheritRows(OpenMpi41Algorithms(), kLibrary, kSource, kAdded));
  return *kRows;
}

}  // namespace cox::library
