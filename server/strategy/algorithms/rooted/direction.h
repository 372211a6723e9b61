// The direction of a tree's messages: from the root or to it.
#ifndef COX_STRATEGY_ALGORITHMS_ROOTED_DIRECTION_H_
#define COX_STRATEGY_ALGORITHMS_ROOTED_DIRECTION_H_

namespace cox::strategy {

enum class Direction { kFromRoot, kToRoot };

}  // namespace cox::strategy

#endif  // COX_STRATEGY_ALGORITHMS_ROOTED_DIRECTION_H_
