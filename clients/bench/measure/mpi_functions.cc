#include <mpi.h>

#include "bench/measure/collective_function.h"
#include "domain/collective.h"

namespace cox::bench {
namespace {

int Allgather(const CallArguments& a) {
  return MPI_Allgather(a.send, a.block_bytes, MPI_BYTE, a.receive, a.block_bytes, MPI_BYTE,
                       MPI_COMM_WORLD);
}

int Allreduce(const CallArguments& a) {
  return MPI_Allreduce(a.send, a.receive, a.element_count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

int Alltoall(const CallArguments& a) {
  return MPI_Alltoall(a.send, a.block_bytes, MPI_BYTE, a.receive, a.block_bytes, MPI_BYTE,
                      MPI_COMM_WORLD);
}

int Bcast(const CallArguments& a) {
  return MPI_Bcast(a.receive, a.block_bytes, MPI_BYTE, kRoot, MPI_COMM_WORLD);
}

int Gather(const CallArguments& a) {
  return MPI_Gather(a.send, a.block_bytes, MPI_BYTE, a.receive, a.block_bytes, MPI_BYTE, kRoot,
                    MPI_COMM_WORLD);
}

int Reduce(const CallArguments& a) {
  return MPI_Reduce(a.send, a.receive, a.element_count, MPI_FLOAT, MPI_SUM, kRoot, MPI_COMM_WORLD);
}

int ReduceScatterBlock(const CallArguments& a) {
  return MPI_Reduce_scatter_block(a.send, a.receive, a.element_count, MPI_FLOAT, MPI_SUM,
                                  MPI_COMM_WORLD);
}

int Scatter(const CallArguments& a) {
  return MPI_Scatter(a.send, a.block_bytes, MPI_BYTE, a.receive, a.block_bytes, MPI_BYTE, kRoot,
                     MPI_COMM_WORLD);
}

constexpr FunctionRow kRows[] = {
    {domain::Collective::kAllgather, Allgather},
    {domain::Collective::kAllreduce, Allreduce},
    {domain::Collective::kAlltoall, Alltoall},
    {domain::Collective::kBcast, Bcast},
    {domain::Collective::kGather, Gather},
    {domain::Collective::kReduce, Reduce},
    {domain::Collective::kReduceScatterBlock, ReduceScatterBlock},
    {domain::Collective::kScatter, Scatter},
};

}  // namespace

absl::Span<const FunctionRow> MpiFunctions() { return kRows; }

}  // namespace cox::bench
