#include "domain/collective.h"
#include "library/rows.h"

namespace cox::library {
namespace {

using enum domain::Collective;

constexpr absl::string_view kLibrary = "coxcoll";
constexpr absl::string_view kSource = "clients/collectives";

// libcoxcoll takes names with their knob. Its default works out its choice from the machine's
// profile.
//
// Strategies that equal another row have none: a window as wide as all ranks, or without a width,
// is direct or linear. The postal tree of latency 1 is binomial; with a long latency the root sends
// everything. logp-lev-sq is binomial.
// clang-format off
// Library, collective, native name, id, strategy, needs, fallback, safe for any operation, source.
constexpr Algorithm kRows[] = {
    {kLibrary, kAlltoall, "direct", -1, "alltoall/linear", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "windowed?window=2", -1, "alltoall/windowed?window=2", MoreRanksThan(3), "", true, kSource},
    {kLibrary, kAlltoall, "windowed?window=4", -1, "alltoall/windowed?window=4", MoreRanksThan(5), "", true, kSource},
    {kLibrary, kAlltoall, "windowed?window=16", -1, "alltoall/windowed?window=16", MoreRanksThan(17), "", true, kSource},
    {kLibrary, kAlltoall, "pairwise", -1, "alltoall/pairwise", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "bruck", -1, "alltoall/bruck", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "mesh2d", -1, "alltoall/mesh2d", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "grid3d", -1, "alltoall/grid3d", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "hypercube", -1, "alltoall/hypercube", kNone, "", true, kSource},

    {kLibrary, kAlltoallv, "direct", -1, "alltoallv/linear", kNone, "", true, kSource},
    {kLibrary, kAlltoallv, "windowed?window=2", -1, "alltoallv/windowed?window=2", MoreRanksThan(3), "", true, kSource},
    {kLibrary, kAlltoallv, "windowed?window=4", -1, "alltoallv/windowed?window=4", MoreRanksThan(5), "", true, kSource},
    {kLibrary, kAlltoallv, "windowed?window=16", -1, "alltoallv/windowed?window=16", MoreRanksThan(17), "", true, kSource},
    {kLibrary, kAlltoallv, "pairwise", -1, "alltoallv/pairwise", kNone, "", true, kSource},
    {kLibrary, kAlltoallv, "mesh2d", -1, "", kNone, "", true, kSource},
    {kLibrary, kAlltoallv, "grid3d", -1, "", kNone, "", true, kSource},
    {kLibrary, kAlltoallv, "hypercube", -1, "", kNone, "", true, kSource},

    {kLibrary, kBcast, "binomial", -1, "bcast/binomial", kNone, "", true, kSource},
    {kLibrary, kBcast, "postal?latency=2", -1, "", MoreRanksThan(2), "", true, kSource},
    {kLibrary, kBcast, "postal?latency=4", -1, "", MoreRanksThan(4), "", true, kSource},
    {kLibrary, kBcast, "postal?latency=8", -1, "", MoreRanksThan(6), "", true, kSource},

    {kLibrary, kGather, "linear", -1, "gather/linear", kNone, "", true, kSource},
    {kLibrary, kGather, "binomial", -1, "gather/binomial", kNone, "", true, kSource},
    {kLibrary, kGather, "2-lev-rec", -1, "gather/2-lev-rec", kSquareRanks, "", true, kSource},
    {kLibrary, kGather, "3-lev-sq", -1, "gather/3-lev-sq", kFourthPowerRanks, "", true, kSource},
    {kLibrary, kGather, "windowed?window=1", -1, "gather/windowed?window=1", MoreRanksThan(2), "", true, kSource},
    {kLibrary, kGather, "windowed?window=2", -1, "gather/windowed?window=2", MoreRanksThan(3), "", true, kSource},
    {kLibrary, kGather, "windowed?window=3", -1, "gather/windowed?window=3", MoreRanksThan(4), "", true, kSource},
    {kLibrary, kGather, "windowed?window=4", -1, "gather/windowed?window=4", MoreRanksThan(5), "", true, kSource},
    {kLibrary, kGather, "windowed?window=5", -1, "gather/windowed?window=5", MoreRanksThan(6), "", true, kSource},
    {kLibrary, kGather, "windowed?window=6", -1, "gather/windowed?window=6", MoreRanksThan(7), "", true, kSource},
    {kLibrary, kGather, "windowed?window=7", -1, "gather/windowed?window=7", MoreRanksThan(8), "", true, kSource},
    {kLibrary, kGather, "windowed?window=8", -1, "gather/windowed?window=8", MoreRanksThan(9), "", true, kSource},

    {kLibrary, kScatter, "linear", -1, "scatter/linear", kNone, "", true, kSource},
    {kLibrary, kScatter, "binomial", -1, "scatter/binomial", kNone, "", true, kSource},
    {kLibrary, kScatter, "2-lev-rec", -1, "scatter/2-lev-rec", kSquareRanks, "", true, kSource},
    {kLibrary, kScatter, "3-lev-sq", -1, "scatter/3-lev-sq", kFourthPowerRanks, "", true, kSource},
};
// clang-format on

}  // namespace

absl::Span<const Algorithm> CoxcollAlgorithms() { return kRows; }

}  // namespace cox::library
