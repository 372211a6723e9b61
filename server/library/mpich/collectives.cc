#include "library/mpich/collectives.h"

#include <limits>

namespace cox::library {
namespace {

using Total = MpichCollective::Total;
using Count = MpichCollective::Count;

// clang-format off
// Name, prefix, average, total, count, commutative, built in, in place, regular, intra only.
// Source: MPICH v4.0.2, src/mpi/coll/src/csel.c; averages, totals and counts seen in runs.
constexpr MpichCollective kCollectives[] = {
    {"bcast", "MPIR_Bcast_", true, Total::kBytes, Count::kOfCall, false, false, false, false, false},
    {"allreduce", "MPIR_Allreduce_", true, Total::kBytes, Count::kOfCall, true, true, false, false, false},
    {"allgather", "MPIR_Allgather_", false, Total::kBytes, Count::kOfCall, false, false, false, false, false},
    {"allgatherv", "MPIR_Allgatherv_", false, Total::kBytes, Count::kOfAll, false, false, false, false, false},
    {"reduce", "MPIR_Reduce_", true, Total::kBytes, Count::kOfCall, true, true, false, false, false},
    {"reduce_scatter", "MPIR_Reduce_scatter_", false, Total::kBytes, Count::kOfAll, true, false, false, true, false},
    {"reduce_scatter_block", "MPIR_Reduce_scatter_block_", false, Total::kBytes, Count::kOfCall, true, false, false, false, false},
    {"gather", "MPIR_Gather_", false, Total::kElements, Count::kNone, false, false, false, false, false},
    {"scatter", "MPIR_Scatter_", false, Total::kElements, Count::kNone, false, false, false, false, false},
    {"gatherv", "MPIR_Gatherv_", false, Total::kNone, Count::kNone, false, false, false, false, false},
    {"scatterv", "MPIR_Scatterv_", false, Total::kNone, Count::kNone, false, false, false, false, false},
    {"scan", "MPIR_Scan_", false, Total::kNone, Count::kNone, false, false, false, false, true},
    {"exscan", "MPIR_Exscan_", false, Total::kNone, Count::kNone, false, false, false, false, true},
    {"barrier", "MPIR_Barrier_", false, Total::kNone, Count::kNone, false, false, false, false, false},
    {"alltoall", "MPIR_Alltoall_", true, Total::kBytes, Count::kNone, false, false, true, false, false},
    {"alltoallv", "MPIR_Alltoallv_", false, Total::kBytes, Count::kNone, false, false, true, false, false},
    {"alltoallw", "MPIR_Alltoallw_", false, Total::kBytes, Count::kNone, false, false, true, false, false},
    {"neighbor_allgather", "MPIR_Neighbor_allgather_", false, Total::kNone, Count::kNone, false, false, false, false, true},
    {"neighbor_allgatherv", "MPIR_Neighbor_allgatherv_", false, Total::kNone, Count::kNone, false, false, false, false, true},
    {"neighbor_alltoall", "MPIR_Neighbor_alltoall_", false, Total::kNone, Count::kNone, false, false, false, false, true},
    {"neighbor_alltoallv", "MPIR_Neighbor_alltoallv_", false, Total::kNone, Count::kNone, false, false, false, false, true},
    {"neighbor_alltoallw", "MPIR_Neighbor_alltoallw_", false, Total::kNone, Count::kNone, false, false, false, false, true},
    {"ibarrier", "MPIR_Ibarrier_", false, Total::kNone, Count::kNone, false, false, false, false, false},
    {"iallreduce", "MPIR_Iallreduce_", true, Total::kBytes, Count::kOfCall, true, true, false, false, false},
    {"iallgather", "MPIR_Iallgather_", false, Total::kBytes, Count::kOfCall, false, false, false, false, false},
    {"iallgatherv", "MPIR_Iallgatherv_", false, Total::kBytes, Count::kOfAll, false, false, false, false, false},
    {"ibcast", "MPIR_Ibcast_", true, Total::kBytes, Count::kNone, false, false, false, false, false},
    {"ireduce", "MPIR_Ireduce_", true, Total::kBytes, Count::kOfCall, true, true, false, false, false},
    {"ireduce_scatter", "MPIR_Ireduce_scatter_", false, Total::kBytes, Count::kOfAll, true, false, false, true, false},
    {"ireduce_scatter_block", "MPIR_Ireduce_scatter_block_", false, Total::kElements, Count::kOfCall, true, false, false, false, false},
    {"igather", "MPIR_Igather_", false, Total::kElements, Count::kNone, false, false, false, false, false},
    {"iscatter", "MPIR_Iscatter_", false, Total::kElements, Count::kNone, false, false, false, false, false},
    {"igatherv", "MPIR_Igatherv_", false, Total::kNone, Count::kNone, false, false, false, false, false},
    {"iscatterv", "MPIR_Iscatterv_", false, Total::kNone, Count::kNone, false, false, false, false, false},
    {"iscan", "MPIR_Iscan_", false, Total::kNone, Count::kNone, false, false, false, false, true},
    {"iexscan", "MPIR_Iexscan_", false, Total::kNone, Count::kNone, false, false, false, false, true},
    {"ialltoall", "MPIR_Ialltoall_", true, Total::kBytes, Count::kNone, false, false, true, false, false},
    {"ialltoallv", "MPIR_Ialltoallv_", false, Total::kBytes, Count::kNone, false, false, true, false, false},
    {"ialltoallw", "MPIR_Ialltoallw_", false, Total::kBytes, Count::kNone, false, false, true, false, false},
    {"ineighbor_allgather", "MPIR_Ineighbor_allgather_", false, Total::kNone, Count::kNone, false, false, false, false, true},
    {"ineighbor_allgatherv", "MPIR_Ineighbor_allgatherv_", false, Total::kNone, Count::kNone, false, false, false, false, true},
    {"ineighbor_alltoall", "MPIR_Ineighbor_alltoall_", false, Total::kNone, Count::kNone, false, false, false, false, true},
    {"ineighbor_alltoallv", "MPIR_Ineighbor_alltoallv_", false, Total::kNone, Count::kNone, false, false, false, false, true},
    {"ineighbor_alltoallw", "MPIR_Ineighbor_alltoallw_", false, Total::kNone, Count::kNone, false, false, false, false, true},
};
// clang-format on

int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

const MpichCollective& Of(const MpichCall& call) {
  return kCollectives[static_cast<size_t>(call.collective)];
}

}  // namespace

absl::Span<const MpichCollective> MpichCollectives() { return kCollectives; }

int FindMpichCollective(absl::string_view name) {
  int index = 0;
  for (const MpichCollective& collective : kCollectives) {
    if (collective.name == name) return index;
    ++index;
  }
  return -1;
}

std::optional<int64_t> MpichCall::AverageBytes() const {
  if (!Of(*this).has_average) return std::nullopt;
  return Times(count, type_bytes);
}

std::optional<int64_t> MpichCall::TotalSize() const {
  switch (Of(*this).total) {
    case Total::kNone:
      break;
    case Total::kBytes:
      return Times(Times(count, comm_size), type_bytes);
    case Total::kElements:
      return Times(count, comm_size);
  }
  return std::nullopt;
}

std::optional<int64_t> MpichCall::Count() const {
  switch (Of(*this).count) {
    case Count::kNone:
      break;
    case Count::kOfCall:
      return count;
    case Count::kOfAll:
      return Times(count, comm_size);
  }
  return std::nullopt;
}

}  // namespace cox::library
