#include "bench/collective_call.h"

#include <mpi.h>

#include <cstring>

namespace cox::bench {
namespace {

constexpr int kRoot = 0;

// What `sender` sends to `receiver` at this place of the block. Collectives that send one block to
// everybody use receiver 0.
unsigned char Payload(int sender, int receiver, int64_t index) {
  return static_cast<unsigned char>(sender * 131 + receiver * 17 + index * 7 + 3);
}

// What a rank adds: whole numbers so small that floats sum them exactly in any order.
float Addend(int sender, int64_t element) { return static_cast<float>(sender % 32 + element % 61); }

float Sum(int rank_count, int64_t element) {
  float sum = 0;
  for (int rank = 0; rank < rank_count; ++rank) sum += Addend(rank, element);
  return sum;
}

}  // namespace

CollectiveCall::CollectiveCall(Collective collective, int64_t block_bytes)
    : collective_(collective),
      block_bytes_(static_cast<int>(block_bytes)),
      element_count_(static_cast<int>(block_bytes / sizeof(float))) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &rank_count_);
  const BufferBytes bytes = BuffersOf(collective, block_bytes, rank_count_);
  const bool sends_only_root = collective == Collective::kScatter;
  const bool receives_only_root =
      collective == Collective::kGather || collective == Collective::kReduce;
  if (rank_ == kRoot || !sends_only_root) send_.resize(bytes.send);
  if (rank_ == kRoot || !receives_only_root) receive_.resize(bytes.receive);
  Fill();
}

void CollectiveCall::Fill() {
  if (TypeBytes(collective_) == sizeof(float)) {
    const int64_t elements = static_cast<int64_t>(send_.size() / sizeof(float));
    for (int64_t i = 0; i < elements; ++i) {
      const float addend = Addend(rank_, i);
      std::memcpy(&send_[i * sizeof(float)], &addend, sizeof(float));
    }
    return;
  }
  const bool has_block_for_each =
      collective_ == Collective::kAlltoall || collective_ == Collective::kScatter;
  const int64_t sent_bytes = static_cast<int64_t>(send_.size());
  for (int64_t i = 0; i < sent_bytes; ++i) {
    const int receiver = has_block_for_each ? static_cast<int>(i / block_bytes_) : 0;
    send_[i] = Payload(rank_, receiver, i - int64_t{receiver} * block_bytes_);
  }
  if (collective_ == Collective::kBcast && rank_ == kRoot) {
    for (int64_t i = 0; i < block_bytes_; ++i) receive_[i] = Payload(kRoot, 0, i);
  }
}

void CollectiveCall::Run() {
  unsigned char* in = receive_.data();
  const unsigned char* out = send_.data();
  const MPI_Comm comm = MPI_COMM_WORLD;
  switch (collective_) {
    case Collective::kAllgather:
      MPI_Allgather(out, block_bytes_, MPI_BYTE, in, block_bytes_, MPI_BYTE, comm);
      break;
    case Collective::kAllreduce:
      MPI_Allreduce(out, in, element_count_, MPI_FLOAT, MPI_SUM, comm);
      break;
    case Collective::kAlltoall:
      MPI_Alltoall(out, block_bytes_, MPI_BYTE, in, block_bytes_, MPI_BYTE, comm);
      break;
    case Collective::kBcast:
      MPI_Bcast(in, block_bytes_, MPI_BYTE, kRoot, comm);
      break;
    case Collective::kGather:
      MPI_Gather(out, block_bytes_, MPI_BYTE, in, block_bytes_, MPI_BYTE, kRoot, comm);
      break;
    case Collective::kReduce:
      MPI_Reduce(out, in, element_count_, MPI_FLOAT, MPI_SUM, kRoot, comm);
      break;
    case Collective::kReduceScatterBlock:
      MPI_Reduce_scatter_block(out, in, element_count_, MPI_FLOAT, MPI_SUM, comm);
      break;
    case Collective::kScatter:
      MPI_Scatter(out, block_bytes_, MPI_BYTE, in, block_bytes_, MPI_BYTE, kRoot, comm);
      break;
  }
}

bool CollectiveCall::HasBlocksFrom(int first_sender, int sender_count, int receiver) const {
  for (int64_t block = 0; block < sender_count; ++block) {
    const int sender = first_sender + static_cast<int>(block);
    const unsigned char* place = receive_.data() + block * block_bytes_;
    for (int64_t i = 0; i < block_bytes_; ++i) {
      if (place[i] != Payload(sender, receiver, i)) return false;
    }
  }
  return true;
}

bool CollectiveCall::HasSum(int64_t first_element) const {
  for (int64_t i = 0; i < element_count_; ++i) {
    float found = 0;
    std::memcpy(&found, &receive_[i * sizeof(float)], sizeof(float));
    if (found != Sum(rank_count_, first_element + i)) return false;
  }
  return true;
}

bool CollectiveCall::IsRight() const {
  switch (collective_) {
    case Collective::kAllgather:
      return HasBlocksFrom(0, rank_count_, 0);
    case Collective::kAlltoall:
      return HasBlocksFrom(0, rank_count_, rank_);
    case Collective::kBcast:
      return HasBlocksFrom(kRoot, 1, 0);
    case Collective::kGather:
      return rank_ != kRoot || HasBlocksFrom(0, rank_count_, 0);
    case Collective::kScatter:
      return HasBlocksFrom(kRoot, 1, rank_);
    case Collective::kAllreduce:
      return HasSum(0);
    case Collective::kReduce:
      return rank_ != kRoot || HasSum(0);
    case Collective::kReduceScatterBlock:
      return HasSum(int64_t{rank_} * element_count_);
  }
  return false;
}

}  // namespace cox::bench
