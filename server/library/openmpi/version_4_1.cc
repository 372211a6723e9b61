#include "domain/collective.h"
#include "library/rows.h"

namespace cox::library {
namespace {

using enum domain::Collective;

constexpr absl::string_view kLibrary = "openmpi-4.1";
constexpr absl::string_view kSource = "Open MPI v4.1.4, ompi/mca/coll/tuned and coll/base";

// Notes on some rows of Open MPI:
// - allgather linear, allreduce nonoverlapping, reduce_scatter non-overlapping and
//   reduce_scatter_block basic_linear call the communicator's own gather, reduce, bcast and
//   scatter, each with its own choice; the strategies assume binomial trees;
// - the library calls allgatherv's first algorithm "default", which elsewhere is its own choice; in
//   this table it is "gather_bcast";
// - chain has the fanout of the library's variable, unless it is set; tuning files set it too;
// - segmented_ring without a segment size is ring; our rules files ask for no other form;
// - ring and segmented_ring, and reduce's chain, pipeline, binary and binomial, and
//   reduce_scatter's recursive_halving and ring, run for any operation, with wrong results where it
//   does not commute;
// - alltoall modified_bruck moves the blocks of the send buffer inside the receive buffer by the
//   receive type's layout; gather binomial collects blocks by the send type's, which on the send
//   side may interleave. Both give wrong results, without an error, unless the types are one;
//   allgather linear may gather by binomial;
// - knomial has the radix of the library's variable, unless it is set;
// - split_binary_tree of less than two elements is a chain with a fanout of 1: pipeline;
// - linear_sync takes its window from a variable that rules cannot set; without one it is linear.
// clang-format off
// Library, collective, native name, id, strategy, needs, fallback, safe for any operation, source.
constexpr Algorithm kRows[] = {
    {kLibrary, kAllgather, "linear", 1, "allgather/gather-bcast", kOneType, "", true, kSource},
    {kLibrary, kAllgather, "bruck", 2, "allgather/bruck", kNone, "", true, kSource},
    {kLibrary, kAllgather, "recursive_doubling", 3, "allgather/recursive-doubling", kPowerOfTwoRanks, "bruck", true, kSource},
    {kLibrary, kAllgather, "ring", 4, "allgather/ring", kNone, "", true, kSource},
    {kLibrary, kAllgather, "neighbor", 5, "allgather/neighbor-exchange", kEvenRanks, "ring", true, kSource},
    {kLibrary, kAllgather, "two_proc", 6, "allgather/ring", kTwoRanks, "", true, kSource},

    {kLibrary, kAllreduce, "basic_linear", 1, "allreduce/linear", kNone, "", true, kSource},
    {kLibrary, kAllreduce, "nonoverlapping", 2, "allreduce/reduce-bcast", kNone, "", true, kSource},
    {kLibrary, kAllreduce, "recursive_doubling", 3, "allreduce/recursive-doubling", kNone, "", true, kSource},
    {kLibrary, kAllreduce, "ring", 4, "allreduce/ring", kElementsAtLeastRanks, "recursive_doubling", false, kSource},
    {kLibrary, kAllreduce, "segmented_ring", 5, "allreduce/ring", kElementsAtLeastRanks, "ring", false, kSource},
    {kLibrary, kAllreduce, "rabenseifner", 6, "allreduce/rabenseifner", kElementsAtLeastPowerOfTwo | kCommutative, "basic_linear", true, kSource},

    {kLibrary, kAlltoall, "linear", 1, "alltoall/linear", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "pairwise", 2, "alltoall/pairwise", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "modified_bruck", 3, "alltoall/bruck", kOneType, "", true, kSource},
    {kLibrary, kAlltoall, "linear_sync", 4, "alltoall/linear", kNone, "", true, kSource},
    {kLibrary, kAlltoall, "two_proc", 5, "alltoall/linear", kTwoRanks, "", true, kSource},

    {kLibrary, kBcast, "basic_linear", 1, "bcast/linear", kNone, "", true, kSource},
    {kLibrary, kBcast, "chain", 2, "bcast/chain?fanout=4", kNone, "", true, kSource},
    {kLibrary, kBcast, "pipeline", 3, "bcast/pipeline", kNone, "", true, kSource},
    {kLibrary, kBcast, "split_binary_tree", 4, "bcast/split-binary", kTwoElements, "pipeline", true, kSource},
    {kLibrary, kBcast, "binary_tree", 5, "bcast/binary", kNone, "", true, kSource},
    {kLibrary, kBcast, "binomial", 6, "bcast/binomial", kNone, "", true, kSource},
    {kLibrary, kBcast, "knomial", 7, "bcast/knomial?radix=4", kNone, "", true, kSource},
    {kLibrary, kBcast, "scatter_allgather", 8, "bcast/scatter-allgather", kElementsAtLeastRanks, "basic_linear", true, kSource},
    {kLibrary, kBcast, "scatter_allgather_ring", 9, "bcast/scatter-ring-allgather", kElementsAtLeastRanks, "basic_linear", true, kSource},

    {kLibrary, kBarrier, "linear", 1, "barrier/linear", kNone, "", true, kSource},
    {kLibrary, kBarrier, "double_ring", 2, "barrier/double-ring", kNone, "", true, kSource},
    {kLibrary, kBarrier, "recursive_doubling", 3, "barrier/recursive-doubling", kNone, "", true, kSource},
    {kLibrary, kBarrier, "bruck", 4, "barrier/dissemination", kNone, "", true, kSource},
    {kLibrary, kBarrier, "two_proc", 5, "barrier/dissemination", kTwoRanks, "", true, kSource},
    {kLibrary, kBarrier, "tree", 6, "barrier/tree", kNone, "", true, kSource},

    {kLibrary, kReduce, "linear", 1, "reduce/linear", kNone, "", true, kSource},
    {kLibrary, kReduce, "chain", 2, "reduce/chain?fanout=4", kNone, "", false, kSource},
    {kLibrary, kReduce, "pipeline", 3, "reduce/pipeline", kNone, "", false, kSource},
    {kLibrary, kReduce, "binary", 4, "reduce/binary", kNone, "", false, kSource},
    {kLibrary, kReduce, "binomial", 5, "reduce/binomial", kNone, "", false, kSource},
    {kLibrary, kReduce, "in-order_binary", 6, "reduce/in-order-binary", kNone, "", true, kSource},
    {kLibrary, kReduce, "rabenseifner", 7, "reduce/rabenseifner", kElementsAtLeastPowerOfTwo | kCommutative, "linear", true, kSource},

    {kLibrary, kReduceScatter, "non-overlapping", 1, "reduce_scatter/reduce-scatterv", kNone, "", true, kSource},
    {kLibrary, kReduceScatter, "recursive_halving", 2, "reduce_scatter/recursive-halving", kNone, "", false, kSource},
    {kLibrary, kReduceScatter, "ring", 3, "reduce_scatter/ring", kNone, "", false, kSource},
    {kLibrary, kReduceScatter, "butterfly", 4, "reduce_scatter/butterfly", kNone, "", true, kSource},

    {kLibrary, kReduceScatterBlock, "basic_linear", 1, "reduce_scatter_block/reduce-scatter", kNone, "", true, kSource},
    {kLibrary, kReduceScatterBlock, "recursive_doubling", 2, "reduce_scatter_block/recursive-doubling", kNone, "", true, kSource},
    {kLibrary, kReduceScatterBlock, "recursive_halving", 3, "reduce_scatter_block/recursive-halving", kCommutative, "basic_linear", true, kSource},
    {kLibrary, kReduceScatterBlock, "butterfly", 4, "reduce_scatter_block/butterfly", kNone, "", true, kSource},

    {kLibrary, kScan, "linear", 1, "scan/linear", kNone, "", true, kSource},
    {kLibrary, kScan, "recursive_doubling", 2, "scan/recursive-doubling", kNone, "", true, kSource},

    {kLibrary, kExscan, "linear", 1, "exscan/linear", kNone, "", true, kSource},
    {kLibrary, kExscan, "recursive_doubling", 2, "exscan/recursive-doubling", kNone, "", true, kSource},

    {kLibrary, kGather, "basic_linear", 1, "gather/linear", kNone, "", true, kSource},
    {kLibrary, kGather, "binomial", 2, "gather/binomial", kOneType, "", true, kSource},
    {kLibrary, kGather, "linear_sync", 3, "gather/linear-sync", kNone, "", true, kSource},

    {kLibrary, kScatter, "basic_linear", 1, "scatter/linear", kNone, "", true, kSource},
    {kLibrary, kScatter, "binomial", 2, "scatter/binomial", kNone, "", true, kSource},
    {kLibrary, kScatter, "linear_nb", 3, "scatter/linear", kNone, "", true, kSource},

    {kLibrary, kAllgatherv, "gather_bcast", 1, "allgatherv/gather-bcast", kNone, "", true, kSource},
    {kLibrary, kAllgatherv, "bruck", 2, "allgatherv/bruck", kNone, "", true, kSource},
    {kLibrary, kAllgatherv, "ring", 3, "allgatherv/ring", kNone, "", true, kSource},
    {kLibrary, kAllgatherv, "neighbor", 4, "allgatherv/neighbor-exchange", kEvenRanks, "ring", true, kSource},
    {kLibrary, kAllgatherv, "two_proc", 5, "allgatherv/ring", kTwoRanks, "", true, kSource},

    {kLibrary, kAlltoallv, "basic_linear", 1, "alltoallv/linear", kNone, "", true, kSource},
    {kLibrary, kAlltoallv, "pairwise", 2, "alltoallv/pairwise", kNone, "", true, kSource},
};
// clang-format on

}  // namespace

absl::Span<const Algorithm> OpenMpi41Algorithms() { return kRows; }

}  // namespace cox::library
