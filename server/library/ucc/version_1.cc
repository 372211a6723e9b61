#include "domain/collective.h"
#include "library/rows.h"

namespace cox::library {
namespace {

using enum domain::Collective;

constexpr absl::string_view kLibrary = "ucc-1";
constexpr absl::string_view kSource = "UCC master, src/components/tl/ucp; source read, not run";

// The algorithms of component tl/ucp by the names that `ucc_info -A` lists; their numbers differ
// between releases. The component chooses the radix of "knomial", so it has no strategy. MPI's
// reduce_scatter_block is UCC's reduce_scatter. MPI gives UCC only predefined operations, which
// commute.
// clang-format off
// Library, collective, native name, id, strategy, needs, fallback, safe for any operation, source.
constexpr Algorithm kRows[] = {
    {kLibrary, kAllgather, "knomial", -1, "", kNone, "", true, kSource},
    {kLibrary, kAllgather, "ring", -1, "allgather/ring", kNone, "", true, kSource},
    {kLibrary, kAllgather, "neighbor", -1, "allgather/neighbor-exchange", kEvenRanks, "", true, kSource},
    {kLibrary, kAllgather, "bruck", -1, "allgather/bruck", kNone, "", true, kSource},
    {kLibrary, kAllgather, "sparbit", -1, "", kNone, "", true, kSource},
    {kLibrary, kAllgather, "linear", -1, "", kNone, "", true, kSource},
    {kLibrary, kAllgather, "batched", -1, "", kNone, "", true, kSource},

    {kLibrary, kAllreduce, "knomial", -1, "", kNone, "", true, kSource},
    {kLibrary, kAllreduce, "sra_knomial", -1, "", kNone, "", true, kSource},
    {kLibrary, kAllreduce, "dbt", -1, "", kNone, "", true, kSource},
    {kLibrary, kAllreduce, "sliding_window", -1, "", kNone, "", true, kSource},
    {kLibrary, kAllreduce, "ring", -1, "allreduce/ring", kElementsAtLeastRanks, "", true, kSource},

    {kLibrary, kAlltoall, "pairwise", -1, "", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "bruck", -1, "alltoall/bruck", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "onesided", -1, "", kNone, "", true, kSource},

    {kLibrary, kAlltoallv, "pairwise", -1, "", kNone, "", true, kSource},
    {kLibrary, kAlltoallv, "hybrid", -1, "", kNone, "", true, kSource},
    {kLibrary, kAlltoallv, "onesided", -1, "", kNone, "", true, kSource},

    {kLibrary, kBcast, "knomial", -1, "", kNone, "", true, kSource},
    {kLibrary, kBcast, "sag_knomial", -1, "", kNone, "", true, kSource},
    {kLibrary, kBcast, "dbt", -1, "", kNone, "", true, kSource},

    {kLibrary, kReduce, "knomial", -1, "", kNone, "", true, kSource},
    {kLibrary, kReduce, "dbt", -1, "", kNone, "", true, kSource},
    {kLibrary, kReduce, "srg", -1, "", kNone, "", true, kSource},

    {kLibrary, kReduceScatterBlock, "ring", -1, "", kNone, "", true, kSource},
    {kLibrary, kReduceScatterBlock, "knomial", -1, "", kNone, "", true, kSource},
};
// clang-format on

}  // namespace

absl::Span<const Algorithm> Ucc1Algorithms() { return kRows; }

}  // namespace cox::library
