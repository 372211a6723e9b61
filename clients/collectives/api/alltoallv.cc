// cox_ialltoallv: arguments, and the choice of the algorithm.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collectives/api/arguments.h"
#include "collectives/choice/cost.h"
#include "collectives/choice/largest_load.h"
#include "collectives/choice/personalised.h"
#include "collectives/engine/agreement.h"
#include "collectives/engine/error.h"
#include "collectives/engine/request.h"
#include "collectives/protocols/routed_messages.h"
#include "collectives/protocols/windowed_exchange.h"

namespace cox::collectives {
namespace {

constexpr AlgorithmRow kAlltoallvRows[] = {kDirectRow, kWindowedRow, kPairwiseRow,
                                           kMesh2dRow, kGrid3dRow,   kHypercubeRow};

// The blocks that are not empty, as messages.
class BlockMail final : public Mail {
 public:
  explicit BlockMail(ExchangeBlocks blocks) : blocks_(std::move(blocks)) {}

  int Collect(Operation* operation, std::vector<Outgoing>* messages) override {
    COX_TRY(blocks_.Begin(operation->channel().comm(), operation->rank()));
    for (int peer = 0; peer < operation->ranks(); ++peer) {
      const int64_t bytes = blocks_.send.BytesOf(peer);
      if (bytes == 0 || peer == operation->rank()) continue;
      messages->push_back({peer, bytes, blocks_.send.At(peer)});
    }
    return MPI_SUCCESS;
  }

  int Deliver(Operation* operation, int source, const char* data, int64_t bytes) override {
    const int64_t room = blocks_.receive.BytesOf(source);
    if (bytes > room) {
      operation->Remember(Fail(MPI_ERR_TRUNCATE,
                               "rank " + std::to_string(source) + " sent " + std::to_string(bytes) +
                                   " bytes, recvcounts has room for " + std::to_string(room)));
      return MPI_SUCCESS;
    }
    std::memcpy(blocks_.receive.At(source), data, static_cast<size_t>(bytes));
    return MPI_SUCCESS;
  }

  int Finish(Operation* operation) override {
    return blocks_.receive.Unpack(operation->channel().comm());
  }

 private:
  ExchangeBlocks blocks_;
};

std::unique_ptr<Protocol> MakeCountedProtocol(const AlgorithmChoice& choice, Channel& channel,
                                              ExchangeBlocks blocks) {
  if (choice.id == kPairwise) return MakePairwiseExchange(std::move(blocks));
  if (const auto routing = RoutingOf(choice.id)) {
    return MakeRoutedMessages(std::make_unique<BlockMail>(std::move(blocks)),
                              Topology(*routing, channel.ranks(), choice.knob),
                              channel.RouteBy(*routing, choice.knob));
  }
  return MakeWindowedExchange(std::move(blocks), choice.knob);
}

// One side of the exchange on this rank.
LargestLoad LoadOf(const Blocks& blocks, int rank) {
  LargestLoad load;
  for (int peer = 0; peer < blocks.ranks(); ++peer) {
    const int64_t bytes = peer == rank ? 0 : blocks.BytesOf(peer);
    load.messages += bytes > 0 ? 1 : 0;
    load.bytes += bytes;
  }
  return load;
}

// Chooses when all ranks know the largest load, as if every rank spread as much evenly over all
// others.
std::unique_ptr<Protocol> MakeChoice(std::shared_ptr<Channel> channel, ExchangeBlocks blocks) {
  LargestLoad load = LoadOf(blocks.send, channel->rank());
  load.Add(LoadOf(blocks.receive, channel->rank()));
  auto kept = std::make_shared<ExchangeBlocks>(std::move(blocks));
  return MakeAgreement({load.messages, load.bytes}, [channel = std::move(channel),
                                                     kept](const std::vector<int64_t>& largest) {
    const LargestLoad all = {largest[0], largest[1]};
    const AlgorithmChoice choice =
        CheapestOfMessages(channel->exchange_costs(), MessagesSeconds(all, channel->costs()), all);
    return Chosen{MakeCountedProtocol(choice, *channel, std::move(*kept)),
                  FormatAlgorithm(choice, kAlltoallvRows)};
  });
}

// One side of the exchange: a block for each rank.
struct CountedSide {
  void* buffer;
  const int* counts;
  const int* displacements;
  MPI_Datatype type;
  const char* names[4];  // the names of the arguments above

  bool HasElements(int ranks) const {
    return std::any_of(counts, counts + ranks, [](int count) { return count > 0; });
  }
  // Checks that need no number of ranks, and checks that do.
  int Check(Datatype* datatype) const {
    if (counts == nullptr || displacements == nullptr) {
      return Fail(MPI_ERR_ARG, std::string(names[1]) + " and " + names[2] + " must not be NULL");
    }
    return datatype->Set(type, names[3]);
  }
  int CheckBlocks(int ranks, const Datatype& datatype) const {
    for (int rank = 0; rank < ranks; ++rank) COX_TRY(CheckCount(counts[rank], names[1]));
    return CheckBuffer(buffer, HasElements(ranks) ? 1 : 0, datatype, names[0]);
  }
};

int Alltoallv(CountedSide send, const CountedSide& receive, MPI_Comm comm, const char* algorithm,
              cox_request* request) {
  COX_TRY(CheckCall(request));
  const bool is_in_place = send.buffer == MPI_IN_PLACE;
  if (is_in_place) send = receive;
  Datatype send_type, receive_type;
  COX_TRY(send.Check(&send_type));
  COX_TRY(receive.Check(&receive_type));
  AlgorithmChoice choice;
  if (algorithm != nullptr) COX_TRY(CheckAlgorithm(algorithm, kAlltoallvRows, &choice));

  std::shared_ptr<Channel> channel;
  COX_TRY(Channel::Open(comm, &channel));
  const int ranks = channel->ranks();
  COX_TRY(send.CheckBlocks(ranks, send_type));
  COX_TRY(receive.CheckBlocks(ranks, receive_type));
  ExchangeBlocks blocks = {
      Blocks(send_type, send.buffer, ranks, send.counts, send.displacements),
      Blocks(receive_type, receive.buffer, ranks, receive.counts, receive.displacements),
      is_in_place};
  if (blocks.send.BytesOf(channel->rank()) != blocks.receive.BytesOf(channel->rank())) {
    return Fail(MPI_ERR_COUNT, "sendcounts and recvcounts of the rank itself differ in bytes");
  }
  auto protocol = algorithm == nullptr ? MakeChoice(channel, std::move(blocks))
                                       : MakeCountedProtocol(choice, *channel, std::move(blocks));
  std::string name = algorithm == nullptr ? "" : FormatAlgorithm(choice, kAlltoallvRows);
  StartRequest(
      std::make_shared<Operation>(std::move(channel), std::move(name), std::move(protocol)),
      request);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace cox::collectives

int cox_ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm,
                   cox_request* request) {
  return cox::collectives::Guarded([&] {
    return cox::collectives::Alltoallv(
        {const_cast<void*>(sendbuf),
         sendcounts,
         sdispls,
         sendtype,
         {"sendbuf", "sendcounts", "sdispls", "sendtype"}},
        {recvbuf, recvcounts, rdispls, recvtype, {"recvbuf", "recvcounts", "rdispls", "recvtype"}},
        comm, algorithm, request);
  });
}
