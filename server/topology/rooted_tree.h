// The trees of scatter and gather: which rank hands which blocks to which rank, by linear,
// binomial, 2-lev-rec, 3-lev-sq and logp-lev-sq. Other algorithms on binomial trees use them too,
// farthest child first.
//
// Each level cuts the ranks into smaller parts. The leader of a part holds its blocks and sends one
// message to each leader of the smaller parts. Pure values, any thread, no allocation. O(1), except
// where O(levels) is said.
//
// Source: S. E. Hambrusch, A. A. Khokhar, C3: an architecture-independent model for coarse-grained
// parallel machines, section 4; the binomial tree as MPICH v4.0.2 has it, src/mpi/coll.
#ifndef COX_TOPOLOGY_ROOTED_TREE_H_
#define COX_TOPOLOGY_ROOTED_TREE_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace cox::topology {

// The largest power of two below `ranks` (ranks >= 2): the distance to the farthest child of a
// binomial tree's root.
int64_t FarthestChild(int64_t ranks);

class RootedTree {
 public:
  // Parts of `span` consecutive places are cut into parts of `step`. step divides span.
  struct Level {
    int64_t span;
    int64_t step;
  };

  // Blocks of the ranks first, first + 1, ...; after the last rank comes rank 0.
  struct Blocks {
    int64_t first;
    int64_t count;
    friend bool operator==(const Blocks&, const Blocks&) = default;
  };

  // One message: from parent to child away from the root, from child to parent towards it.
  struct Edge {
    int64_t parent;
    int64_t child;
    Blocks blocks;
  };

  // ranks in 1 .. 2^31 - 1, 0 <= root < ranks.
  static RootedTree Linear(int64_t ranks, int64_t root);
  // Places count from the root; level i goes half as far as level i - 1. For a power of two of
  // ranks this is logp-lev-sq.
  static RootedTree Binomial(int64_t ranks, int64_t root);
  // 2-lev-rec: along the root's column of a square of ranks, then along the rows. ranks = q^2.
  static RootedTree TwoLevels(int64_t ranks, int64_t root);
  // 3-lev-sq: to one rank of each square of sqrt(p) ranks, then 2-lev-rec in each square. ranks =
  // q^4.
  static RootedTree ThreeLevels(int64_t ranks, int64_t root);

  // Away from the root levels run in this order, towards it in reverse. 0 for one rank.
  int level_count() const { return count_; }
  const Level& level(int i) const { return levels_[static_cast<size_t>(i)]; }
  int64_t ranks() const { return ranks_; }

  // The number of children of a rank at a level, and the message for one of them. 0 <= index <
  // ChildCount().
  int64_t ChildCount(int64_t rank, int level) const;
  Edge ChildAt(int64_t rank, int level, int64_t index) const;

  // The level at which a rank has a parent; -1 for the root. O(levels).
  int LevelOf(int64_t rank) const;
  // The message for a rank at its LevelOf(), which is not -1.
  Edge ParentOf(int64_t rank, int level) const;

  // The blocks that a rank hands on or keeps: those that its parent sends it. For the root: all,
  // starting at the first place. O(levels).
  Blocks BlocksOf(int64_t rank) const;

 private:
  RootedTree(int64_t ranks, int64_t root, bool counts_from_root)
      : ranks_(ranks),
        shift_(counts_from_root ? root : 0),
        home_(counts_from_root ? 0 : root),
        count_(0),
        levels_{} {}

  void AddLevel(int64_t span, int64_t step) {
    levels_[static_cast<size_t>(count_++)] = {span, step};
  }
  int64_t PlaceOf(int64_t rank) const {
    return rank < shift_ ? rank - shift_ + ranks_ : rank - shift_;
  }
  int64_t RankAt(int64_t place) const {
    return place + shift_ < ranks_ ? place + shift_ : place + shift_ - ranks_;
  }
  bool Leads(int64_t place, int64_t span) const { return place % span == home_ % span; }
  Edge EdgeTo(int64_t place, const Level& level) const;

  int64_t ranks_;
  int64_t shift_;  // the rank at place 0
  int64_t home_;   // the root's place; leaders have the same place in their parts
  int count_;
  std::array<Level, 31> levels_;
};

// Calls each(edge) for the messages of a level.
template <typename Each>
void ForEachEdge(const RootedTree& tree, int level, const Each& each) {
  for (int64_t rank = 0; rank < tree.ranks(); ++rank) {
    const int64_t children = tree.ChildCount(rank, level);
    for (int64_t i = 0; i < children; ++i) each(tree.ChildAt(rank, level, i));
  }
}

}  // namespace cox::topology

#endif  // COX_TOPOLOGY_ROOTED_TREE_H_
