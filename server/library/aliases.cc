#include "library/aliases.h"

#include "absl/strings/match.h"
#include "domain/collective.h"
#include "library/algorithms.h"

namespace cox::library {
namespace {

using enum domain::Collective;

constexpr absl::string_view kOpenMpi = "openmpi-";
constexpr absl::string_view kMpich = "mpich-";
constexpr absl::string_view kCray = "cray-mpich-";

// Open MPI: the functions of coll/base, and the names of PICO's and OSU's published runs.
// clang-format off
constexpr Alias kAliases[] = {
    {kOpenMpi, kAllgather, "recursivedoubling", "recursive_doubling"},
    {kOpenMpi, kAllgather, "neighborexchange", "neighbor"},
    {kOpenMpi, kAllgather, "basic_linear", "linear"},
    {kOpenMpi, kAllgatherv, "default_gather_bcast", "gather_bcast"},
    {kOpenMpi, kAllgatherv, "neighborexchange", "neighbor"},
    {kOpenMpi, kAllreduce, "recursivedoubling", "recursive_doubling"},
    {kOpenMpi, kAllreduce, "ring_segmented", "segmented_ring"},
    {kOpenMpi, kAllreduce, "redscat_allgather", "rabenseifner"},
    {kOpenMpi, kAllreduce, "linear", "basic_linear"},
    {kOpenMpi, kAlltoall, "basic_linear", "linear"},
    {kOpenMpi, kAlltoall, "bruck", "modified_bruck"},
    {kOpenMpi, kBarrier, "recursivedoubling", "recursive_doubling"},
    {kOpenMpi, kBarrier, "doublering", "double_ring"},
    {kOpenMpi, kBcast, "linear", "basic_linear"},
    {kOpenMpi, kBcast, "binary", "binary_tree"},
    {kOpenMpi, kBcast, "split_binary", "split_binary_tree"},
    {kOpenMpi, kGather, "linear", "basic_linear"},
    {kOpenMpi, kGather, "linear_synch", "linear_sync"},
    {kOpenMpi, kReduce, "in_order", "in-order_binary"},
    {kOpenMpi, kReduce, "in_order_binary", "in-order_binary"},
    {kOpenMpi, kReduce, "redscat_gather", "rabenseifner"},
    {kOpenMpi, kReduceScatter, "nonoverlapping", "non-overlapping"},
    {kOpenMpi, kReduceScatter, "non_overlapping", "non-overlapping"},
    {kOpenMpi, kScatter, "linear", "basic_linear"},

    {kMpich, kAllgather, "bruck", "brucks"},
    {kMpich, kAllreduce, "rabenseifner", "reduce_scatter_allgather"},
    {kMpich, kAlltoall, "bruck", "brucks"},
    {kMpich, kReduce, "rabenseifner", "reduce_scatter_gather"},

    {kCray, kAllgather, "bruck", "brucks"},
    {kCray, kAllreduce, "rabenseifner", "reduce_scatter_allgather"},
    {kCray, kReduce, "rabenseifner", "reduce_scatter_gather"},
};
// clang-format on

}  // namespace

absl::Span<const Alias> Aliases() { return kAliases; }

const Algorithm* FindByAnyName(absl::string_view library, domain::Collective collective,
                               absl::string_view name) {
  if (const Algorithm* row = FindAlgorithm(library, collective, name)) return row;
  for (const Alias& alias : kAliases) {
    if (alias.collective == collective && alias.alias == name &&
        absl::StartsWith(library, alias.family)) {
      return FindAlgorithm(library, collective, alias.native_name);
    }
  }
  return nullptr;
}

}  // namespace cox::library
