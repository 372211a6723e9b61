#include "library/rows.h"

namespace cox::library {
namespace {

using enum strategy::Collective;

constexpr absl::string_view kLibrary = "cray-mpich-8.1";
constexpr absl::string_view kSource =
    "output of MPICH_ENV_DISPLAY in published job logs; documented, not run";

// Only what a switch reaches: no choice of algorithms is documented. "no_smp" leaves out the
// hierarchy of nodes; what runs then is not documented either, so it is learned from data or not
// recommended at all.
// clang-format off
// Library, collective, native name, id, strategy, needs, fallback, safe for any operation, source.
constexpr Algorithm kRows[] = {
    {kLibrary, kAllreduce, "no_smp", -1, "", kNone, "", true, kSource},
    {kLibrary, kReduce, "no_smp", -1, "", kNone, "", true, kSource},
};
// clang-format on

}  // namespace

absl::Span<const Algorithm> CrayMpich81Algorithms() { return kRows; }

}  // namespace cox::library
