#include "domain/collective.h"
#include "library/rows.h"

namespace cox::library {
namespace {

using enum domain::Collective;

constexpr absl::string_view kLibrary = "nccl-2";
constexpr absl::string_view kSource = "NCCL 2.30, src/graph and ext-tuner; source read, not run";

// A row is an algorithm and a protocol that NCCL can use together, such as "ring_ll128". Ranks are
// GPUs. All of its operations commute. "tree" is a double binary tree over the nodes, for which the
// catalogue has no structure. A broadcast's ring has pieces of a size that only NCCL knows.
// clang-format off
// Library, collective, native name, id, strategy, needs, fallback, safe for any operation, source.
constexpr Algorithm kRows[] = {
    {kLibrary, kAllreduce, "tree_ll", -1, "", kNone, "", true, kSource},
    {kLibrary, kAllreduce, "tree_ll128", -1, "", kNone, "", true, kSource},
    {kLibrary, kAllreduce, "tree_simple", -1, "", kNone, "", true, kSource},
    {kLibrary, kAllreduce, "ring_ll", -1, "allreduce/ring", kElementsAtLeastRanks, "", true, kSource},
    {kLibrary, kAllreduce, "ring_ll128", -1, "allreduce/ring", kElementsAtLeastRanks, "", true, kSource},
    {kLibrary, kAllreduce, "ring_simple", -1, "allreduce/ring", kElementsAtLeastRanks, "", true, kSource},
    {kLibrary, kAllreduce, "collnet_direct_simple", -1, "", kNone, "", true, kSource},
    {kLibrary, kAllreduce, "collnet_chain_simple", -1, "", kNone, "", true, kSource},
    {kLibrary, kAllreduce, "nvls_simple", -1, "", kNone, "", true, kSource},
    {kLibrary, kAllreduce, "nvls_tree_simple", -1, "", kNone, "", true, kSource},

    {kLibrary, kBcast, "ring_ll", -1, "", kNone, "", true, kSource},
    {kLibrary, kBcast, "ring_ll128", -1, "", kNone, "", true, kSource},
    {kLibrary, kBcast, "ring_simple", -1, "", kNone, "", true, kSource},

    {kLibrary, kReduce, "ring_ll", -1, "", kNone, "", true, kSource},
    {kLibrary, kReduce, "ring_ll128", -1, "", kNone, "", true, kSource},
    {kLibrary, kReduce, "ring_simple", -1, "", kNone, "", true, kSource},

    {kLibrary, kAllgather, "ring_ll", -1, "allgather/ring", kNone, "", true, kSource},
    {kLibrary, kAllgather, "ring_ll128", -1, "allgather/ring", kNone, "", true, kSource},
    {kLibrary, kAllgather, "ring_simple", -1, "allgather/ring", kNone, "", true, kSource},
    {kLibrary, kAllgather, "collnet_direct_simple", -1, "", kNone, "", true, kSource},
    {kLibrary, kAllgather, "nvls_simple", -1, "", kNone, "", true, kSource},
    {kLibrary, kAllgather, "pat_simple", -1, "", kNone, "", true, kSource},

    {kLibrary, kReduceScatterBlock, "ring_ll", -1, "", kNone, "", true, kSource},
    {kLibrary, kReduceScatterBlock, "ring_ll128", -1, "", kNone, "", true, kSource},
    {kLibrary, kReduceScatterBlock, "ring_simple", -1, "", kNone, "", true, kSource},
    {kLibrary, kReduceScatterBlock, "collnet_direct_simple", -1, "", kNone, "", true, kSource},
    {kLibrary, kReduceScatterBlock, "nvls_simple", -1, "", kNone, "", true, kSource},
    {kLibrary, kReduceScatterBlock, "pat_simple", -1, "", kNone, "", true, kSource},
};
// clang-format on

}  // namespace

absl::Span<const Algorithm> Nccl2Algorithms() { return kRows; }

}  // namespace cox::library
