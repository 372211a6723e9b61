// Trees of ranks other than binomial ones. A message goes down segment by segment, or up, combined
// on the way. A parent exchanges a segment with all its children in one stage. Built and used as in
// ompi/mca/coll/base of Open MPI v4.1.4 (coll_base_topo.c; bcast_intra_generic and reduce_generic).
//
// Pure, any thread.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_SEGMENTED_TREE_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_SEGMENTED_TREE_H_

#include <cstdint>

#include "model/schedule.h"
#include "strategy/algorithms/rooted/direction.h"
#include "strategy/catalogue.h"
#include "strategy/traffic/exchange.h"

namespace cox::strategy {

// The messages of a tree, a block from every parent to each of its children.
class Tree : public Exchange {
 public:
  // The edges between the root and this rank; below, the most over all ranks.
  virtual int64_t DepthOf(int64_t rank) const = 0;
  virtual int64_t height() const = 0;
  virtual ExchangeId id() const = 0;
};

// Level by level: first one child of each rank of a level in turn, then the second child of each.
// Ranks count from the root.
class BinaryTree final : public Tree {
 public:
  explicit BinaryTree(const Scenario& scenario) : ranks_(scenario.ranks), root_(scenario.root) {}

  void Sends(int64_t rank, Peers* out) const override;
  void Receives(int64_t rank, Peers* out) const override;
  Totals totals() const override;
  void Notable(RankList* out) const override;
  int64_t DepthOf(int64_t rank) const override;
  int64_t height() const override;
  ExchangeId id() const override;

 private:
  int64_t FromRoot(int64_t rank) const {
    return rank < root_ ? rank - root_ + ranks_ : rank - root_;
  }
  int64_t RankOf(int64_t v) const { return (v + root_) % ranks_; }

  int64_t ranks_;
  int64_t root_;
};

// The last of n consecutive ranks is the root. Its children are the roots of two trees of the same
// kind: of the first n / 2 ranks and of the others. A reduction that combines in order of children
// then combines in order of ranks.
class InOrderBinaryTree final : public Tree {
 public:
  explicit InOrderBinaryTree(const Scenario& scenario) : ranks_(scenario.ranks) {}

  void Sends(int64_t rank, Peers* out) const override;
  void Receives(int64_t rank, Peers* out) const override;
  Totals totals() const override;
  void Notable(RankList* out) const override;
  int64_t DepthOf(int64_t rank) const override;
  int64_t height() const override;
  ExchangeId id() const override;

 private:
  struct Place;
  Place Find(int64_t rank) const;

  int64_t ranks_;
};

// The message of a tree. segment_bytes of 0, or at least the message: one segment.
struct TreeMessage {
  double bytes;
  int64_t segment_bytes;
};

// Adds the phase whose repetitions are the stages; nothing for one rank.
void AddTree(const Tree& tree, Direction direction, const Scenario& scenario,
             const TreeMessage& message, model::Schedule* schedule);

// Its messages, in the phase that AddTree() adds first.
void EnumerateTree(const Tree& tree, Direction direction, const Scenario& scenario,
                   const TreeMessage& message, MessageSink sink);

// BinaryTree as a row of bcast and, to the root, of reduce.
template <Direction kDirection>
void BuildBinary(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule) {
  AddTree(BinaryTree(scenario), kDirection, scenario,
          {static_cast<double>(scenario.block_bytes), knobs.segment_bytes}, schedule);
}
template <Direction kDirection>
void EnumerateBinary(const Scenario& scenario, const Knobs& knobs, MessageSink sink) {
  EnumerateTree(BinaryTree(scenario), kDirection, scenario,
                {static_cast<double>(scenario.block_bytes), knobs.segment_bytes}, sink);
}

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_SEGMENTED_TREE_H_
