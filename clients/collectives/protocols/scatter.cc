#include <utility>
#include <vector>

#include "collectives/engine/error.h"
#include "collectives/engine/rooted.h"
#include "collectives/protocols/tree_part.h"

namespace cox::collectives {
namespace {

using topology::RootedTree;

enum Token : int { kSent, kReceived };

// Copies the root's own block from one buffer to the other.
int CopyOwn(const RootBlocks& all, const void* all_buffer, int root, const OwnBlock& own,
            void* own_buffer) {
  if (own.in_place) return MPI_SUCCESS;
  if (all.AreInRow({root, 1})) {
    return Unpack(own.datatype, all.At(all_buffer, root), own.count, all.comm, own_buffer);
  }
  std::vector<char> message(static_cast<size_t>(all.block_bytes()));
  COX_TRY(all.ToMessage(all_buffer, {root, 1}, message.data()));
  return Unpack(own.datatype, message.data(), own.count, all.comm, own_buffer);
}

class RootOfScatter final : public Protocol {
 public:
  RootOfScatter(const RootedTree& tree, int root, const RootBlocks& all, const void* all_buffer,
                const OwnBlock& own, void* own_buffer)
      : tree_(tree),
        root_(root),
        all_(all),
        all_buffer_(all_buffer),
        own_(own),
        own_buffer_(own_buffer) {}

  int Start(Operation* operation) override {
    if (all_.block_bytes() == 0) return MPI_SUCCESS;
    for (const RootedTree::Edge& edge : ChildrenOf(tree_, root_)) {
      COX_TRY(SendAlong(edge, operation));
    }
    return CopyOwn(all_, all_buffer_, root_, own_, own_buffer_);
  }

  int Done(Operation*, int) override { return MPI_SUCCESS; }

 private:
  int SendAlong(const RootedTree::Edge& edge, Operation* operation) {
    const int64_t bytes = edge.blocks.count * all_.block_bytes();
    const char* data = nullptr;
    if (all_.AreInRow(edge.blocks)) {
      data = all_.At(all_buffer_, edge.blocks.first);
    } else {
      std::vector<char>& message = messages_.emplace_back(static_cast<size_t>(bytes));
      COX_TRY(all_.ToMessage(all_buffer_, edge.blocks, message.data()));
      data = message.data();
    }
    return operation->Send(data, bytes, static_cast<int>(edge.child), kSent);
  }

  RootedTree tree_;
  int root_;
  RootBlocks all_;
  const void* all_buffer_;
  OwnBlock own_;
  void* own_buffer_;
  std::vector<std::vector<char>> messages_;  // moving them keeps the addresses of their content
};

// All ranks but the root.
class HearerOfScatter final : public Protocol {
 public:
  HearerOfScatter(const RootedTree& tree, const OwnBlock& own, void* own_buffer)
      : tree_(tree), own_(own), own_buffer_(own_buffer) {}

  int Start(Operation* operation) override {
    if (own_.bytes() == 0) return MPI_SUCCESS;
    const int rank = operation->rank();
    const RootedTree::Edge edge = tree_.ParentOf(rank, tree_.LevelOf(rank));
    void* into = own_buffer_;
    if (edge.blocks.count > 1 || !own_.datatype.is_dense) {
      held_.Hold(edge.blocks, tree_.ranks(), own_.bytes());
      into = held_.data();
    }
    return operation->Receive(into, edge.blocks.count * own_.bytes(), static_cast<int>(edge.parent),
                              kReceived);
  }

  int Done(Operation* operation, int token) override {
    if (token != kReceived) return MPI_SUCCESS;
    for (const RootedTree::Edge& edge : ChildrenOf(tree_, operation->rank())) {
      COX_TRY(operation->Send(held_.At(edge.blocks.first), edge.blocks.count * own_.bytes(),
                              static_cast<int>(edge.child), kSent));
    }
    return MPI_SUCCESS;
  }

  int Finish(Operation* operation) override {
    if (held_.empty()) return MPI_SUCCESS;
    return Unpack(own_.datatype, held_.At(operation->rank()), own_.count,
                  operation->channel().comm(), own_buffer_);
  }

 private:
  RootedTree tree_;
  OwnBlock own_;
  void* own_buffer_;
  HeldBlocks held_;
};

}  // namespace

std::unique_ptr<Protocol> MakeRootOfScatter(const RootedTree& tree, int root, const RootBlocks& all,
                                            const void* all_buffer, const OwnBlock& own,
                                            void* own_buffer) {
  return std::make_unique<RootOfScatter>(tree, root, all, all_buffer, own, own_buffer);
}

std::unique_ptr<Protocol> MakeHearerOfScatter(const RootedTree& tree, const OwnBlock& own,
                                              void* own_buffer) {
  return std::make_unique<HearerOfScatter>(tree, own, own_buffer);
}

}  // namespace cox::collectives
