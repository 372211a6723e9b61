#include "domain/collective.h"
#include "library/inherited_rows.h"
#include "library/rows.h"

namespace cox::library {
namespace {

using enum domain::Collective;

constexpr absl::string_view kLibrary = "cray-mpich-8.1";
constexpr absl::string_view kInheritedSource =
    "names of MPICH in published runs of Cray MPICH, which is made from it; not run";
constexpr absl::string_view kSource =
    "output of MPICH_ENV_DISPLAY in published job logs; documented, not run";

// MPICH's rows are for timings with these names: no documented setting makes Cray MPICH choose one.
// Switches reach only "no_smp", which disables the hierarchy of nodes. Cray does not document what
// runs then, so it is learned from data or not recommended at all.
// clang-format off
// Library, collective, native name, id, strategy, needs, fallback, safe for any operation, source.
constexpr Algorithm kAdded[] = {
    {kLibrary, kAllreduce, "no_smp", -1, "", kNone, "", true, kSource},
    {kLibrary, kReduce, "no_smp", -1, "", kNone, "", true, kSource},
};
// clang-format on

}  // namespace

absl::Span<const Algorithm> CrayMpich81Algorithms() {
  static const auto* const kRows = new std::vector<Algorithm>(
      InheritRows(Mpich40Algorithms(), kLibrary, kInheritedSource, kAdded));
  return *kRows;
}

}  // namespace cox::library
