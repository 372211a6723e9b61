// The C functions of rooted operations: check arguments, then launch an operation.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "collectives/api/arguments.h"
#include "collectives/choice/rooted_trees.h"
#include "collectives/engine/error.h"
#include "collectives/engine/request.h"
#include "collectives/engine/rooted.h"
#include "collectives/protocols/broadcast.h"

namespace cox::collectives {
namespace {

// One side of a scatter or gather, as the program passes it.
template <typename Buffer>
struct Side {
  Buffer* buffer;
  int count;
  MPI_Datatype type;
  const char *buffer_name, *count_name, *type_name;
};
using Source = Side<const void>;
using Target = Side<void>;

// Both sides on this rank, after the checks.
struct Sides {
  OwnBlock own;
  RootBlocks all;  // only at the root
  bool is_root = false;

  // Equal on all ranks.
  int64_t block_bytes() const { return is_root ? all.block_bytes() : own.bytes(); }
};

template <typename Buffer>
int CheckSide(const Side<Buffer>& side, Datatype* datatype) {
  COX_TRY(CheckCount(side.count, side.count_name));
  COX_TRY(datatype->Set(side.type, side.type_name));
  return CheckBuffer(side.buffer, datatype->BytesOf(side.count), *datatype, side.buffer_name);
}

// `one`: the side with this rank's own block; `every`: the side that matters only at the root.
template <typename One, typename Every>
int CheckSides(const One& one, const Every& every, int root, const Channel& channel, Sides* sides) {
  COX_TRY(CheckRank(root, channel.ranks(), "root"));
  sides->is_root = channel.rank() == root;
  sides->own.in_place = one.buffer == MPI_IN_PLACE;
  if (sides->own.in_place && !sides->is_root) {
    return Fail(MPI_ERR_BUFFER,
                std::string(one.buffer_name) + " may be MPI_IN_PLACE only at the root");
  }
  if (sides->is_root) {
    COX_TRY(CheckSide(every, &sides->all.datatype));
    sides->all.count = every.count;
    sides->all.ranks = channel.ranks();
    sides->all.comm = channel.comm();
  }
  if (sides->own.in_place) return MPI_SUCCESS;
  COX_TRY(CheckSide(one, &sides->own.datatype));
  sides->own.count = one.count;
  if (sides->is_root && sides->own.bytes() != sides->all.block_bytes()) {
    return Fail(MPI_ERR_COUNT, std::string(one.count_name) + " and " + every.count_name +
                                   " must have equal sizes in bytes");
  }
  return MPI_SUCCESS;
}

int CheckTree(int id, int ranks) {
  const TreeKind& kind = TreeKinds()[static_cast<size_t>(id)];
  if (kind.takes(ranks)) return MPI_SUCCESS;
  return Fail(MPI_ERR_ARG, "algorithm: " + std::string(kind.name) + " needs " +
                               std::string(kind.needs) + ", not " + std::to_string(ranks));
}

int Begin(std::shared_ptr<Channel> channel, const AlgorithmChoice& choice,
          std::span<const AlgorithmRow> rows, std::unique_ptr<Protocol> protocol,
          cox_request* request) {
  StartRequest(std::make_shared<Operation>(std::move(channel), FormatAlgorithm(choice, rows),
                                           std::move(protocol)),
               request);
  return MPI_SUCCESS;
}

// The arguments that scatter and gather share.
struct Call {
  int root;
  MPI_Comm comm;
  const char* algorithm;
  cox_request* request;
};

// How scatter or gather chooses its algorithm.
struct Choosing {
  domain::DecidedOperation operation;
  std::span<const AlgorithmRow> rows;
  AlgorithmChoice (*choose)(int64_t ranks, double block_bytes, const domain::CostProfile& costs);
};

// `one` and `every` as for CheckSides. `make` returns the rank's part from tree, window (0: none)
// and sides.
template <typename One, typename Every, typename Make>
int StartRooted(const One& one, const Every& every, const Call& call, const Choosing& choosing,
                const Make& make) {
  COX_TRY(CheckCall(call.request));
  std::shared_ptr<Channel> channel;
  COX_TRY(Channel::Open(call.comm, &channel));
  Sides sides;
  COX_TRY(CheckSides(one, every, call.root, *channel, &sides));
  const int ranks = channel->ranks();
  AlgorithmChoice choice;
  COX_TRY(Choose(call.algorithm, *channel, choosing.operation, sides.block_bytes(), choosing.rows,
                 &choice, [&] {
                   return choosing.choose(ranks, static_cast<double>(sides.block_bytes()),
                                          channel->costs());
                 }));
  // Without a window all senders send to the root at once; with a window they take turns.
  const bool is_windowed = choice.id == WindowedId();
  const int kind = is_windowed ? kLinearTree : choice.id;
  COX_TRY(CheckTree(kind, ranks));
  const topology::RootedTree tree = TreeKinds()[static_cast<size_t>(kind)].make(ranks, call.root);
  const int64_t window = std::min<int64_t>(choice.knob, ranks);  // a wider one changes nothing
  std::unique_ptr<Protocol> protocol = make(tree, is_windowed ? window : 0, sides);
  return Begin(std::move(channel), choice, choosing.rows, std::move(protocol), call.request);
}

int Scatter(const Source& source, const Target& target, const Call& call) {
  return StartRooted(
      target, source, call, {domain::DecidedOperation::kScatter, ScatterRows(), ChooseScatter},
      [&](const topology::RootedTree& tree, int64_t, const Sides& sides) {
        return sides.is_root ? MakeRootOfScatter(tree, call.root, sides.all, source.buffer,
                                                 sides.own, target.buffer)
                             : MakeHearerOfScatter(tree, sides.own, target.buffer);
      });
}

int Gather(const Source& source, const Target& target, const Call& call) {
  return StartRooted(
      source, target, call, {domain::DecidedOperation::kGather, GatherRows(), ChooseGather},
      [&](const topology::RootedTree& tree, int64_t window, const Sides& sides) {
        if (sides.is_root) {
          return MakeRootOfGather(tree, call.root, sides.all, target.buffer, sides.own,
                                  source.buffer, window);
        }
        return window > 0 ? MakeWindowedSenderOfGather(call.root, window, sides.own, source.buffer)
                          : MakeSenderOfGather(tree, sides.own, source.buffer);
      });
}

int Bcast(const Target& whole, int root, MPI_Comm comm, const char* algorithm,
          cox_request* request) {
  COX_TRY(CheckCall(request));
  std::shared_ptr<Channel> channel;
  COX_TRY(Channel::Open(comm, &channel));
  COX_TRY(CheckRank(root, channel->ranks(), "root"));
  Datatype datatype;
  COX_TRY(CheckSide(whole, &datatype));
  const int64_t bytes = datatype.BytesOf(whole.count);
  AlgorithmChoice choice;
  COX_TRY(Choose(algorithm, *channel, domain::DecidedOperation::kBcast, bytes, BroadcastRows(),
                 &choice,
                 [&] { return ChooseBroadcast(static_cast<double>(bytes), channel->costs()); }));
  BroadcastPeers peers = PeersOf(choice, channel->ranks(), root, channel->rank());
  std::unique_ptr<Protocol> protocol =
      MakeBroadcast(std::move(peers), whole.buffer, whole.count, datatype);
  return Begin(std::move(channel), choice, BroadcastRows(), std::move(protocol), request);
}

Source SourceOf(const void* buffer, int count, MPI_Datatype type) {
  return {buffer, count, type, "sendbuf", "sendcount", "sendtype"};
}
Target TargetOf(void* buffer, int count, MPI_Datatype type) {
  return {buffer, count, type, "recvbuf", "recvcount", "recvtype"};
}

}  // namespace
}  // namespace cox::collectives

namespace coll = cox::collectives;

int cox_iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 const char* algorithm, cox_request* request) {
  return coll::Guarded([&] {
    return coll::Scatter(coll::SourceOf(sendbuf, sendcount, sendtype),
                         coll::TargetOf(recvbuf, recvcount, recvtype),
                         {root, comm, algorithm, request});
  });
}

int cox_igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                const char* algorithm, cox_request* request) {
  return coll::Guarded([&] {
    return coll::Gather(coll::SourceOf(sendbuf, sendcount, sendtype),
                        coll::TargetOf(recvbuf, recvcount, recvtype),
                        {root, comm, algorithm, request});
  });
}

int cox_ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
               const char* algorithm, cox_request* request) {
  return coll::Guarded([&] {
    return coll::Bcast({buffer, count, datatype, "buffer", "count", "datatype"}, root, comm,
                       algorithm, request);
  });
}
