// One collective operation of one size, for repeated calls, with a check of its result.
//
// Called by all ranks of MPI_COMM_WORLD; rank 0 is the root. One thread. Owns its buffers.
#ifndef COX_BENCH_MEASURE_COLLECTIVE_CALL_H_
#define COX_BENCH_MEASURE_COLLECTIVE_CALL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/collective_names.h"
#include "bench/measure/collective_function.h"
#include "domain/collective.h"

namespace cox::bench {

class CollectiveCall {
 public:
  // `block_bytes` is a multiple of TypeBytes(collective). `function` belongs to the collective;
  // `algorithm` tells it which algorithm to run.
  CollectiveCall(domain::Collective collective, int64_t block_bytes, CollectiveFunction function,
                 std::string algorithm);

  // MPI_SUCCESS, or an MPI error class.
  int Try();

  // Runs it once. If that fails, prints why and ends the job.
  void Run();

  // True if this rank's result of the last Run is right, to the last byte.
  bool IsRight() const;

 private:
  void Fill();
  bool HasBlocksFrom(int first_sender, int sender_count, int receiver) const;
  bool HasSum(int64_t first_element) const;

  domain::Collective collective_;
  CollectiveFunction function_;
  std::string algorithm_;
  int rank_ = 0;
  int rank_count_ = 1;
  int block_bytes_;
  int element_count_;
  std::vector<unsigned char> send_;
  std::vector<unsigned char> receive_;
};

}  // namespace cox::bench

#endif  // COX_BENCH_MEASURE_COLLECTIVE_CALL_H_
