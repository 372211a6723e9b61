#include <mpi.h>

#include "bench/measure/collective_function.h"
#include "collectives/cox/coll.h"
#include "domain/collective.h"

namespace cox::bench {
namespace {

// Completes an operation whose start returned `started`.
int Complete(int started, cox_request* request) {
  return started == MPI_SUCCESS ? cox_wait(request, nullptr) : started;
}

int Alltoall(const CallArguments& a) {
  cox_request request = COX_REQUEST_NULL;
  return Complete(cox_ialltoall(a.send, a.block_bytes, MPI_BYTE, a.receive, a.block_bytes, MPI_BYTE,
                                MPI_COMM_WORLD, a.algorithm, &request),
                  &request);
}

int Bcast(const CallArguments& a) {
  cox_request request = COX_REQUEST_NULL;
  return Complete(
      cox_ibcast(a.receive, a.block_bytes, MPI_BYTE, kRoot, MPI_COMM_WORLD, a.algorithm, &request),
      &request);
}

int Gather(const CallArguments& a) {
  cox_request request = COX_REQUEST_NULL;
  return Complete(cox_igather(a.send, a.block_bytes, MPI_BYTE, a.receive, a.block_bytes, MPI_BYTE,
                              kRoot, MPI_COMM_WORLD, a.algorithm, &request),
                  &request);
}

int Scatter(const CallArguments& a) {
  cox_request request = COX_REQUEST_NULL;
  return Complete(cox_iscatter(a.send, a.block_bytes, MPI_BYTE, a.receive, a.block_bytes, MPI_BYTE,
                               kRoot, MPI_COMM_WORLD, a.algorithm, &request),
                  &request);
}

constexpr FunctionRow kRows[] = {
    {domain::Collective::kAlltoall, Alltoall},
    {domain::Collective::kBcast, Bcast},
    {domain::Collective::kGather, Gather},
    {domain::Collective::kScatter, Scatter},
};

}  // namespace

absl::Span<const FunctionRow> CoxcollFunctions() { return kRows; }

std::string CoxcollError() { return cox_error(); }

}  // namespace cox::bench
