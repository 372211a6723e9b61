// cox_ialltoall: arguments, and the choice of the algorithm.
#include <memory>
#include <utility>

#include "collectives/api/arguments.h"
#include "collectives/choice/cost.h"
#include "collectives/choice/personalised.h"
#include "collectives/engine/error.h"
#include "collectives/engine/request.h"
#include "collectives/protocols/bruck.h"
#include "collectives/protocols/routed_blocks.h"
#include "collectives/protocols/windowed_exchange.h"

namespace cox::collectives {
namespace {

constexpr AlgorithmRow kAlltoallRows[] = {kDirectRow, kWindowedRow, kPairwiseRow, kBruckRow,
                                          kMesh2dRow, kGrid3dRow,   kHypercubeRow};

std::unique_ptr<Protocol> MakeProtocol(const AlgorithmChoice& choice, Channel& channel,
                                       ExchangeBlocks blocks) {
  if (choice.id == kPairwise) return MakePairwiseExchange(std::move(blocks));
  if (choice.id == kBruck) return MakeBruck(std::move(blocks));
  if (const auto routing = RoutingOf(choice.id)) {
    return MakeRoutedBlocks(std::move(blocks), channel.RouteBy(*routing, choice.knob));
  }
  return MakeWindowedExchange(std::move(blocks), choice.knob);
}

// One side of the exchange: a block for each rank.
struct BlockSide {
  void* buffer;
  int count;
  MPI_Datatype type;
};

int Alltoall(BlockSide send, BlockSide receive, MPI_Comm comm, const char* algorithm,
             cox_request* request) {
  COX_TRY(CheckCall(request));
  const bool is_in_place = send.buffer == MPI_IN_PLACE;
  if (is_in_place) send = receive;
  Datatype send_type, receive_type;
  COX_TRY(CheckCount(send.count, "sendcount"));
  COX_TRY(CheckCount(receive.count, "recvcount"));
  COX_TRY(send_type.Set(send.type, "sendtype"));
  COX_TRY(receive_type.Set(receive.type, "recvtype"));
  COX_TRY(CheckBuffer(receive.buffer, receive.count, receive_type, "recvbuf"));
  COX_TRY(CheckBuffer(send.buffer, send.count, send_type, "sendbuf"));
  const int64_t block_bytes = send_type.BytesOf(send.count);
  if (block_bytes != receive_type.BytesOf(receive.count)) {
    return Fail(MPI_ERR_COUNT, "sendcount of sendtype and recvcount of recvtype differ in bytes");
  }
  std::shared_ptr<Channel> channel;
  COX_TRY(Channel::Open(comm, &channel));
  const int ranks = channel->ranks();
  AlgorithmChoice choice;
  COX_TRY(Choose(algorithm, *channel, domain::DecidedOperation::kAlltoall, block_bytes,
                 kAlltoallRows, &choice, [&] {
                   return CheapestExchange(channel->exchange_costs(),
                                           static_cast<double>(block_bytes));
                 }));
  ExchangeBlocks blocks = {Blocks(send_type, send.buffer, ranks, send.count),
                           Blocks(receive_type, receive.buffer, ranks, receive.count), is_in_place};
  auto protocol = MakeProtocol(choice, *channel, std::move(blocks));
  StartRequest(std::make_shared<Operation>(
                   std::move(channel), FormatAlgorithm(choice, kAlltoallRows), std::move(protocol)),
               request);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace cox::collectives

int cox_ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm,
                  cox_request* request) {
  return cox::collectives::Guarded([&] {
    return cox::collectives::Alltoall({const_cast<void*>(sendbuf), sendcount, sendtype},
                                      {recvbuf, recvcount, recvtype}, comm, algorithm, request);
  });
}
