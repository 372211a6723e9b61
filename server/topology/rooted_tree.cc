#include "topology/rooted_tree.h"

#include <algorithm>

#include "topology/roots.h"

namespace cox::topology {

int64_t FarthestChild(int64_t ranks) {
  int64_t distance = 1;
  while (2 * distance < ranks) distance *= 2;
  return distance;
}

RootedTree RootedTree::Linear(int64_t ranks, int64_t root) {
  RootedTree tree(ranks, root, false);
  if (ranks > 1) tree.AddLevel(ranks, 1);
  return tree;
}

RootedTree RootedTree::Binomial(int64_t ranks, int64_t root) {
  RootedTree tree(ranks, root, true);
  if (ranks == 1) return tree;
  for (int64_t step = FarthestChild(ranks); step > 0; step /= 2) tree.AddLevel(2 * step, step);
  return tree;
}

RootedTree RootedTree::TwoLevels(int64_t ranks, int64_t root) {
  RootedTree tree(ranks, root, false);
  const int64_t side = CeilSquareRoot(ranks);
  if (ranks == 1) return tree;
  tree.AddLevel(ranks, side);
  tree.AddLevel(side, 1);
  return tree;
}

RootedTree RootedTree::ThreeLevels(int64_t ranks, int64_t root) {
  RootedTree tree(ranks, root, false);
  const int64_t square = CeilSquareRoot(ranks);
  const int64_t side = CeilSquareRoot(square);
  if (ranks == 1) return tree;
  tree.AddLevel(ranks, square);
  tree.AddLevel(square, side);
  tree.AddLevel(side, 1);
  return tree;
}

int64_t RootedTree::ChildCount(int64_t rank, int level) const {
  const auto& [span, step] = this->level(level);
  const int64_t place = PlaceOf(rank);
  if (!Leads(place, span)) return 0;
  const int64_t begin = place - home_ % span;
  const int64_t first = begin + home_ % step;
  const int64_t end = std::min(begin + span, ranks_);
  return (end - 1 - first) / step;  // all leaders of the next parts except this one
}

RootedTree::Edge RootedTree::ChildAt(int64_t rank, int level, int64_t index) const {
  const Level& cut = this->level(level);
  const int64_t within = home_ % cut.span;
  const int64_t own = within / cut.step;
  const int64_t first = PlaceOf(rank) - within + home_ % cut.step;
  return EdgeTo(first + (index < own ? index : index + 1) * cut.step, cut);
}

int RootedTree::LevelOf(int64_t rank) const {
  const int64_t place = PlaceOf(rank);
  for (int i = 0; i < count_; ++i) {
    if (!Leads(place, level(i).span) && Leads(place, level(i).step)) return i;
  }
  return -1;
}

RootedTree::Edge RootedTree::ParentOf(int64_t rank, int level) const {
  return EdgeTo(PlaceOf(rank), this->level(level));
}

RootedTree::Blocks RootedTree::BlocksOf(int64_t rank) const {
  const int level = LevelOf(rank);
  return level < 0 ? Blocks{shift_, ranks_} : ParentOf(rank, level).blocks;
}

RootedTree::Edge RootedTree::EdgeTo(int64_t place, const Level& level) const {
  const int64_t begin = place - place % level.step;
  return {RankAt(place - place % level.span + home_ % level.span),
          RankAt(place),
          {RankAt(begin), std::min(level.step, ranks_ - begin)}};
}

}  // namespace cox::topology
