// Trees of ranks that are not binomial, and a message that goes down one segment by segment, or up,
// combined on the way. A parent exchanges a segment with all of its children in one stage. As
// ompi/mca/coll/base of Open MPI v4.1.4 builds and uses them (coll_base_topo.c; bcast_intra_generic
// and reduce_generic).
//
// Pure, any thread.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_TREE_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_TREE_H_

#include <cstdint>

#include "model/schedule.h"
#include "strategy/algorithms/rooted/direction.h"
#include "strategy/catalogue.h"
#include "strategy/traffic/exchange.h"

namespace cox::strategy {

// The messages of a tree, a block from every parent to each of its children.
class Tree : public Exchange {
 public:
  // Edges between the root and this rank, and the most of them.
  virtual int64_t DepthOf(int64_t rank) const = 0;
  virtual int64_t height() const = 0;
  virtual ExchangeId id() const = 0;
};

// Level by level: one child of a level's ranks after the other, then the next child of all. Ranks
// count from the root.
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

// The last of n consecutive ranks is the root of the n / 2 first ones and of the others, each of
// which is such a tree: whoever combines in order of children combines in order of ranks.
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

// What goes through a tree. segment_bytes: 0 or no less than the message: the message in one.
struct TreeMessage {
  double bytes;
  int64_t segment_bytes;
};

// Adds the phase whose repetitions are the stages; nothing for a single rank.
void AddTree(const Tree& tree, Direction direction, const Scenario& scenario,
             const TreeMessage& message, model::Schedule* schedule);

// Its messages, as those of the schedule's first phase.
void EnumerateTree(const Tree& tree, Direction direction, const Scenario& scenario,
                   const TreeMessage& message, MessageSink sink);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_TREE_H_
