#include "domain/collective.h"
#include "library/rows.h"

namespace cox::library {
namespace {

using enum domain::Collective;

constexpr absl::string_view kLibrary = "mpich-4.0";
constexpr absl::string_view kSource = "MPICH v4.0.2, src/mpi/coll";

// MPICH takes names. "nb" runs a nonblocking algorithm that MPICH chooses, "smp" a hierarchy of
// others; the strategies assume those of short messages. An algorithm that does not fit silently
// becomes the automatic choice, which has no row in this table. On one node bcast and reduce never
// reach their hierarchies; with one rank per node no collective does. "scattered" has a window of
// MPIR_CVAR_ALLTOALL_THROTTLE, 32 unless set. pairwise_sendrecv_replace has no structure: a
// scenario has two buffers.
//
// A collective's rows are in the order of its variable's values at run time, from 1
// (run_time_number.h).
// clang-format off
// Library, collective, native name, id, strategy, needs, fallback, safe for any operation, source.
constexpr Algorithm kRows[] = {
    {kLibrary, kAllgather, "brucks", -1, "allgather/bruck", kNone, "", true, kSource},
    {kLibrary, kAllgather, "nb", -1, "", kNone, "", true, kSource},
    {kLibrary, kAllgather, "recursive_doubling", -1, "allgather/recursive-doubling", kPowerOfTwoRanks, "", true, kSource},
    {kLibrary, kAllgather, "ring", -1, "allgather/ring", kNone, "", true, kSource},

    {kLibrary, kAllreduce, "nb", -1, "", kNone, "", true, kSource},
    {kLibrary, kAllreduce, "smp", -1, "allreduce/node-leaders", kCommutative | kSharedNode, "", true, kSource},
    {kLibrary, kAllreduce, "recursive_doubling", -1, "allreduce/recursive-doubling", kNone, "", true, kSource},
    {kLibrary, kAllreduce, "reduce_scatter_allgather", -1, "allreduce/rabenseifner-whole", kElementsAtLeastPowerOfTwo | kCommutative, "", true, kSource},

    {kLibrary, kAlltoall, "brucks", -1, "alltoall/bruck", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "nb", -1, "", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "pairwise", -1, "alltoall/pairwise", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "pairwise_sendrecv_replace", -1, "", kInPlace, "", true, kSource},
    {kLibrary, kAlltoall, "scattered", -1, "alltoall/windowed?window=32", kNone, "", true, kSource},

    {kLibrary, kBcast, "binomial", -1, "bcast/binomial-far", kNone, "", true, kSource},
    {kLibrary, kBcast, "nb", -1, "", kNone, "", true, kSource},
    {kLibrary, kBcast, "smp", -1, "bcast/node-leaders", kSharedNodes, "", true, kSource},
    {kLibrary, kBcast, "scatter_recursive_doubling_allgather", -1, "bcast/scatter-allgather", kNone, "", true, kSource},
    {kLibrary, kBcast, "scatter_ring_allgather", -1, "bcast/scatter-ring-allgather", kNone, "", true, kSource},

    {kLibrary, kBarrier, "nb", -1, "", kNone, "", true, kSource},
    {kLibrary, kBarrier, "smp", -1, "barrier/node-leaders", kSharedNode, "", true, kSource},
    {kLibrary, kBarrier, "dissemination", -1, "barrier/dissemination", kNone, "", true, kSource},

    {kLibrary, kReduce, "binomial", -1, "reduce/binomial", kNone, "", true, kSource},
    {kLibrary, kReduce, "nb", -1, "", kNone, "", true, kSource},
    {kLibrary, kReduce, "smp", -1, "reduce/node-leaders", kCommutative | kSharedNodes, "", true, kSource},
    {kLibrary, kReduce, "reduce_scatter_gather", -1, "reduce/rabenseifner-whole", kElementsAtLeastPowerOfTwo | kCommutative, "", true, kSource},

    {kLibrary, kReduceScatter, "nb", -1, "", kNone, "", true, kSource},
    {kLibrary, kReduceScatter, "noncommutative", -1, "reduce_scatter/noncommutative", kPowerOfTwoRanks | kAbortsElsewhere, "", true, kSource},
    {kLibrary, kReduceScatter, "pairwise", -1, "reduce_scatter/pairwise", kCommutative, "", true, kSource},
    {kLibrary, kReduceScatter, "recursive_doubling", -1, "reduce_scatter/recursive-doubling", kNone, "", true, kSource},
    {kLibrary, kReduceScatter, "recursive_halving", -1, "reduce_scatter/recursive-halving", kCommutative, "", true, kSource},

    {kLibrary, kReduceScatterBlock, "noncommutative", -1, "reduce_scatter_block/noncommutative", kPowerOfTwoRanks | kAbortsElsewhere, "", true, kSource},
    {kLibrary, kReduceScatterBlock, "recursive_doubling", -1, "reduce_scatter_block/recursive-doubling", kNone, "", true, kSource},
    {kLibrary, kReduceScatterBlock, "pairwise", -1, "reduce_scatter_block/pairwise", kCommutative, "", true, kSource},
    {kLibrary, kReduceScatterBlock, "recursive_halving", -1, "reduce_scatter_block/recursive-halving", kCommutative, "", true, kSource},
    {kLibrary, kReduceScatterBlock, "nb", -1, "", kNone, "", true, kSource},

    {kLibrary, kScan, "nb", -1, "", kNone, "", true, kSource},
    {kLibrary, kScan, "smp", -1, "scan/node-leaders", kSharedNode, "", true, kSource},
    {kLibrary, kScan, "recursive_doubling", -1, "scan/recursive-doubling", kNone, "", true, kSource},

    {kLibrary, kExscan, "nb", -1, "", kNone, "", true, kSource},
    {kLibrary, kExscan, "recursive_doubling", -1, "exscan/recursive-doubling", kNone, "", true, kSource},

    {kLibrary, kGather, "binomial", -1, "gather/binomial", kNone, "", true, kSource},
    {kLibrary, kGather, "nb", -1, "", kNone, "", true, kSource},

    {kLibrary, kScatter, "binomial", -1, "scatter/binomial", kNone, "", true, kSource},
    {kLibrary, kScatter, "nb", -1, "", kNone, "", true, kSource},

    {kLibrary, kAllgatherv, "brucks", -1, "allgatherv/bruck", kNone, "", true, kSource},
    {kLibrary, kAllgatherv, "nb", -1, "", kNone, "", true, kSource},
    {kLibrary, kAllgatherv, "recursive_doubling", -1, "allgatherv/recursive-doubling", kPowerOfTwoRanks, "", true, kSource},
    {kLibrary, kAllgatherv, "ring", -1, "allgatherv/ring", kNone, "", true, kSource},

    {kLibrary, kAlltoallv, "nb", -1, "", kNone, "", true, kSource},
    {kLibrary, kAlltoallv, "pairwise_sendrecv_replace", -1, "", kInPlace, "", true, kSource},
    {kLibrary, kAlltoallv, "scattered", -1, "alltoallv/windowed?window=32", kNone, "", true, kSource},

    {kLibrary, kAlltoallw, "nb", -1, "", kNone, "", true, kSource},
    {kLibrary, kAlltoallw, "pairwise_sendrecv_replace", -1, "", kInPlace, "", true, kSource},
    {kLibrary, kAlltoallw, "scattered", -1, "alltoallw/windowed?window=32", kNone, "", true, kSource},

    {kLibrary, kGatherv, "linear", -1, "gatherv/linear", kNone, "", true, kSource},
    {kLibrary, kGatherv, "nb", -1, "", kNone, "", true, kSource},

    {kLibrary, kScatterv, "linear", -1, "scatterv/linear", kNone, "", true, kSource},
    {kLibrary, kScatterv, "nb", -1, "", kNone, "", true, kSource},
};
// clang-format on

}  // namespace

absl::Span<const Algorithm> Mpich40Algorithms() { return kRows; }

}  // namespace cox::library
