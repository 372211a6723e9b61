#include "library/rows.h"

namespace cox::library {
namespace {

using enum strategy::Collective;

constexpr absl::string_view kLibrary = "coxcoll";
constexpr absl::string_view kSource = "clients/collectives";

// Our own library, which takes names. What its default is, it works out by itself from the
// machine's profile.
// clang-format off
// Library, collective, native name, id, strategy, needs, fallback, safe for any operation, source.
constexpr Algorithm kRows[] = {
    {kLibrary, kAlltoall, "direct", -1, "alltoall/linear", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "windowed", -1, "alltoall/windowed", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "pairwise", -1, "alltoall/pairwise", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "bruck", -1, "alltoall/bruck", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "mesh2d", -1, "alltoall/mesh2d", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "grid3d", -1, "alltoall/grid3d", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "hypercube", -1, "alltoall/hypercube", kNone, "", true, kSource},

    {kLibrary, kAlltoallv, "direct", -1, "alltoallv/linear", kNone, "", true, kSource},
    {kLibrary, kAlltoallv, "windowed", -1, "alltoallv/windowed", kNone, "", true, kSource},
    {kLibrary, kAlltoallv, "pairwise", -1, "alltoallv/pairwise", kNone, "", true, kSource},
    {kLibrary, kAlltoallv, "mesh2d", -1, "", kNone, "", true, kSource},
    {kLibrary, kAlltoallv, "grid3d", -1, "", kNone, "", true, kSource},
    {kLibrary, kAlltoallv, "hypercube", -1, "", kNone, "", true, kSource},

    {kLibrary, kBcast, "binomial", -1, "bcast/binomial", kNone, "", true, kSource},
    {kLibrary, kBcast, "postal", -1, "", kNone, "", true, kSource},

    {kLibrary, kGather, "linear", -1, "gather/linear", kNone, "", true, kSource},
    {kLibrary, kGather, "binomial", -1, "gather/binomial", kNone, "", true, kSource},
    {kLibrary, kGather, "2-lev-rec", -1, "gather/2-lev-rec", kSquareRanks, "", true, kSource},
    {kLibrary, kGather, "3-lev-sq", -1, "gather/3-lev-sq", kFourthPowerRanks, "", true, kSource},
    {kLibrary, kGather, "logp-lev-sq", -1, "gather/logp-lev-sq", kPowerOfTwoRanks, "", true, kSource},
    {kLibrary, kGather, "windowed", -1, "gather/windowed", kNone, "", true, kSource},

    {kLibrary, kScatter, "linear", -1, "scatter/linear", kNone, "", true, kSource},
    {kLibrary, kScatter, "binomial", -1, "scatter/binomial", kNone, "", true, kSource},
    {kLibrary, kScatter, "2-lev-rec", -1, "scatter/2-lev-rec", kSquareRanks, "", true, kSource},
    {kLibrary, kScatter, "3-lev-sq", -1, "scatter/3-lev-sq", kFourthPowerRanks, "", true, kSource},
    {kLibrary, kScatter, "logp-lev-sq", -1, "scatter/logp-lev-sq", kPowerOfTwoRanks, "", true, kSource},
};
// clang-format on

}  // namespace

absl::Span<const Algorithm> CoxcollAlgorithms() { return kRows; }

}  // namespace cox::library
