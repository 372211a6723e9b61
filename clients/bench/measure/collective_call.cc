#include "bench/measure/collective_call.h"

#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <utility>

#include "domain/collective.h"

namespace cox::bench {
namespace {

// The byte that `sender` sends to `receiver` at this index of the block. Collectives that send one
// block to all ranks use receiver 0.
unsigned char Payload(int sender, int receiver, int64_t index) {
  return static_cast<unsigned char>(sender * 131 + receiver * 17 + index * 7 + 3);
}

// What a rank contributes: whole numbers small enough for exact float sums in any order.
float Addend(int sender, int64_t element) { return static_cast<float>(sender % 32 + element % 61); }

float Sum(int rank_count, int64_t element) {
  float sum = 0;
  for (int rank = 0; rank < rank_count; ++rank) sum += Addend(rank, element);
  return sum;
}

}  // namespace

CollectiveCall::CollectiveCall(domain::Collective collective, int64_t block_bytes,
                               CollectiveFunction function, std::string algorithm)
    : collective_(collective),
      function_(function),
      algorithm_(std::move(algorithm)),
      block_bytes_(static_cast<int>(block_bytes)),
      element_count_(static_cast<int>(block_bytes / sizeof(float))) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &rank_count_);
  const BufferBytes bytes = BuffersOf(collective, block_bytes, rank_count_);
  const bool sends_only_root = collective == domain::Collective::kScatter;
  const bool receives_only_root =
      collective == domain::Collective::kGather || collective == domain::Collective::kReduce;
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
      collective_ == domain::Collective::kAlltoall || collective_ == domain::Collective::kScatter;
  const int64_t sent_bytes = static_cast<int64_t>(send_.size());
  for (int64_t i = 0; i < sent_bytes; ++i) {
    const int receiver = has_block_for_each ? static_cast<int>(i / block_bytes_) : 0;
    send_[i] = Payload(rank_, receiver, i - int64_t{receiver} * block_bytes_);
  }
  if (collective_ == domain::Collective::kBcast && rank_ == kRoot) {
    for (int64_t i = 0; i < block_bytes_; ++i) receive_[i] = Payload(kRoot, 0, i);
  }
}

int CollectiveCall::Try() {
  return function_(
      {send_.data(), receive_.data(), block_bytes_, element_count_, algorithm_.c_str()});
}

void CollectiveCall::Run() {
  const int result = Try();
  if (result == MPI_SUCCESS) return;
  std::fprintf(stderr, "cox-bench: rank %d: %s: %s\n", rank_, algorithm_.c_str(),
               CoxcollError().c_str());
  MPI_Abort(MPI_COMM_WORLD, result);
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
    case domain::Collective::kAllgather:
      return HasBlocksFrom(0, rank_count_, 0);
    case domain::Collective::kAlltoall:
      return HasBlocksFrom(0, rank_count_, rank_);
    case domain::Collective::kBcast:
      return HasBlocksFrom(kRoot, 1, 0);
    case domain::Collective::kGather:
      return rank_ != kRoot || HasBlocksFrom(0, rank_count_, 0);
    case domain::Collective::kScatter:
      return HasBlocksFrom(kRoot, 1, rank_);
    case domain::Collective::kAllreduce:
      return HasSum(0);
    case domain::Collective::kReduce:
      return rank_ != kRoot || HasSum(0);
    case domain::Collective::kReduceScatterBlock:
      return HasSum(int64_t{rank_} * element_count_);
    default:
      return false;  // not timed: see collective_names.h
  }
}

}  // namespace cox::bench
