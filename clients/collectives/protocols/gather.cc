#include <vector>

#include "collectives/engine/error.h"
#include "collectives/engine/rooted.h"
#include "collectives/protocols/tree_part.h"

namespace cox::collectives {
namespace {

using topology::RootedTree;

class RootOfGather final : public Protocol {
 public:
  RootOfGather(const RootedTree& tree, int root, const RootBlocks& all, void* all_buffer,
               const OwnBlock& own, const void* own_buffer, int64_t window)
      : tree_(tree),
        root_(root),
        window_(window),
        all_(all),
        all_buffer_(all_buffer),
        own_(own),
        own_buffer_(own_buffer) {}

  int Start(Operation* operation) override {
    if (all_.block_bytes() == 0) return MPI_SUCCESS;
    for (const RootedTree::Edge& edge : ChildrenOf(tree_, root_)) {
      COX_TRY(ReceiveAlong(edge, operation));
    }
    return CopyOwn();
  }

  int Done(Operation* operation, int token) override {
    if (token == kSignalled) return MPI_SUCCESS;
    Part& part = parts_[static_cast<size_t>(token)];
    COX_TRY(SignalAfter(part.child, operation));
    if (part.message.empty()) return MPI_SUCCESS;
    return all_.FromMessage(part.message.data(), part.blocks, all_buffer_);
  }

 private:
  static constexpr int kSignalled = -1;  // the tokens of receives are the indices of their parts

  struct Part {
    int child;
    RootedTree::Blocks blocks;
    std::vector<char> message;  // empty: received in its final place
  };

  int ReceiveAlong(const RootedTree::Edge& edge, Operation* operation) {
    const int64_t bytes = edge.blocks.count * all_.block_bytes();
    const int child = static_cast<int>(edge.child);
    Part& part = parts_.emplace_back(Part{child, edge.blocks, {}});
    char* into = nullptr;
    if (all_.AreInRow(edge.blocks)) {
      into = all_.At(all_buffer_, edge.blocks.first);
    } else {
      part.message.resize(static_cast<size_t>(bytes));
      into = part.message.data();
    }
    const int token = static_cast<int>(parts_.size()) - 1;
    return operation->Receive(into, bytes, child, token);
  }

  // This sender's block has arrived: lets the sender that waits for it begin.
  int SignalAfter(int child, Operation* operation) {
    const int ranks = operation->ranks();
    const int64_t next = (child - root_ + ranks) % ranks + window_;
    if (window_ == 0 || next >= ranks) return MPI_SUCCESS;
    return operation->Send(nullptr, 0, static_cast<int>((next + root_) % ranks), kSignalled,
                           kStartSignals);
  }

  int CopyOwn() {
    if (own_.in_place) return MPI_SUCCESS;
    if (all_.AreInRow({root_, 1})) {
      return Pack(own_.datatype, own_buffer_, own_.count, all_.comm, all_.At(all_buffer_, root_));
    }
    std::vector<char> message(static_cast<size_t>(own_.bytes()));
    COX_TRY(Pack(own_.datatype, own_buffer_, own_.count, all_.comm, message.data()));
    return all_.FromMessage(message.data(), {root_, 1}, all_buffer_);
  }

  RootedTree tree_;
  int root_;
  int64_t window_;
  RootBlocks all_;
  void* all_buffer_;
  OwnBlock own_;
  const void* own_buffer_;
  std::vector<Part> parts_;  // moving them keeps the addresses of their messages
};

// All ranks but the root.
class SenderOfGather final : public Protocol {
 public:
  SenderOfGather(const RootedTree& tree, const OwnBlock& own, const void* own_buffer)
      : tree_(tree), own_(own), own_buffer_(own_buffer) {}

  int Start(Operation* operation) override {
    if (own_.bytes() == 0) return MPI_SUCCESS;
    const int rank = operation->rank();
    const RootedTree::Edge edge = tree_.ParentOf(rank, tree_.LevelOf(rank));
    parent_ = static_cast<int>(edge.parent);
    if (edge.blocks.count == 1 && own_.datatype.is_dense) {
      return operation->Send(own_buffer_, own_.bytes(), parent_, kSent);
    }
    held_.Hold(edge.blocks, tree_.ranks(), own_.bytes());
    for (const RootedTree::Edge& child : ChildrenOf(tree_, rank)) {
      COX_TRY(operation->Receive(held_.At(child.blocks.first), child.blocks.count * own_.bytes(),
                                 static_cast<int>(child.child), kReceived));
      ++awaited_;
    }
    COX_TRY(
        Pack(own_.datatype, own_buffer_, own_.count, operation->channel().comm(), held_.At(rank)));
    return awaited_ == 0 ? SendAll(operation) : MPI_SUCCESS;
  }

  int Done(Operation* operation, int token) override {
    if (token != kReceived || --awaited_ > 0) return MPI_SUCCESS;
    return SendAll(operation);
  }

 private:
  enum Token : int { kSent, kReceived };

  int SendAll(Operation* operation) {
    return operation->Send(held_.data(), held_.bytes(), parent_, kSent);
  }

  RootedTree tree_;
  OwnBlock own_;
  const void* own_buffer_;
  int parent_ = -1;
  int awaited_ = 0;
  HeldBlocks held_;
};

}  // namespace

std::unique_ptr<Protocol> MakeRootOfGather(const RootedTree& tree, int root, const RootBlocks& all,
                                           void* all_buffer, const OwnBlock& own,
                                           const void* own_buffer, int64_t window) {
  return std::make_unique<RootOfGather>(tree, root, all, all_buffer, own, own_buffer, window);
}

std::unique_ptr<Protocol> MakeSenderOfGather(const RootedTree& tree, const OwnBlock& own,
                                             const void* own_buffer) {
  return std::make_unique<SenderOfGather>(tree, own, own_buffer);
}

}  // namespace cox::collectives
