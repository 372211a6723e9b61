#include "domain/collective.h"
#include "library/rows.h"

namespace cox::library {
namespace {

using enum domain::Collective;

constexpr absl::string_view kLibrary = "intelmpi-2019";
constexpr absl::string_view kSource =
    "Intel MPI Library 2019 developer reference, I_MPI_ADJUST family; documented, not run";

// The numbers of this manual only: later versions (from 2021.13 on) have presets and may number
// them differently. The manual names algorithms without their structure. A row has a strategy where
// the name leaves no doubt, and a need where that algorithm is known to have it. Nor does the
// manual say which reductions keep the order of operands: only those that exchange whole vectors in
// order count as safe. Operations without numbers in the manual's table are left out.
// clang-format off
// Library, collective, native name, id, strategy, needs, fallback, safe for any operation, source.
constexpr Algorithm kRows[] = {
    {kLibrary, kAllgather, "recursive_doubling", 1, "allgather/recursive-doubling", kPowerOfTwoRanks, "", true, kSource},
    {kLibrary, kAllgather, "bruck", 2, "allgather/bruck", kNone, "", true, kSource},
    {kLibrary, kAllgather, "ring", 3, "allgather/ring", kNone, "", true, kSource},
    {kLibrary, kAllgather, "topology_gatherv_bcast", 4, "", kNone, "", true, kSource},
    {kLibrary, kAllgather, "knomial", 5, "", kNone, "", true, kSource},

    {kLibrary, kAllgatherv, "recursive_doubling", 1, "allgatherv/recursive-doubling", kPowerOfTwoRanks, "", true, kSource},
    {kLibrary, kAllgatherv, "bruck", 2, "allgatherv/bruck", kNone, "", true, kSource},
    {kLibrary, kAllgatherv, "ring", 3, "allgatherv/ring", kNone, "", true, kSource},
    {kLibrary, kAllgatherv, "topology_gatherv_bcast", 4, "", kNone, "", true, kSource},

    {kLibrary, kAllreduce, "recursive_doubling", 1, "allreduce/recursive-doubling", kNone, "", true, kSource},
    {kLibrary, kAllreduce, "rabenseifner", 2, "allreduce/rabenseifner", kElementsAtLeastPowerOfTwo | kCommutative, "", false, kSource},
    {kLibrary, kAllreduce, "reduce_bcast", 3, "", kNone, "", false, kSource},
    {kLibrary, kAllreduce, "topology_reduce_bcast", 4, "", kNone, "", false, kSource},
    {kLibrary, kAllreduce, "binomial_gather_scatter", 5, "", kNone, "", false, kSource},
    {kLibrary, kAllreduce, "topology_binomial_gather_scatter", 6, "", kNone, "", false, kSource},
    {kLibrary, kAllreduce, "shumilin_ring", 7, "", kNone, "", false, kSource},
    {kLibrary, kAllreduce, "ring", 8, "allreduce/ring", kElementsAtLeastRanks, "", false, kSource},
    {kLibrary, kAllreduce, "knomial", 9, "", kNone, "", false, kSource},
    {kLibrary, kAllreduce, "shm_flat", 10, "", kNone, "", false, kSource},
    {kLibrary, kAllreduce, "shm_knomial", 11, "", kNone, "", false, kSource},
    {kLibrary, kAllreduce, "shm_knary", 12, "", kNone, "", false, kSource},

    {kLibrary, kAlltoall, "bruck", 1, "alltoall/bruck", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "isend_irecv_waitall", 2, "alltoall/linear", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "pairwise", 3, "alltoall/pairwise", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "plum", 4, "", kNone, "", true, kSource},

    {kLibrary, kAlltoallv, "isend_irecv_waitall", 1, "alltoallv/linear", kNone, "", true, kSource},
    {kLibrary, kAlltoallv, "plum", 2, "", kNone, "", true, kSource},

    {kLibrary, kBarrier, "dissemination", 1, "barrier/dissemination", kNone, "", true, kSource},
    {kLibrary, kBarrier, "recursive_doubling", 2, "barrier/recursive-doubling", kNone, "", true, kSource},
    {kLibrary, kBarrier, "topology_dissemination", 3, "", kNone, "", true, kSource},
    {kLibrary, kBarrier, "topology_recursive_doubling", 4, "", kNone, "", true, kSource},
    {kLibrary, kBarrier, "binomial_gather_scatter", 5, "", kNone, "", true, kSource},
    {kLibrary, kBarrier, "topology_binomial_gather_scatter", 6, "", kNone, "", true, kSource},

    {kLibrary, kBcast, "binomial", 1, "bcast/binomial", kNone, "", true, kSource},
    {kLibrary, kBcast, "recursive_doubling", 2, "", kNone, "", true, kSource},
    {kLibrary, kBcast, "ring", 3, "", kNone, "", true, kSource},
    {kLibrary, kBcast, "topology_binomial", 4, "", kNone, "", true, kSource},
    {kLibrary, kBcast, "topology_recursive_doubling", 5, "", kNone, "", true, kSource},
    {kLibrary, kBcast, "topology_ring", 6, "", kNone, "", true, kSource},
    {kLibrary, kBcast, "shumilin", 7, "", kNone, "", true, kSource},
    {kLibrary, kBcast, "knomial", 8, "", kNone, "", true, kSource},
    {kLibrary, kBcast, "shm_flat", 9, "", kNone, "", true, kSource},
    {kLibrary, kBcast, "shm_knomial", 10, "", kNone, "", true, kSource},
    {kLibrary, kBcast, "shm_knary", 11, "", kNone, "", true, kSource},
    {kLibrary, kBcast, "numa_shm_sse42", 12, "", kNone, "", true, kSource},
    {kLibrary, kBcast, "numa_shm_avx2", 13, "", kNone, "", true, kSource},
    {kLibrary, kBcast, "numa_shm_avx512", 14, "", kNone, "", true, kSource},
};
// clang-format on

}  // namespace

absl::Span<const Algorithm> IntelMpi2019Algorithms() { return kRows; }

}  // namespace cox::library
